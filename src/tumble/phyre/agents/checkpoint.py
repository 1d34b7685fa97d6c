"""Checkpoints of training: files that are written whole or not at all, and refused where they don't fit."""

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
    """Reads a checkpoint; its tensors come to the CPU."""
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise AgentError(f"{path}: {error.strerror}") from None
    except Exception as error:  # what a damaged file raises, PyTorch does not say
        raise AgentError(f"{path}: no checkpoint, or a damaged one ({type(error).__name__})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise AgentError(f"{path}: no checkpoint of ours: its format is not {FORMAT}")
    return content


def settings_of(path: str | Path) -> dict[str, Any]:
    """The settings with which an agent takes this checkpoint."""
    settings: dict[str, Any] = load(path)["settings"]
    return settings


def refuse_foreign(path: str | Path, content: dict[str, Any], expected: dict[str, dict[str, Any]]) -> None:
    """An error that says what is different, where a checkpoint was made otherwise than expected."""
    for part, values in expected.items():
        for name, value in values.items():
            found = content[part].get(name)
            if found != value:
                raise AgentError(f"{path} was made with {name} {found}, and this is {value}; use another checkpoint")


def shrink(path: str | Path, target: str | Path) -> None:
    """Writes a checkpoint of finished training in half precision, small enough to ship."""
    content = load(path)
    if content["step"] < content["settings"]["updates"]:
        raise AgentError(f"{path}: training has not finished, so there is nothing to ship")
    weights = {name: value.half() if value.is_floating_point() else value for name, value in content["network"].items()}
    save(target, {**content, "network": weights})
