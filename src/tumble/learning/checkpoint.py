"""Checkpoint files of networks: one format for all, also for the weights that come with the package.

A checkpoint is written whole or not at all, and rejected if it is damaged or of another kind. The file is what PyTorch
writes, followed by a digest of it:

    format, name, config, seed, data, budget    what was trained, how and on what
    network, extra                              weights, and what else a trained model needs, such as a vocabulary
    step, seconds, finished, curve, interval    the progress
    pending, state                              only until it is finished: what training resumes from

Exported weights are in half precision, and have neither a curve nor what training resumes from.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import torch

from tumble.bounded import BoundError, check_pickled_tensors, read_bytes
from tumble.learning.settings import TrainingError
from tumble.scene.files import whole_file

FORMAT = "tumble-network-1"
PARTS: dict[str, type] = {
    "name": str,
    "config": dict,
    "seed": int,
    "data": str,
    "budget": dict,
    "network": dict,
    "extra": dict,
    "step": int,
    "seconds": float,
    "finished": bool,
}
"""What every checkpoint holds, exported weights too."""
MOST_CHECKPOINT_BYTES = 1 << 33
"""Of a file."""
MOST_SHARING = 4
"""How often tensors may show the bytes of a file, on average."""
DIGEST_TRAILER = b"\nsha256 "
"""Stands before the digest at the end of a file."""
DIGEST_TRAILER_BYTES = len(DIGEST_TRAILER) + sha256().digest_size


def write_checkpoint(path: str | Path, content: Mapping[str, Any]) -> None:
    """Writes a checkpoint; `content` has the parts of the format."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    buffer = BytesIO()
    torch.save({"format": FORMAT, **content}, buffer)
    with whole_file(target) as temporary, temporary.open("wb") as stream:
        stream.write(checkpoint_bytes(buffer.getvalue()))
        stream.flush()
        os.fsync(stream.fileno())


def checkpoint_bytes(data: bytes) -> bytes:
    """The content of a checkpoint file, from the bytes that PyTorch writes."""
    return data + DIGEST_TRAILER + sha256(data).digest()


def read_checkpoint(path: str | Path) -> dict[str, Any]:
    """Reads a checkpoint of any model, with its tensors on the CPU."""
    try:
        raw = read_bytes(path, MOST_CHECKPOINT_BYTES)
    except BoundError as problem:
        raise TrainingError(f"{path}: {problem}") from None
    except OSError as problem:
        raise TrainingError(f"{path}: {problem.strerror}") from None
    data = raw[:-DIGEST_TRAILER_BYTES]
    if checkpoint_bytes(data) != raw:
        raise TrainingError(f"{path}: no checkpoint, or a damaged one: it does not end with its digest")
    try:
        check_pickled_tensors(data)
    except BoundError as problem:
        raise TrainingError(f"{path}: no checkpoint, or a damaged one: {problem}") from None
    try:
        content = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # PyTorch does not document what a damaged file raises
        raise TrainingError(f"{path}: no checkpoint, or a damaged one ({type(problem).__name__})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise TrainingError(f"{path}: not a checkpoint of this version: its format is not {FORMAT}")
    if _tensor_bytes(content) > MOST_SHARING * len(data):
        raise TrainingError(f"{path}: no checkpoint, or a damaged one: its tensors are larger than the file")
    wrong = next((name for name, kind in PARTS.items() if not isinstance(content.get(name), kind)), None)
    if wrong is not None:
        raise TrainingError(f"{path}: its {wrong!r} is missing or of the wrong type")
    return content


def load_network(path: str | Path, name: str) -> dict[str, Any]:
    """The content of a network's checkpoint, finished or not, or of its exported weights."""
    content = read_checkpoint(path)
    if content["name"] != name:
        raise TrainingError(f"{path}: a checkpoint of {content['name']!r}, not of {name!r}")
    return content


def export_weights(path: str | Path, target: str | Path) -> None:
    """Writes the weights of a finished checkpoint in half precision, without its curve, small enough to ship."""
    content = read_checkpoint(path)
    if not content["finished"]:
        raise TrainingError(f"{path}: training has not finished; finish it before exporting")
    weights = {name: one.half() if one.is_floating_point() else one for name, one in content["network"].items()}
    write_checkpoint(target, {**{name: content[name] for name in PARTS}, "network": weights})


def _tensor_bytes(content: Any) -> int:
    """The bytes of all tensors in a value, however deep; a tensor may show the same bytes again and again."""
    size, waiting, seen = 0, [content], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, torch.Tensor):
            size += value.numel() * value.element_size()
        elif isinstance(value, Mapping | list | tuple) and id(value) not in seen:
            seen.add(id(value))
            waiting += value.values() if isinstance(value, Mapping) else value
    return size
