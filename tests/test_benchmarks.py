"""The programs in `benchmarks/` import only what the package has, and keep rows that are not measured again."""

import ast
import csv
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import table

PROGRAMS = Path(__file__).resolve().parent.parent / "benchmarks"


def imported(file: Path) -> list[tuple[str, str]]:
    """The names that a program imports from modules of the package, also inside functions."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return [
        (node.module, alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tumble"
        for alias in node.names
    ]


def missing(module: str, name: str) -> bool:
    """Whether a module of the package lacks a name; one that needs an extra that is not installed is not looked at."""
    try:
        return not hasattr(import_module(module), name) and find_spec(f"{module}.{name}") is None
    except ModuleNotFoundError as error:
        return (error.name or "").startswith("tumble")


@pytest.mark.parametrize("file", sorted(PROGRAMS.rglob("*.py")), ids=lambda file: file.stem)
def test_imports_exist(file: Path) -> None:
    assert [name for name in imported(file) if missing(*name)] == []


def test_rows_that_are_not_measured_again_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    first, second = table.Results("first"), table.Results("second")
    first.add("a", "1")
    first.add("b", "1", note="kept, with a comma")
    first.finish("parts")
    second.add("a", "2")
    second.keep_others("parts")
    second.finish("parts")
    with table.csv_path("parts").open(newline="") as stream:
        rows: list[Mapping[str, Any]] = list(csv.DictReader(stream))
    assert [(row["figure"], row["value"], row["note"]) for row in rows] == [
        ("b", "1", "kept, with a comma"),
        ("a", "2", ""),
    ]
