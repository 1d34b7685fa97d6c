"""What experiments of all benchmarks have in common: names and headers of their logs, and going on with these."""

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from tumble.runs.log import SUFFIX, Log, LogError, Row

E = TypeVar("E")

Told = Callable[[int, int], None]
"""Called with tasks finished and tasks in all."""


class ExperimentError(ValueError):
    """An experiment that can't be made, and why."""


def with_tuples(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of an agent as they were given, as JSON has no tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}


def plain(header: Mapping[str, Any]) -> Row:
    """A header as it will be read again."""
    found: Row = json.loads(json.dumps(header, default=str))
    return found


def log_name(identity: Mapping[str, Any], *words: object) -> str:
    """The name of a log: readable words, and a digest that is different for different experiments."""
    digest = sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:8]
    return f"{'-'.join(map(str, words))}-{digest}{SUFFIX}"


def agent_word(agent: str) -> str:
    """An agent in the name of a log: its name, or that of its file."""
    return Path(agent.partition(":")[0]).stem


def from_header(kind: Callable[..., E], header: Row, benchmark: str, title: str) -> E:
    """The experiment of a log; its fields are in the header, what the agent was given as "given"."""
    if header.get("benchmark") != benchmark:
        raise ExperimentError(f"not a run of {title} but of {header.get('benchmark')!r}")
    names = getattr(kind, "__dataclass_fields__", {})
    try:
        known = {name: header[name] for name in names if name != "settings" and name in header}
        return kind(**known, settings=header["given"])
    except KeyError as error:
        raise ExperimentError(f"its header lacks {error}") from None
    except (TypeError, AttributeError) as error:
        raise ExperimentError(f"its header is damaged: {error}") from None


def check_header(log: Log, experiment_of: Callable[[Row], object], needed: Sequence[str]) -> None:
    """Refuses a log whose header does not say what has to be known."""
    try:
        experiment_of(log.header)
    except ExperimentError as error:
        raise LogError(f"{log.path}: {error}") from None
    lacking = next((name for name in needed if name not in log.header), None)
    if lacking is not None:
        raise LogError(f"{log.path}: its header lacks {lacking!r}")


def check_physics(log: Log, physics: str) -> None:
    """Refuses a log of other physics."""
    if log.header.get("physics") != physics:
        raise LogError(f"{log.path} was made with physics {log.header.get('physics')}, this is {physics}")
