"""Checkpoints of training: files that are written whole or not at all, and rejected if they are damaged or don't match.

A file is what PyTorch writes, followed by a digest of it.
"""

import os
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from tumble.phyre.agents import AgentError
from tumble.scene.files import whole_file

FORMAT = "tumble-dqn-2"
TRAILER = b"\nsha256 "
"""Stands before the digest at the end of a file."""
TRAILER_BYTES = len(TRAILER) + sha256().digest_size
PARTS: dict[str, type] = {"settings": dict, "network": dict, "step": int}
"""What every checkpoint holds."""


def save(path: str | Path, content: dict[str, Any]) -> None:
    """Writes a checkpoint."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    torch.save({"format": FORMAT, **content}, buffer)
    with whole_file(target) as temporary, temporary.open("wb") as stream:
        stream.write(with_digest(buffer.getvalue()))
        stream.flush()
        os.fsync(stream.fileno())


def with_digest(data: bytes) -> bytes:
    """The content of a checkpoint file, from the bytes that PyTorch writes."""
    return data + TRAILER + sha256(data).digest()


def load(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint; its tensors are on the CPU."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise AgentError(f"{path}: {error.strerror}") from None
    data = raw[:-TRAILER_BYTES]
    if with_digest(data) != raw:
        raise AgentError(f"{path}: no checkpoint, or a damaged one: it does not end with its digest")
    try:
        content = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as error:  # PyTorch does not document what a damaged file raises
        raise AgentError(f"{path}: no checkpoint, or a damaged one ({type(error).__name__})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise AgentError(f"{path}: not a checkpoint of this version: its format is not {FORMAT}")
    wrong = next((name for name, kind in PARTS.items() if not isinstance(content.get(name), kind)), None)
    if wrong is not None:
        raise AgentError(f"{path}: no checkpoint of a DQN: its {wrong!r} is missing or of the wrong type")
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
