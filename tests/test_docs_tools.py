"""The programs that make the documentation's site and check files before a commit."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch):
    """Imports a program of tools/ or tools/docs/ by its name."""
    monkeypatch.syspath_prepend(ROOT / "tools")
    monkeypatch.syspath_prepend(ROOT / "tools" / "docs")
    return __import__


def noise(count: int) -> list[Image.Image]:
    rng = np.random.default_rng(0)
    return [Image.fromarray(rng.integers(0, 255, (16, 16, 3), np.uint8)) for _ in range(count)]


def test_docstrings_become_markdown_whatever_their_headings(tool) -> None:
    doc = tool("template_docs").parse(
        """A ball lies
        on a shelf.

        Bodies
            For the left side:
            ball, pin: dynamic, on
                the shelf
            floor: static

        Surprises
            None of this
            is in order: really.
        """
    )
    assert doc.idea == "A ball lies on a shelf."
    assert doc.sections == {
        "Bodies": "For the left side:\n\n- **ball, pin**: dynamic, on the shelf\n- **floor**: static",
        "Surprises": "None of this is in order: really.",
    }


def test_galleries_show_every_template(tool) -> None:
    pages, galleries = tool("gallery_pages"), tool("benchmark_pages").GALLERIES
    for name, count in {"phyre": 50, "phyq": 75}.items():
        title, text, groups = galleries[name]
        page = pages.page(title, text, name, groups(), {f"{name}/00000": {"task": "00000:000", "solution": "a ball"}})
        assert page.count("\n### ") == page.count("-clip.webp") == count
        assert all(pages.parse(entry.docstring).idea for group in groups() for entry in group.entries)


def test_a_gallery_draws_only_what_is_out_of_date(tool, tmp_path: Path) -> None:
    drawing, gallery = tool("drawing"), tool("gallery")
    drawn: list[str] = []

    def draw(templates):
        for template in templates:
            drawn.append(template)
            yield template, drawing.Drawing("1:000", "a ball", noise(1)[0], noise(3), 10.0, lossless=True)

    first = drawing.Gallery("mine", {"1": "key", "2": "key"}, draw)
    gallery.make(first, tmp_path)
    gallery.make(first, tmp_path)
    assert drawn == ["1", "2"]
    (tmp_path / gallery.clip_path("mine", "1")).unlink()
    assert gallery.out_of_date(first, tmp_path) == ["1"]
    assert gallery.out_of_date(drawing.Gallery("mine", {"1": "key", "2": "other"}, draw), tmp_path) == ["1", "2"]


def test_a_clip_that_is_too_large_gets_fewer_frames_at_the_same_speed(tool, tmp_path: Path) -> None:
    clips = tool("clips")
    whole, small = tmp_path / "whole.webp", tmp_path / "small.webp"
    clips.write_clip(whole, noise(21), 10.0, lossless=True)
    assert clips.write_clip(small, noise(21), 10.0, lossless=True, max_bytes=9000) == small.stat().st_size
    assert small.stat().st_size <= 9000 < whole.stat().st_size
    assert clip_seconds(small) == pytest.approx(clip_seconds(whole), abs=0.3)


def clip_seconds(path: Path) -> float:
    total = 0.0
    with Image.open(path) as clip:
        for frame in range(clip.n_frames):
            clip.seek(frame)
            clip.load()
            total += clip.info["duration"]
    return total / 1000.0


def test_tables_name_the_machine_and_leave_empty_columns_out(tool, tmp_path: Path) -> None:
    path = tmp_path / "speed-gpu-x86_64.csv"
    path.write_text('figure,value,must,goal,note,machine\n"a | b",3,,,fine,Xeon\n', encoding="utf-8")
    section = tool("result_tables").section(path)
    assert "## Engine: speed (GPU, x86_64)" in section
    assert "Machine: Xeon." in section
    assert "| figure | value | note |\n| --- | --- | --- |\n| a \\| b | 3 | fine |" in section


def test_links_to_files_of_the_repository_become_links_of_the_site(tool) -> None:
    site_links = tool("root_pages").site_links
    readme = "[a](docs/phyre.md#sweeps) [b](LICENSE) [c](constraints.txt) [d](https://x.org) ![e](docs/images/e.webp)"
    assert site_links(readme, "") == "[a](phyre.md#sweeps) [b](licence.md) c [d](https://x.org) ![e](images/e.webp)"
    guide = "[a](../benchmarks/results) [b](phyq.md) [c](#x)"
    assert site_links(guide, "docs") == "[a](results.md) [b](phyq.md) [c](#x)"


def test_every_name_of_the_api_reference_exists(tool) -> None:
    api = tool("api_pages")
    for page in api.PAGES:
        text = api.page(page, ROOT / "src")
        assert text.count("\n::: ") >= len(page.modules)
        assert all(api.public_names(f"{page.package}.{module}", ROOT / "src") for module in page.modules)


def test_file_checks(tool, tmp_path: Path) -> None:
    checks: ModuleType = tool("check_files")
    for name, content, found in (
        ("good.txt", b"a\n", ""),
        ("empty.txt", b"", ""),
        ("binary.bin", b"\0a", ""),
        ("cut.txt", b"a", "exactly one line break"),
        ("long.txt", b"a\n\n", "exactly one line break"),
        ("large.bin", bytes(600_000), "600,000 bytes"),
    ):
        (tmp_path / name).write_bytes(content)
        assert found in checks.problem(tmp_path / name)
        assert bool(found) == bool(checks.problem(tmp_path / name))
    assert checks.main([str(tmp_path / "cut.txt")]) == 1
