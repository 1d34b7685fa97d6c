"""Checkpoints of DQNs."""

from pathlib import Path
from typing import Any

from tumble.learning import checkpoint
from tumble.phyre.agents import AgentError

FORMAT = "tumble-dqn-3"
PARTS: dict[str, type] = {"settings": dict, "network": dict, "step": int}
"""What every checkpoint holds."""


def save(path: str | Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint."""
    checkpoint.save(path, {"format": FORMAT, **content})


def load(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint; its tensors are on the CPU."""
    return checkpoint.load(path, FORMAT, PARTS, AgentError)


def settings_of(path: str | Path) -> dict[str, Any]:
    """The settings of the agent that wrote a checkpoint."""
    settings: dict[str, Any] = load(path)["settings"]
    return settings


def check_matches(path: str | Path, content: dict[str, Any], expected: dict[str, dict[str, Any]]) -> None:
    """Raises an AgentError that names the first difference between a checkpoint and what is expected of it."""
    for part, values in expected.items():
        for name, value in values.items():
            stored = content[part].get(name)
            if stored != value:
                raise AgentError(f"{path} was made with {name} {stored}, and this is {value}; use another checkpoint")


def export_half_precision(path: str | Path, target: str | Path) -> None:
    """Writes a checkpoint of finished training in half precision, small enough to ship."""
    content = load(path)
    if content["step"] < content["settings"]["updates"]:
        raise AgentError(f"{path}: training has not finished; finish it before exporting")
    save(target, {**content, "network": checkpoint.half_precision(content["network"])})
