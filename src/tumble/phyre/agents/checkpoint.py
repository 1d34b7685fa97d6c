"""Checkpoints of training: files that are written whole or not at all, and rejected if they don't match."""

import os
from pathlib import Path
from typing import Any

import torch

from tumble.phyre.agents import AgentError
from tumble.scene.files import whole_file

FORMAT = "tumble-dqn-2"


def save(path: str | Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as temporary, temporary.open("wb") as stream:
        torch.save({"format": FORMAT, **content}, stream)
        stream.flush()
        os.fsync(stream.fileno())


def load(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint; its tensors are on the CPU."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise AgentError(f"{path}: {error.strerror}") from None
    except Exception as error:  # PyTorch does not document what a damaged file raises
        raise AgentError(f"{path}: no checkpoint, or a damaged one ({type(error).__name__})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise AgentError(f"{path}: not a checkpoint of this version: its format is not {FORMAT}")
    return content


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
    weights = {name: value.half() if value.is_floating_point() else value for name, value in content["network"].items()}
    save(target, {**content, "network": weights})
