"""Checkpoints of DQNs."""

from pathlib import Path
from typing import Any

from tumble.learning import checkpoint
from tumble.runs.agent_registry import AgentError

FORMAT = "tumble-dqn-3"
FORMER_FORMAT = "tumble-dqn-2"
"""Of networks that were not yet members of an ensemble."""
LATER_SETTINGS = {"pooled": False, "dense": 0.0, "pairs": False}
"""Settings that earlier checkpoints don't have, and what these were made with."""
FORMER_SETTINGS = {"ordered": False, "mined": 0}
"""Settings that only earlier checkpoints have, and the only value that networks can still be made with."""
PARTS: dict[str, type] = {"settings": dict, "network": dict, "step": int}
"""What every checkpoint holds."""


def save(path: str | Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint."""
    checkpoint.save(path, {"format": FORMAT, **content})


def load(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint; its tensors are on the CPU."""
    content = checkpoint.load(path, (FORMAT, FORMER_FORMAT), PARTS, AgentError)
    content = _upgraded(content) if content["format"] == FORMER_FORMAT else content
    check_matches(path, {"settings": {**FORMER_SETTINGS, **content["settings"]}}, {"settings": FORMER_SETTINGS})
    settings = {name: value for name, value in content["settings"].items() if name not in FORMER_SETTINGS}
    return {**content, "settings": {**LATER_SETTINGS, **settings}}


def _upgraded(content: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint of the former format as one of this."""
    if "generator" in content:
        raise AgentError("training of an earlier version of Tumble can't be resumed; use another checkpoint")
    network = {f"members.0.{name}": value for name, value in content["network"].items()}
    settings = {**content["settings"], "members": 1, "mutated": 0}
    return {**content, "format": FORMAT, "settings": settings, "network": network}


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
