"""What the options of `evaluate` commands stand for: lists, numbers, agents and the settings that they run with."""

import ast
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tumble.runs.agent_registry import settings_of


def listed(text: str) -> list[str]:
    """Words between commas, each once."""
    found = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise ValueError(f"nothing is named by {text!r}")
    return found


def agent_name(agent: str) -> str:
    """An agent's name; a file by its full path, so that its run can be resumed from elsewhere."""
    path, mark, kind = agent.rpartition(":")
    return f"{Path(path).resolve()}:{kind}" if mark and path.endswith(".py") else agent


def numbers(text: str, what: str, largest: int | None = None) -> list[int]:
    """Numbers as in 0, 0,3,7 or 0-9."""
    found: list[int] = []
    for part in listed(text):
        first, mark, last = part.partition("-")
        if not first.isdigit() or (mark and not last.isdigit()):
            raise ValueError(f"{what} must be a number, or several as in 0,3,7 or 0-9, not {text!r}")
        found += range(int(first), int(last if mark else first) + 1)
    if not found or (largest is not None and max(found) > largest):
        raise ValueError(f"no {what} {text}; there are 0 to {largest}")
    return list(dict.fromkeys(found))


def given_values(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by the names of settings, as in ranked=1000; what is no value of Python is text."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip().isidentifier():
            raise ValueError(f"--set takes NAME=VALUE, as in ranked=1000, not {text!r}")
        word = value.strip()
        try:
            read = ast.literal_eval(word.capitalize() if word in ("true", "false") else word)
        except (ValueError, SyntaxError):
            read = word
        found.setdefault(name.strip(), []).append(read)
    return found


def combined_settings(
    names: Sequence[str], given: dict[str, list[Any]], class_of: Callable[[str], type[Any]]
) -> dict[str, list[dict[str, Any]]]:
    """For each agent all combinations of the given values that it takes."""
    known = {name: settings_of(class_of(name)) for name in names}
    for setting in given:
        if not any(setting in own for own in known.values()):
            has = "; ".join(f"{name} has {', '.join(own) or 'none'}" for name, own in known.items())
            raise ValueError(f"no setting {setting!r}: {has}")
    combined = {}
    for name in names:
        own = {setting: values for setting, values in given.items() if setting in known[name]}
        combined[name] = [dict(zip(own, values, strict=True)) for values in product(*own.values())]
    return combined
