"""The examples in docstrings give what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

from imports import module_of

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tumble"
EXAMPLES = [
    module_of(file, SOURCE) for file in sorted(SOURCE.rglob("*.py")) if ">>> " in file.read_text(encoding="utf-8")
]
FEWEST = 20


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= FEWEST


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_docstrings(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted
    assert not result.failed
