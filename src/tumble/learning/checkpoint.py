"""Checkpoints: files that are written whole or not at all, and rejected if they are damaged or of another kind.

A file is what PyTorch writes, followed by a digest of it.
"""

import os
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from pickletools import genops
from typing import Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import torch

from tumble.bounded import BoundError, check_members, read_bytes
from tumble.errors import TumbleError
from tumble.learning.errors import TrainingError
from tumble.scene.files import whole_file

MOST_BYTES = 1 << 33
"""Of a file."""
SHARED = 4
"""How often tensors may show the bytes of a file, on average."""
MOST_CODES = 500_000
"""Of the pickled values of a file; the package's have at most 5,600."""
KNOWN = ("collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch Size")
"""What pickled values may name, beside the storages of tensors."""
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
        raw = read_bytes(path, MOST_BYTES)
    except BoundError as problem:
        raise error(f"{path}: {problem}") from None
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from None
    data = raw[:-TRAILER_BYTES]
    if with_digest(data) != raw:
        raise error(f"{path}: no checkpoint, or a damaged one: it does not end with its digest")
    try:
        _check_content(data)
    except BoundError as problem:
        raise error(f"{path}: no checkpoint, or a damaged one: {problem}") from None
    try:
        content = torch.load(BytesIO(data), map_location="cpu", weights_only=True)
    except Exception as problem:  # PyTorch does not document what a damaged file raises
        raise error(f"{path}: no checkpoint, or a damaged one ({type(problem).__name__})") from None
    if not isinstance(content, dict) or content.get("format") not in formats:
        raise error(f"{path}: not a checkpoint of this version: its format is not {formats[0]}")
    if _tensor_bytes(content) > SHARED * len(data):
        raise error(f"{path}: no checkpoint, or a damaged one: its tensors are larger than the file")
    wrong = next((name for name, kind in parts.items() if not isinstance(content.get(name), kind)), None)
    if wrong is not None:
        raise error(f"{path}: its {wrong!r} is missing or of the wrong type")
    return content


def _check_content(data: bytes) -> None:
    """Raises a BoundError unless data are what PyTorch writes of plain values and tensors.

    `weights_only` lets a file make more than that, such as arrays of bytes of any size, and unpacks compressed parts.
    """
    try:
        with ZipFile(BytesIO(data)) as file:
            check_members(file.infolist(), len(data), (ZIP_STORED,))
            names = [name for name in file.namelist() if name.endswith("/data.pkl")]
            values = b"".join(map(file.read, names[:1]))
        for number, (code, value, _) in enumerate(genops(values), 1):
            if number > MOST_CODES:
                raise BoundError(f"it has more than {MOST_CODES:,} values")
            if code.name in ("GLOBAL", "STACK_GLOBAL", "INST") and not _is_known(code.name, value):
                raise BoundError(f"it names {value!s:.60}, which is no tensor")
    except (BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError, LookupError) as error:
        raise BoundError(str(error)) from None


def _is_known(code: str, name: object) -> bool:
    """Whether a pickle may name something: tensors, what they are stored in, and ordered tables."""
    return code == "GLOBAL" and (name in KNOWN or (str(name).startswith("torch ") and str(name).endswith("Storage")))


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


def half_precision(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights in half precision, to be shipped."""
    return {name: value.half() if value.is_floating_point() else value for name, value in weights.items()}
