"""Parses the text of command-line options: lists, numbers, agents and their settings."""

import ast
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError
from tumble.runs.agent_registry import AgentRegistry, settings_of


class OptionError(TumbleError):
    """An option whose text can't be parsed."""


def split_list(text: str) -> list[str]:
    """The items of a comma-separated list, without duplicates."""
    items = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not items:
        raise OptionError(f"an empty list: {text!r}")
    return items


def parse_numbers(text: str, name: str, largest: int | None = None) -> list[int]:
    """The numbers of a list such as 0 or 0,3,7 or 0-9."""
    numbers: list[int] = []
    for part in split_list(text):
        first, mark, last = part.partition("-")
        if not first.isdigit() or (mark and not last.isdigit()):
            raise OptionError(f"{name} must be a number, or several as in 0,3,7 or 0-9, not {text!r}")
        numbers += range(int(first), int(last if mark else first) + 1)
    if not numbers or (largest is not None and max(numbers) > largest):
        raise OptionError(f"no {name} {text}; there are 0 to {largest}")
    return list(dict.fromkeys(numbers))


def agents_with_settings(
    registry: AgentRegistry[Any], agents: str, settings: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every agent of a list with every combination of the values (NAME=VALUE) of its settings."""
    names = [_agent_name(name) for name in split_list(agents)]
    values = _parse_settings(settings)
    allowed = {name: settings_of(registry.class_of(name)) for name in names}
    for setting in values:
        if not any(setting in settings for settings in allowed.values()):
            known = "; ".join(f"{name} has {', '.join(settings) or 'none'}" for name, settings in allowed.items())
            raise OptionError(f"no setting {setting!r}: {known}")
    for name in names:
        used = {setting: value for setting, value in values.items() if setting in allowed[name]}
        yield from ((name, dict(zip(used, combination, strict=True))) for combination in product(*used.values()))


def single_settings(settings: Sequence[str]) -> dict[str, Any]:
    """The values of settings NAME=VALUE of which each has one value."""
    values = _parse_settings(settings)
    for name, given in values.items():
        if len(given) != 1:
            raise OptionError(f"setting {name!r} has {len(given)} values; here it takes one")
    return {name: given[0] for name, given in values.items()}


def _agent_name(agent: str) -> str:
    """The agent's name; files get their absolute path, so that a run can be resumed from another folder."""
    path, mark, kind = agent.rpartition(":")
    return f"{Path(path).resolve()}:{kind}" if mark and path.endswith(".py") else agent


def _parse_settings(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by setting, as in ranked=1000; a value that is not a Python literal is text."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip().isidentifier():
            raise OptionError(f"--set takes NAME=VALUE, as in ranked=1000, not {text!r}")
        literal = value.strip()
        try:
            parsed = ast.literal_eval(literal.capitalize() if literal in ("true", "false") else literal)
        except (ValueError, SyntaxError):
            parsed = literal
        values.setdefault(name.strip(), []).append(parsed)
    return values
