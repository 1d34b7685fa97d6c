"""The checksums of a folder, in the format of `sha256sum`, which can check them too."""

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from tumble.comphy.dataset.json_files import DataError
from tumble.scene.files import whole_file

_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")
_TEMPORARY = re.compile(r"\.[0-9a-f]{32}(\..*)?")
_CHUNK = 1 << 20


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    result = sha256()
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
        partial.write_text("".join(f"{sums[name]}  {name}\n" for name in sorted(sums)), encoding="utf-8")


def read_sums(path: Path) -> dict[str, str]:
    """The checksums in a file, by name."""
    sums = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise DataError(f"{path}: this is not text") from None
    for number, line in enumerate(lines, 1):
        parts = _LINE.fullmatch(line)
        if not parts:
            raise DataError(f"{path}: line {number} must be a checksum, two spaces and a name")
        sums[parts[2]] = parts[1]
    return sums


def is_temporary(path: Path) -> bool:
    """Whether a file is the partial file of a process that was killed while writing."""
    return bool(_TEMPORARY.fullmatch(path.name))
