"""JSON files: written atomically, and read with errors that name the file and the field."""

import gzip
import json
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from tumble.bounded import BoundError, decompressed, json_value, read_bytes
from tumble.errors import TumbleError
from tumble.scene.files import whole_file

GZIP_LEVEL = 3
"""Level 6 takes twice as long and saves a tenth."""
MOST_CONTENT, MOST_PER_BYTE = 1 << 23, 16
"""Bytes that a compressed file may unpack to, and further ones for each of its bytes; the counterfactual motions of a
set take 2.7 MB, packed to 0.8 MB."""
MOST_MEMORY, MEMORY_PER_BYTE = 1 << 26, 120
"""Bytes that the values of a file may take, likewise."""
MAX_SHOWN = 60
"""Characters of a value that an error shows."""


class DataError(TumbleError):
    """A file of a dataset that is missing, damaged or not what it should be."""


class Fault(NamedTuple):
    """Something wrong in a dataset: where, and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def write_json(path: Path, value: Any) -> None:
    """Writes a file atomically, compressed if its name ends in .gz; equal values give equal bytes."""
    write_text(path, json_text(value) + b"\n")


def json_text(value: Any) -> bytes:
    """The JSON text of a value, without spaces."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def write_text(path: Path, text: bytes) -> str:
    """Writes JSON text atomically, compressed if the file's name ends in .gz; returns the SHA-256 of the file."""
    content = gzip.compress(text, GZIP_LEVEL, mtime=0) if path.suffix == ".gz" else text
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_bytes(content)
    return sha256(content).hexdigest()


def read_json(path: Path) -> Any:
    """The content of a file."""
    try:
        content = read_bytes(path)
        size = len(content)
        if path.suffix == ".gz":
            content = decompressed(content, MOST_CONTENT + MOST_PER_BYTE * size, "gzip")
        return json_value(content, MOST_MEMORY + MEMORY_PER_BYTE * size, finite=False)  # readers name the field
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except BoundError as error:
        raise DataError(f"{path}: {error}") from None
    except ValueError as error:
        raise DataError(f"{path}: this is not JSON: {error}") from None
    except OSError as error:
        raise DataError(f"{path}: it can't be read: {error.strerror or error}") from None


class Record:
    """A JSON object with a name for its place in the file. Of several names for a field, the first present one counts.

    >>> Record({"seed": 7}, "dataset.json").integer("seed")
    7
    """

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise DataError(f"{where}: must be an object, not {abbreviate(value)}")
        self.value: dict[str, Any] = value
        self.where = where

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def get(self, *names: str) -> Any:
        """The value of a field."""
        for name in names:
            if name in self.value:
                return self.value[name]
        raise DataError(f"{self.where}: there is no field {' or '.join(map(repr, names))}")

    def integer(self, *names: str) -> int:
        """The value of a field that must be an integer."""
        value = self.get(*names)
        if not isinstance(value, int) or isinstance(value, bool):
            raise DataError(f"{self.where}: {names[0]} must be an integer, not {abbreviate(value)}")
        return value

    def text(self, *names: str) -> str:
        """The value of a field that must be a string."""
        value = self.get(*names)
        if not isinstance(value, str):
            raise DataError(f"{self.where}: {names[0]} must be a string, not {abbreviate(value)}")
        return value

    def answer(self, *names: str) -> str | None:
        """The value of a field that must be a string, an integer (as a string then) or null (None then)."""
        value = self.get(*names)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is not None and not isinstance(value, str):
            expected = "a string, an integer or null"
            raise DataError(f"{self.where}: {names[0]} must be {expected}, not {abbreviate(value)}")
        return value

    def items(self, *names: str) -> list[Any]:
        """The value of a field that must be a list."""
        value = self.get(*names)
        if not isinstance(value, list):
            raise DataError(f"{self.where}: {names[0]} must be a list, not {abbreviate(value)}")
        return value

    def records(self, *names: str) -> "list[Record]":
        """The value of a field that must be a list of objects."""
        return [Record(item, f"{self.where}: {names[0]} {k}") for k, item in enumerate(self.items(*names))]


def abbreviate(value: Any) -> str:
    """A value as an error shows it."""
    try:
        shown = json.dumps(value, default=repr)
    except RecursionError:  # `read_json` may have parsed it with less of the stack in use
        return "a value that is nested too deeply"
    return shown if len(shown) <= MAX_SHOWN else f"{shown[: MAX_SHOWN - 3]}…"
