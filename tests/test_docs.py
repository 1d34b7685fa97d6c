"""The documentation: its examples run as they are printed, and its links lead to files and headings that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
]
NOT_RUN = ("comphy-div", "comphy-models", "comphy-real", "extending", "play")
"""Pages whose examples need data or a browser, or are run by another test."""
EXAMPLES = [
    page
    for page in PAGES
    if Path(page).stem not in NOT_RUN and "```python\n" in (ROOT / page).read_text(encoding="utf-8")
]
FENCED = re.compile(r"```.*?```", re.DOTALL)


@pytest.mark.parametrize("page", EXAMPLES)
def test_examples_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
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
    page = (ROOT / "docs" / "guides" / "tutorial.md").read_text(encoding="utf-8")
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    parts = [part for part in ast.parse(source).body if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    assert len(parts) >= 8
    for part in parts:
        assert ast.get_source_segment(source, part) in blocks, f"docs/guides/tutorial.md does not quote {part.name}"


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
    page = (ROOT / "docs" / "guides" / "extending.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 6
    for block in blocks:
        assert block.strip() in plugin
    (toml,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert toml == (ROOT / "tests" / "plugin" / "pyproject.toml").read_text(encoding="utf-8")


SCORE_WORDS = re.compile(
    r"AUCCESS|Phy-Q score|[Pp]ass rate|[Pp]assed|[Aa]ccuracy|per option|Per cent of options|validation tasks|test tasks"
)
SCORE = re.compile(r"\|[^|]*\b\d+\.\d\b[^|]*(?=\|)")
NO_SCORES = (
    "| data | figure |",
    "| command | what it does |",
    "| option | meaning |",
    "| variant | Datalab: blocks | pigs | passes | PigShooter: blocks | passes | random |",
    "| file | random actions on a task | solved by, random; variations | mutations |",
    "| questions | share | published | number by options |",
    "| where | what is shown | what it means |",
)
"""How the headings of tables begin that stand beside scores and have none."""
NO_SCORE = "-"
"""What stands in the column in rows that have none."""


def score_tables(text: str) -> list[tuple[list[str], str]]:
    """The lines of each table of a page that has scores, and the paragraph above it.

    A table has scores if it has two cells with a decimal point, and it or its section up to there names a score.
    """
    found = []
    lines = FENCED.sub("", text).splitlines()
    section = paragraph = 0
    number = 0
    while number < len(lines):
        if not lines[number].startswith("|"):
            if lines[number].startswith("#"):
                section = number
            if lines[number].strip() and not lines[number - 1].strip():
                paragraph = number
            number += 1
            continue
        begin = number
        while number < len(lines) and lines[number].startswith("|"):
            number += 1
        table = lines[begin:number]
        named = SCORE_WORDS.search("\n".join(lines[section:number]))
        if named and len(SCORE.findall("\n".join(table))) >= 2:
            above = [line for line in lines[paragraph:begin] if not line.startswith("|")]
            found.append((table, "\n".join(above)))
    return found


def without_given(text: str) -> list[str]:
    """The headings of a page's tables of scores that do not say what participants were given.

    A column `given` says it, in every row with a score, or the paragraph above, or a heading "given: …".
    """
    wrong = []
    for table, above in score_tables(text):
        if table[0].startswith(NO_SCORES):
            continue
        columns = [cell.strip() for cell in table[0].strip("|").split("|")]
        if "given" in columns:
            place = columns.index("given")
            cells = {row: row.strip("|").split("|")[place].strip() for row in table[2:] if SCORE.search(row)}
            said = all(cell and (cell != NO_SCORE or not SCORE_WORDS.search(row)) for row, cell in cells.items())
        else:
            said = "given: " in table[0] or re.search(r"\b[Gg]iven\b", above) is not None
        if not said:
            wrong.append(table[0])
    return wrong


@pytest.mark.parametrize("page", PAGES)
def test_scores_stand_beside_what_was_given(page: str) -> None:
    assert without_given((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_score_without_what_was_given_is_found() -> None:
    rows = "| agent | given | |\n| --- | --- | --- |\n| a | picture | 41.9 |\n| b | {} | 42.0 |\n"
    page = f"# A\n\nAUCCESS on fold 0.\n\n{rows}"
    assert without_given(page.format("boxes")) == []
    assert without_given(page.format("")) == ["| agent | given | |"]
    assert without_given(page.format(NO_SCORE)) == []
    assert without_given(page.replace("| b |", "| AUCCESS of b |").format(NO_SCORE)) == ["| agent | given | |"]
    without = page.replace("given", "what")
    assert without_given(without.format("boxes")) == ["| agent | what | |"]
    assert without_given(without.replace("fold 0.", "fold 0; given: pictures.").format("")) == []
    assert without_given(without.replace("AUCCESS on", "Seconds for").format("")) == []
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in PAGES]
    assert [heading for heading in NO_SCORES if not any(f"\n{heading}" in text for text in texts)] == []
