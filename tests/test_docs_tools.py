"""The programs that make the documentation's site and check files before a commit."""

import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

from tumble.phyq.catalogue.level import Block, Level, Pig, Platform
from tumble.phyq.catalogue.template import Change, Template
from tumble.phyq.catalogue.variation import InBox, Offset, Variation, block, pig

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
        assert page.count("**Departures**") == (75 if name == "phyq" else 0)


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


def test_every_table_is_on_the_page_of_its_theme_and_every_page_in_the_menu(tool) -> None:
    results = ROOT / "benchmarks" / "results"
    pages = tool("result_tables").pages(results)
    text = "\n".join(pages.values())
    assert all(text.count(f"File: `{file.name}`.") == 1 for file in results.glob("*.csv"))
    guides = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    menu = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*pages, *guides} <= {*menu}
    assert len(menu) == len({*menu})


def test_the_page_of_phyqs_templates_is_up_to_date(tool) -> None:
    pages = tool("phyq_templates")
    text = pages.PAGE.read_text(encoding="utf-8")
    again = "docs/reference/phyq-templates.md is out of date: run python tools/docs/phyq_templates.py"
    for part in (pages.INTRODUCTION, pages.RATES, pages.DEPARTURES, pages.counts(), pages.rules()):
        assert part in text, again
    rows = text.partition("| departures |\n")[2].partition("| mean")[0].splitlines()[1:]
    for row, own in zip(pages.summary(pages.Figures()).splitlines()[2:77], rows, strict=True):
        assert (row.split(" | ")[0], row.split(" | ")[-1]) == (own.split(" | ")[0], own.split(" | ")[-1]), again


def test_phyqs_templates_have_the_figures_of_the_tables(tool, tmp_path: Path) -> None:
    pages = tool("phyq_templates")
    (tmp_path / "phyq-agents-local-x86_64.csv").write_text(
        "figure,value,must,goal,note,machine\n"
        '"random, local, mean of templates, %",3.0,,,,Xeon\n"random, 3.1, %",12.4,,,,Xeon\n'
        '"pig_shooter, 1.1, %",33.0,,,published 74.6,Xeon\n',
        encoding="utf-8",
    )
    (tmp_path / "phyq-fixed-angles-x86_64.csv").write_text(
        "figure,value,must,goal,note,machine\n3.1,20% at 44 degrees,45%,,,Xeon\n", encoding="utf-8"
    )
    table = pages.summary(pages.read_figures(tmp_path))
    assert "| 1.1 | 75/33 | 92/- | 13/- | 45/- | - | - |" in table
    assert "| 3.1 | 0/- | 47/- | 47/- | 5/- | 12 | 20 % at 44° |" in table
    assert "| mean | 11/- |" in table, "a mean over some templates is no mean"
    assert table.endswith("Ours: `phyq-agents-local-x86_64.csv` and `phyq-fixed-angles-x86_64.csv`.")


def test_departures_from_a_published_level_in_words(tool) -> None:
    words = tool("phyq_departures")
    level = Level(
        birds=("red",),
        pigs=(Pig("small", 2.0, 1.0),),
        blocks=(Block("circle", "stone", 1.0, 2.0), Block("square_hole", "wood", 3.0, 2.0)),
        platforms=(Platform(0.0, 0.0, scale_x=2.0),),
    )
    first = Change(
        "It sank.",
        blocks={0: None, 1: Block("square_hole", "ice", 3.0, 2.25, 359.0)},
        platforms={0: Platform(0.0, 0.0, scale_x=3.0)},
        added=(Block("rect_tiny", "wood", 5.0, 1.0, 90.0),),
    )
    second = Change("It rolled.", pigs={0: Pig("small", 2.0004, 1.0)}, blocks={1: Block("rect_tiny", "wood", 5.5, 1.0)})
    varied = Variation(pig(0), InBox((-5.0, 9.25), (0.0, 1.0), "left"), offsets=(Offset((block(0),), x=(-1.0, 2.0)),))
    design = Template(
        "3.1", "Roll.", level, varied, changes=(first, second), variation_change="Wide.", fixed_angle_cap=0.4
    )
    assert list(words.departures(design)) == [
        (
            "It sank.",
            "block 0 (stone circle) removed; block 1 (wood square_hole): material wood→ice, y 2→2.25, angle 0→359"
            "; block 1 (wood rect_tiny) added at (5, 1), turned by 90°; platform 0 (1.28 x 0.64): width 1.28→1.92",
        ),
        ("It rolled.", "pig 0 (small): by less than 0.001; block 1 (wood rect_tiny): x 5→5.5, angle 90→0"),
        ("Wide.", "pig 0 at InBox(x -5 to 9.25, y 0 to 1, low_on left); block 0 further by x -1 to 2"),
    ]
    assert words.kinds(design) == "level, range, cap 40 %"
    assert words.settled_by(level, Change("It slid.", blocks={0: Block("circle", "stone", 1.03, 2.0, 9.0)})) == 0.03
    assert words.settled_by(level, Change("It is of ice.", blocks={0: Block("circle", "ice", 1.0, 2.0)})) is None


def test_rules_are_shortened(tool) -> None:
    shortened = tool("phyq_templates").shortened
    rule = (
        "block 0 or block 1 touches pig 2, pig 4, pig 5 or pig 6, then block 1 kills pig 2; block 1, block 2 or a fall"
    )
    assert shortened(rule) == "block 0 or 1 touches pig 2 or 4 to 6, then block 1 kills pig 2; block 1 or 2 or a fall"


def test_links_to_files_of_the_repository_become_links_of_the_site(tool) -> None:
    site_links = tool("root_pages").site_links
    readme = "[a](docs/guides/a.md#b) [b](LICENSE) [c](constraints.txt) [d](https://x.org) ![e](docs/images/e.webp)"
    assert site_links(readme, "") == "[a](guides/a.md#b) [b](licence.md) c [d](https://x.org) ![e](images/e.webp)"
    guide = "[a](../../benchmarks/results) [b](phyq.md) [c](#x) [d](../start/install.md) ![e](../images/e.webp)"
    there = "[a](../results.md) [b](phyq.md) [c](#x) [d](../start/install.md) ![e](../images/e.webp)"
    assert site_links(guide, "docs/guides") == there


def test_every_name_of_the_api_reference_exists(tool) -> None:
    api = tool("api_pages")
    for page in api.PAGES:
        text = api.page(page, ROOT / "src")
        assert text.count("\n::: ") >= len(page.modules)
        names = api.exported(page.package, ROOT / "src")
        assert [name for name in names if f"\n::: {page.package}.{name}\n" not in text] == []
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
