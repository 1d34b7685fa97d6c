"""Checkpoints: files that are written whole or not at all, and rejected if they are damaged or of another kind.

A file is what PyTorch writes, followed by a digest of it.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from tumble.errors import TumbleError
from tumble.learning.errors import TrainingError
from tumble.scene.files import whole_file

TRAILER = b"\nsha256 "
"""Stands before the digest at the end of a file."""
TRAILER_BYTES = len(TRAILER) + sha256().digest_size


def save(path: str | Path, content: Mapping[str, Any]) -> None:
    """Writes a checkpoint; `content["format"]` names what it is."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    torch.save(dict(content), buffer)
    with whole_file(target) as temporary, temporary.open("wb") as stream:
        stream.write(with_digest(buffer.getvalue()))
        stream.flush()
        os.fsync(stream.fileno())


def with_digest(data: bytes) -> bytes:
    """The content of a checkpoint file, from the bytes that PyTorch writes."""
    return data + TRAILER + sha256(data).digest()


def load(
    path: str | Path,
    file_format: str | tuple[str, ...],
    parts: Mapping[str, type],
    error: type[TumbleError] = TrainingError,
) -> dict[str, Any]:
    """Reads a checkpoint of a format, or of one of several, with its tensors on the CPU.

    `parts` are the types of what it must hold.
    """
    formats = (file_format,) if isinstance(file_format, str) else file_format
    try:
        raw = Path(path).read_bytes()
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from None
    data = raw[:-TRAILER_BYTES]
    if with_digest(data) != raw:
        raise error(f"{path}: no checkpoint, or a damaged one: it does not end with its digest")
    try:
        content = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # PyTorch does not document what a damaged file raises
        raise error(f"{path}: no checkpoint, or a damaged one ({type(problem).__name__})") from None
    if not isinstance(content, dict) or content.get("format") not in formats:
        raise error(f"{path}: not a checkpoint of this version: its format is not {formats[0]}")
    wrong = next((name for name, kind in parts.items() if not isinstance(content.get(name), kind)), None)
    if wrong is not None:
        raise error(f"{path}: its {wrong!r} is missing or of the wrong type")
    return content


def half_precision(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights in half precision, to be shipped."""
    return {name: value.half() if value.is_floating_point() else value for name, value in weights.items()}
