"""The documentation: its examples run as they are printed, and its links lead to files and headings that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = [
    "README.md",
    *(f"docs/{name}.md" for name in ("agents", "comphy", "engine", "phyq", "phyq-agents", "phyq-physics", "phyre")),
    *(f"docs/{name}.md" for name in ("from-phyre", "sessions", "tasks-and-scenes", "tutorial")),
    *(f"docs/{name}.md" for name in ("leaderboard", "studies")),
]
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
FENCED = re.compile(r"```.*?```", re.DOTALL)


@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert blocks, f"{page} has no example"
    for block in list(blocks):
        named = re.match(r"# (\w+\.py)\n", block)
        if named:  # a file that the other blocks use
            (tmp_path / named[1]).write_text(block, encoding="utf-8")
            blocks.remove(block)
    program = tmp_path / "example.py"  # a file, because Warp reads the source of the rules it compiles
    program.write_text("\n".join(blocks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), {"__name__": "example"})


def test_the_tutorial_quotes_all_of_its_agents_code() -> None:
    source = (ROOT / "docs" / "examples" / "push_agent.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    parts = [part for part in ast.parse(source).body if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    assert len(parts) >= 8
    for part in parts:
        assert ast.get_source_segment(source, part) in blocks, f"docs/tutorial.md does not quote {part.name}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    links = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text)
    for link in links:
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        path = (ROOT / page).parent / target if target else ROOT / page
        assert path.exists(), f"{page}: no file {target}"
        assert not anchor or anchor in anchors(path), f"{page}: no heading for {link}"


def test_the_benchmark_of_the_documentation_is_the_one_that_is_tested() -> None:
    plugin = (ROOT / "tests" / "plugin" / "tumble_throw.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        assert block.strip() in plugin
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert toml == (ROOT / "tests" / "plugin" / "pyproject.toml").read_text(encoding="utf-8")
