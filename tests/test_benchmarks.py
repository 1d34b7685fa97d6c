"""The programs in `benchmarks/` import only what the package has."""

import ast
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

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
