"""Reading what others wrote: bounds on files, on what they unpack to, and on the values and arrays that they hold.

A small file can ask for a lot of memory: compressed data, repeated texts, nested lists, headers that announce arrays.
Every reader takes its bytes, JSON, compressed data and arrays from here, which refuse them before memory is taken.

| function | what it bounds |
| --- | --- |
| `read_bytes`, `read_text` | the size of a file, which must be a regular one |
| `json_value` | the memory of the values, their depth, and the digits of numbers; there are no NaN |
| `decompressed` | the size of what xz, lzma and gzip data unpack to, and the memory of the dictionary |
| `check_toml` | the depth of names in TOML |
| `zip_members` | the number of members of a zip file, how they are compressed, and what they unpack to |
| `arrays`, `array` | the sizes of NumPy's arrays, which are of plain numbers, flags or texts |
| `check_pickled_tensors` | the values of PyTorch's files, which are plain ones and tensors |
"""

import errno
import gc
import json
import lzma
import math
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from pickletools import genops
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from tumble.errors import TumbleError

MOST_BYTES = 1 << 28
"""Of a file that is read whole, unless its reader says otherwise."""
MOST_DEPTH = 100
"""Of lists and objects in JSON."""
MOST_DIGITS = 4000
"""Of a number in JSON."""
JSON_MEMORY = 1 << 29
"""Bytes that the values of a JSON text may take, as `json_memory` estimates them."""
LZMA_MEMORY = 1 << 26
"""Bytes of the dictionary of an xz or lzma file; xz's highest preset takes these."""
MOST_MEMBERS = 4096
"""Of a zip file."""
MOST_PICKLED_VALUES = 500_000
"""Of the pickled values of a file; the package's have at most 5,600."""
KNOWN_IN_PICKLES = ("collections OrderedDict", "torch._utils _rebuild_tensor_v2", "torch Size")
"""What pickled values may name, beside the storages of tensors."""
LONGEST_HEADER = 1 << 14
"""Bytes of the header of a NumPy array."""

_LIST, _OBJECT, _NAME_IN_OBJECT, _ITEM = 112, 200, 130, 40
"""Bytes of memory: of a list, an object, a name in an object, and of a further value within either."""
_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % MOST_DIGITS)
_QUOTED = re.compile(r""" "[^"]{0,200}" | '[^']{0,200}' """, re.VERBOSE)
_NAME = re.compile(r"[\w-]+")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1
_PLAIN_KINDS = frozenset("biufSU")
_HEADERS: dict[tuple[int, int], Callable[..., Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class BoundError(TumbleError):
    """Content that is larger than its reader allows, or of a kind that it does not read."""


def read_bytes(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file of at most `most` bytes; an OSError where it can't be opened."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))  # a pipe would block
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise BoundError("this is a device or a pipe, not a file")
        if status.st_size > most:
            raise BoundError(f"it has {status.st_size:,} bytes; at most {most:,} are read")
        content = bytearray()
        while part := stream.read(min(most + 1 - len(content), max(1 << 16, status.st_size + 1 - len(content)))):
            content += part
    if len(content) > most:  # it grew, or the system does not tell its size
        raise BoundError(f"it has more than {most:,} bytes, and no more are read")
    return bytes(content)


def read_text(path: str | Path, most: int = MOST_BYTES, encoding: str = "utf-8") -> str:
    """The text of a regular file of at most `most` bytes; a UnicodeDecodeError where it is none."""
    return read_bytes(path, most).decode(encoding).replace("\r\n", "\n").replace("\r", "\n")


def json_memory(text: bytes) -> int:
    """About the most bytes of memory that the values of a JSON text take."""
    containers = _LIST * text.count(b"[") + _OBJECT * text.count(b"{")
    return len(text) + containers + _NAME_IN_OBJECT * text.count(b":") + _ITEM * text.count(b",")


def json_value(
    text: bytes | str,
    most: int = JSON_MEMORY,
    hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    finite: bool = True,
) -> Any:
    """The value of a JSON text; a ValueError (often a BoundError) where it is none, too deep, too large or not finite.

    `hook` makes the value of each object of its pairs. Without `finite`, NaN and infinities are read, for readers that
    refuse them by the name of the field.

    >>> json_value('{"steps": [1, 2]}')
    {'steps': [1, 2]}
    >>> json_value("[" * 1000)
    Traceback (most recent call last):
    tumble.bounded.BoundError: this JSON is nested too deeply: at most 100 levels are read
    """
    check_json(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, most)
    try:
        return json.loads(text, object_pairs_hook=hook, parse_constant=_no_constant if finite else None)
    except RecursionError:
        raise BoundError("this JSON is nested too deeply") from None


def check_json(raw: bytes, most: int = JSON_MEMORY) -> None:
    """Raises a BoundError for a text whose values, if it is JSON, are too many or too deep; it is not parsed."""
    if raw[:1] in (b"\xff", b"\xfe", b"\0") or raw[1:2] == b"\0":  # as json.loads detects them
        raise BoundError("this JSON is not in UTF-8")
    if json_memory(raw) > most:
        raise BoundError(f"this JSON has too many values: they would take more than {most >> 20} MiB of memory")
    _check_depth(raw)
    if not _digits_are_bounded() and _LONG_NUMBER.search(raw):
        raise BoundError(f"this JSON has a number of {MOST_DIGITS:,} digits or more")


def _check_depth(raw: bytes) -> None:
    """Raises a BoundError for JSON that is nested too deeply for code that calls itself at each level."""
    if raw.count(b"[") + raw.count(b"{") <= MOST_DEPTH:
        return
    if _depth(raw) > MOST_DEPTH and _depth(_STRING.sub(b"", raw)) > MOST_DEPTH:  # the first counts brackets of texts
        raise BoundError(f"this JSON is nested too deeply: at most {MOST_DEPTH} levels are read")


def _depth(raw: bytes) -> int:
    """The deepest level of the brackets of a text, counted in parts, so that little memory is needed."""
    deepest = level = 0
    for start in range(0, len(raw), 1 << 18):
        levels = np.cumsum(_STEPS[np.frombuffer(raw[start : start + (1 << 18)], np.uint8)], dtype=np.int32)
        deepest = max(deepest, level + int(levels.max()))
        level += int(levels[-1])
    return deepest


def _digits_are_bounded() -> bool:
    """Whether Python refuses texts of whole numbers with very many digits, which take long."""
    most: Callable[[], int] = getattr(sys, "get_int_max_str_digits", lambda: 0)
    return 0 < most() <= 10 * MOST_DIGITS


def _no_constant(name: str) -> Any:
    raise BoundError(f"{name} is no JSON")


def check_toml(text: str) -> None:
    """Raises a BoundError for a TOML text with names of very many parts, each of which costs as much as all before it.

    >>> check_toml("a.b.c = 1")
    """
    for line in text.splitlines():
        if line.count(".") <= MOST_DEPTH:
            continue
        parts = 0
        for part in _QUOTED.sub("q", line).split("."):
            parts = parts + 1 if _NAME.fullmatch(part.strip()) else 0
            if parts > MOST_DEPTH:
                raise BoundError(f"this TOML is nested too deeply: at most {MOST_DEPTH} levels are read")


@contextmanager
def without_collection() -> Iterator[None]:
    """No search for unreachable objects meanwhile, which takes half of the time in which a million objects are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def decompressed(content: bytes, most: int, kind: str = "xz") -> bytes:
    """What data of "xz" (also lzma) or "gzip" unpack to; a BoundError where that is more than `most` bytes."""
    try:
        if kind == "gzip":
            gzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
            plain, is_whole, rest = gzip.decompress(content, most + 1), gzip.eof, gzip.unused_data
        else:
            xz = lzma.LZMADecompressor(memlimit=LZMA_MEMORY + (1 << 20))
            plain, is_whole, rest = xz.decompress(content, most + 1), xz.eof, xz.unused_data.strip(b"\0")
    except (zlib.error, lzma.LZMAError) as error:
        raise BoundError(f"it is not compressed with {kind}, or damaged ({error})") from None
    if len(plain) > most:
        raise BoundError(f"it unpacks to more than {most:,} bytes")
    if not is_whole or rest:
        raise BoundError("it is truncated, or something else follows")
    return plain


def zip_members(content: bytes, most: int) -> dict[str, bytes]:
    """The members of a zip file by name; a BoundError where they are too many or unpack to more than `most` bytes."""
    try:
        with ZipFile(BytesIO(content)) as file:
            infos = file.infolist()
            check_members(infos, most)
            return {info.filename: file.read(info) for info in infos}
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, KeyError) as error:
        raise BoundError(f"it is no zip file, or a damaged one ({error})") from None


def check_members(infos: list[ZipInfo], most: int, kinds: tuple[int, ...] = (ZIP_STORED, ZIP_DEFLATED)) -> None:
    """Raises a BoundError for members that are too many, too large together, or packed in another way."""
    if len(infos) > MOST_MEMBERS:
        raise BoundError(f"it has {len(infos):,} members; at most {MOST_MEMBERS:,} are read")
    if len({info.filename for info in infos}) < len(infos):
        raise BoundError("two of its members have the same name")
    if any(info.compress_type not in kinds or info.flag_bits & 1 for info in infos):
        raise BoundError("its members are packed in a way that is not read")
    if sum(info.file_size for info in infos) > most:
        raise BoundError(f"it unpacks to more than {most:,} bytes")


def arrays(content: bytes, most: int) -> dict[str, np.ndarray]:
    """The arrays of an .npz file by name, which take at most `most` bytes together."""
    members = zip_members(content, most)
    return {name.removesuffix(".npy"): array(member, most) for name, member in members.items()}


def array(content: bytes, most: int = MOST_BYTES) -> np.ndarray:
    """The array of an .npy file, of plain numbers, flags or texts, which takes at most `most` bytes."""
    stream = BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        shape, by_column, kind = _HEADERS[version](stream, max_header_size=LONGEST_HEADER)
    except Exception as error:  # NumPy does not document what a damaged header raises
        raise BoundError(f"it is no NumPy array, or a damaged one ({error})") from None
    size = math.prod(shape) * kind.itemsize
    if kind.kind not in _PLAIN_KINDS or kind.subdtype is not None or not kind.itemsize:
        raise BoundError(f"its arrays must be of numbers or texts, not of {str(kind)[:40]}")
    if not 0 <= size <= most:
        raise BoundError(f"it has an array of {size:,} bytes; at most {most:,} are read")
    start = stream.tell()
    if len(content) - start != size or any(side < 0 for side in shape):
        raise BoundError(f"it has {len(content) - start:,} bytes of an array of {size:,}")
    values = np.frombuffer(content, kind, offset=start) if size else np.zeros(0, kind)
    return values.reshape(shape[::-1]).T if by_column else values.reshape(shape)


def check_pickled_tensors(data: bytes) -> None:
    """Raises a BoundError unless data are what PyTorch writes of plain values and tensors.

    PyTorch's `weights_only` lets a file make more than that, such as arrays of bytes of any size, and unpacks
    compressed parts.
    """
    try:
        with ZipFile(BytesIO(data)) as file:
            check_members(file.infolist(), len(data), (ZIP_STORED,))
            names = [name for name in file.namelist() if name.endswith("/data.pkl")]
            values = b"".join(map(file.read, names[:1]))
        for number, (code, value, _) in enumerate(genops(values), 1):
            if number > MOST_PICKLED_VALUES:
                raise BoundError(f"it has more than {MOST_PICKLED_VALUES:,} values")
            if code.name in ("GLOBAL", "STACK_GLOBAL", "INST") and not _is_known_in_pickles(code.name, value):
                raise BoundError(f"it names {value!s:.60}, which is no tensor")
    except (BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError, LookupError) as error:
        raise BoundError(str(error)) from None


def _is_known_in_pickles(code: str, name: object) -> bool:
    """Whether a pickle may name something: tensors, what they are stored in, and ordered tables."""
    return code == "GLOBAL" and (
        name in KNOWN_IN_PICKLES or (str(name).startswith("torch ") and str(name).endswith("Storage"))
    )
