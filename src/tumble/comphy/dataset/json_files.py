"""JSON files that are written whole, and read with the file and the field named where something is wrong."""

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

from tumble.scene.files import whole_file

GZIP_LEVEL = 6


class DataError(ValueError):
    """A file of a dataset that is missing, damaged or not what it should be."""


class Fault(NamedTuple):
    """Something wrong in a dataset: where, and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def write_json(path: Path, value: Any) -> None:
    """Writes a file whole, compressed where its name ends so; the same value gives the same bytes."""
    content = json.dumps(value, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    if path.suffix == ".gz":
        content = gzip.compress(content, GZIP_LEVEL, mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_bytes(content)


def read_json(path: Path) -> Any:
    """What a file holds."""
    try:
        content = path.read_bytes()
        return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file") from None
    except (ValueError, EOFError, gzip.BadGzipFile) as error:
        raise DataError(f"{path}: this is not JSON: {error}") from None
    except OSError as error:
        raise DataError(f"{path}: it can't be read: {error.strerror or error}") from None


class Record:
    """A JSON object at a known place, whose fields are asked for by name."""

    def __init__(self, value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise DataError(f"{place}: must be an object, not {short(value)}")
        self.value: dict[str, Any] = value
        self.place = place

    def __contains__(self, name: str) -> bool:
        return name in self.value

    def get(self, *names: str) -> Any:
        """The value of the first of these fields that is there."""
        for name in names:
            if name in self.value:
                return self.value[name]
        raise DataError(f"{self.place}: there is no field {' or '.join(map(repr, names))}")

    def whole(self, *names: str) -> int:
        """A whole number."""
        value = self.get(*names)
        if not isinstance(value, int) or isinstance(value, bool):
            raise DataError(f"{self.place}: {names[0]} must be a whole number, not {short(value)}")
        return value

    def text(self, *names: str) -> str:
        """A text."""
        value = self.get(*names)
        if not isinstance(value, str):
            raise DataError(f"{self.place}: {names[0]} must be a text, not {short(value)}")
        return value

    def items(self, *names: str) -> list[Any]:
        """A list."""
        value = self.get(*names)
        if not isinstance(value, list):
            raise DataError(f"{self.place}: {names[0]} must be a list, not {short(value)}")
        return value

    def records(self, *names: str) -> "list[Record]":
        """A list of objects."""
        return [Record(item, f"{self.place}: {names[0]} {k}") for k, item in enumerate(self.items(*names))]


def short(value: Any) -> str:
    """A value as an error shows it."""
    shown = json.dumps(value, default=repr)
    return shown if len(shown) <= 60 else f"{shown[:57]}…"
