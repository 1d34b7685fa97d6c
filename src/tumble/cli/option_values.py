"""What the text of command-line options stands for: lists, numbers, agents and their settings."""

import ast
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError
from tumble.runs.agent_registry import AgentRegistry, settings_of


class OptionError(TumbleError):
    """An option whose text can't be read."""


def split_list(text: str) -> list[str]:
    """The words between commas, each once."""
    words = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not words:
        raise OptionError(f"nothing is named by {text!r}")
    return words


def parse_numbers(text: str, what: str, largest: int | None = None) -> list[int]:
    """Numbers as in 0, 0,3,7 or 0-9."""
    numbers: list[int] = []
    for part in split_list(text):
        first, mark, last = part.partition("-")
        if not first.isdigit() or (mark and not last.isdigit()):
            raise OptionError(f"{what} must be a number, or several as in 0,3,7 or 0-9, not {text!r}")
        numbers += range(int(first), int(last if mark else first) + 1)
    if not numbers or (largest is not None and max(numbers) > largest):
        raise OptionError(f"no {what} {text}; there are 0 to {largest}")
    return list(dict.fromkeys(numbers))


def agents_with_settings(
    registry: AgentRegistry[Any], agents: str, settings: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every agent of a list with every combination of the given values (NAME=VALUE) of settings that it has."""
    names = [_agent_name(name) for name in split_list(agents)]
    values = _parse_settings(settings)
    known = {name: settings_of(registry.class_of(name)) for name in names}
    for setting in values:
        if not any(setting in own for own in known.values()):
            has = "; ".join(f"{name} has {', '.join(own) or 'none'}" for name, own in known.items())
            raise OptionError(f"no setting {setting!r}: {has}")
    for name in names:
        own = {setting: value for setting, value in values.items() if setting in known[name]}
        yield from ((name, dict(zip(own, combination, strict=True))) for combination in product(*own.values()))


def _agent_name(agent: str) -> str:
    """An agent's name; a file by its full path, so that its run can be resumed from another folder."""
    path, mark, kind = agent.rpartition(":")
    return f"{Path(path).resolve()}:{kind}" if mark and path.endswith(".py") else agent


def _parse_settings(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by setting, as in ranked=1000; a value that is no Python literal is text."""
    values: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name.strip().isidentifier():
            raise OptionError(f"--set takes NAME=VALUE, as in ranked=1000, not {text!r}")
        word = value.strip()
        try:
            parsed = ast.literal_eval(word.capitalize() if word in ("true", "false") else word)
        except (ValueError, SyntaxError):
            parsed = word
        values.setdefault(name.strip(), []).append(parsed)
    return values
