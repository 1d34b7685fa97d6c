"""The checksums of a folder, in the format of `sha256sum`, which can check them too; readers check every file."""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from tumble.bounded import BoundError, read_text
from tumble.comphy.dataset.json_files import DataError
from tumble.scene.files import whole_file

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_TEMPORARY = re.compile(r"\.[0-9a-f]{32}(\..*)?")
_CHUNK = 1 << 20

MISSING, DAMAGED = "missing", "damaged: its checksum differs"
UNLISTED = "it has no checksum"


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    result = sha256()
    if not path.is_file():
        raise DataError(f"{path}: this is not a file")
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            result.update(chunk)
    return result.hexdigest()


def digests(root: Path, paths: Iterable[Path]) -> dict[str, str]:
    """The SHA-256 of files, by path relative to the folder."""
    return {path.relative_to(root).as_posix(): digest(path) for path in paths}


def write_sums(path: Path, sums: Mapping[str, str]) -> None:
    """Writes checksums, sorted by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as partial:
        partial.write_text(_text(sums), encoding="utf-8")


def _text(sums: Mapping[str, str]) -> str:
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))


def read_sums(path: Path, is_growing: bool = False) -> dict[str, str]:
    """The checksums in a file, by name; of a file that is appended to, the last line may be incomplete."""
    sums = {}
    try:
        text = read_text(path)
    except BoundError as error:
        raise DataError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: this is not text") from None
    if is_growing:
        text = text[: text.rfind("\n") + 1]
    for number, line in enumerate(text.splitlines(), 1):
        parts = _LINE.fullmatch(line)
        if not parts:
            raise DataError(f"{path}: line {number} must be a checksum, two spaces and a name")
        sums[parts[2]] = parts[1]
    return sums


class GrowingSums:
    """A file of checksums that is appended to while sets are generated; kills may leave an incomplete last line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None

    def append(self, sums: Mapping[str, str]) -> None:
        """Adds the checksums of a finished set."""
        if self._stream is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._path.open("ab", buffering=0)
            self._stream.truncate(self._path.read_bytes().rfind(b"\n") + 1)
        text = memoryview(_text(sums).encode())
        while text:  # a write without a buffer may write a part, as where the disk is almost full
            text = text[self._stream.write(text) :]

    def close(self) -> None:
        """Closes the file."""
        if self._stream is not None:
            self._stream.close()


def part_sums(folder: Path) -> dict[str, str]:
    """The checksums of an unfinished dataset, whose intermediate files are in a folder."""
    sums: dict[str, str] = {}
    for path in sorted(folder.glob("*.sha256")):
        if not is_temporary(path):
            sums.update(read_sums(path, is_growing=True))
    return sums


class CheckedFiles:
    """The files of a dataset: each is checked before it is first read, and again when it has changed on disk."""

    def __init__(self, root: Path, sums: Mapping[str, str] | None) -> None:
        """`sums` is None where there are no checksums, as for the published files: then nothing is checked."""
        self._root, self._sums = root, sums
        self._checked: dict[str, tuple[int, int]] = {}
        """Size and time of the last change of each file that was checked."""

    def names_in(self, folder: str) -> list[str]:
        """The files of a folder that have checksums."""
        return [name for name in self._sums or () if name.startswith(f"{folder}/")]

    def has_sum(self, path: Path) -> bool:
        """Whether a file has a checksum."""
        return self._sums is not None and path.relative_to(self._root).as_posix() in self._sums

    def check(self, path: Path) -> Path:
        """The path of a file, after its checksum was checked; a DataError if it is missing or damaged."""
        if self._sums is None:
            return path
        name = path.relative_to(self._root).as_posix()
        expected = self._sums.get(name)
        if not path.exists():
            if expected is not None:
                raise DataError(f"{path}: {MISSING}")
            return path  # the reader reports it
        if expected is None:
            raise DataError(f"{path}: {UNLISTED}; generate the dataset again to finish it")
        try:
            status = path.stat()
            version = status.st_size, status.st_mtime_ns
            if self._checked.get(name) == version:
                return path
            if digest(path) != expected:
                raise DataError(f"{path}: {DAMAGED}")
        except OSError as error:
            raise DataError(f"{path}: {error.strerror}") from None
        self._checked[name] = version
        return path


def is_temporary(path: Path) -> bool:
    """Whether a file is the partial file of a process that was killed while writing."""
    return bool(_TEMPORARY.fullmatch(path.name))
