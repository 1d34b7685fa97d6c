"""The structure of the package in figures, read from its source."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

from imports import imports, module_of

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "tumble"
LISTS = ("templates", "categories")
"""Folders with a file for each entry of a list."""
SMALL = 40
"""Lines of a small file."""
CROWD = 15
"""Files of a folder that can be overlooked."""
READ_WHOLE = {
    "DQN": "tumble.phyre.agents.dqn",
    "explorer": "tumble.phyre.agents.explorer.agent",
    "see-and-simulate": "tumble.comphy.agents.see_and_simulate.agent",
    "shot-ranker": "tumble.phyq.agents.shot_ranker",
}
"""Agents by name, with the module from which all that they import is followed."""
APART = ("research", "reference")
"""Folders of docs/ that are looked up rather than read."""


@cache
def sources(folder: Path = SOURCE) -> dict[Path, str]:
    """The text of each Python file."""
    return {file: file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.py"))}


def count_lines(folder: Path = SOURCE) -> int:
    """Lines of Python."""
    return sum(len(text.splitlines()) for text in sources(folder).values())


def _is_in_list(file: Path) -> bool:
    return any(part in LISTS for part in file.parts)


def small_files() -> list[Path]:
    """Files of few lines that are neither `__init__` nor an entry of a list."""
    return [
        file
        for file, text in sources().items()
        if len(text.splitlines()) <= SMALL and file.name != "__init__.py" and not _is_in_list(file)
    ]


def import_lines() -> int:
    """Lines of import statements, also of those within functions."""
    return sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for text in sources().values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def crowded_folders() -> dict[str, int]:
    """Folders with many files, by their path."""
    counts = Counter(file.parent for file in sources() if not _is_in_list(file))
    return {str(folder.relative_to(SOURCE)): count for folder, count in counts.items() if count > CROWD}


def closure(module: str) -> dict[Path, int]:
    """The lines of a module and of all that it imports of its benchmark's agents and models, and of learning."""
    graph = imports(SOURCE)
    files = {module_of(file, SOURCE): file for file in sources()}
    seen, waiting = {module}, [module]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting += new
    package = module.split(".")[1]
    parts = (f"tumble.{package}.agents", f"tumble.{package}.models", "tumble.learning")
    found = [files[name] for name in seen if name.startswith(parts) and files[name].name != "__init__.py"]
    return {file: len(sources()[file].splitlines()) for file in found}


def pages() -> dict[Path, str]:
    """The text of each page of the documentation."""
    return {page: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").rglob("*.md"))}


def words() -> tuple[int, int]:
    """Words of all pages, and of those that are read rather than looked up."""
    counts = {page.relative_to(ROOT / "docs").parts[0]: 0 for page in pages()}
    for page, text in pages().items():
        counts[page.relative_to(ROOT / "docs").parts[0]] += len(text.split())
    return sum(counts.values()), sum(count for part, count in counts.items() if part not in APART)


def deep_imports() -> list[str]:
    """Imports in pages and README that are deeper than `tumble.PART`."""
    texts = [*pages().values(), (ROOT / "README.md").read_text(encoding="utf-8")]
    found = [line for text in texts for line in re.findall(r"(?:from|import) (tumble\.\w+\.[\w.]+)", text)]
    return [name for name in found if not name.startswith("tumble.phyre.compat")]
