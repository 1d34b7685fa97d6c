"""The options of a selection: what prompts depend on besides the mode, as one text in the settings of a run."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from tumble.llm.puzzle import PuzzleError


def options_text(options: Mapping[str, Any]) -> str:
    """Options as a text.

    >>> options_text({"frames": 8, "width": 160})
    'frames 8, width 160'
    """
    return ", ".join(f"{name} {value}" for name, value in options.items())


def read_options(text: str) -> dict[str, Any]:
    """The options of a text; whole numbers are numbers.

    >>> read_options("grid 5x5x5, frames 8")
    {'grid': '5x5x5', 'frames': 8}
    """
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, mark, value = part.partition(" ")
        if not mark or name in found:
            raise PuzzleError(f"options are names with a value each, as in frames 8, width 160, not {text!r}")
        found[name] = int(value) if value.strip().isdigit() else value.strip()
    return found


def selection_problem(error: ValidationError, selection: type[BaseModel]) -> str:
    """What is wrong with a selection, in words."""
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return f"there is no setting {name!r}; there are {', '.join(selection.model_fields)}"
    return f"{name}: {first['msg']}" if name else str(first["msg"])
