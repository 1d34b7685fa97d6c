"""The folder of an export: it is refused if it holds something else, and says whether the export is complete."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import tumble
from tumble.comphy.dataset.checksums import is_temporary
from tumble.comphy.dataset.json_files import DataError, read_json, write_json
from tumble.comphy.dataset.load import Dataset

MARKER = "export.json"
"""Format and source of an export, and whether it is finished."""


@contextmanager
def export_folder(data: Dataset, folder: Path, file_format: str) -> Iterator[None]:
    """Marks a folder as an unfinished export, and as finished when the block ends without an error.

    The folder must be empty or hold an export of the same dataset in the same format, which is then written again.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is a file; name a folder")
    marker = folder / MARKER
    wanted = {"format": file_format, "dataset": _identity(data), "tumble": tumble.__version__}
    _check_empty_or_same(folder, marker, wanted)
    write_json(marker, {**wanted, "finished": False})
    yield
    write_json(marker, {**wanted, "finished": True})


def _check_empty_or_same(folder: Path, marker: Path, wanted: dict[str, Any]) -> None:
    if not marker.exists():
        entries = folder.iterdir() if folder.exists() else ()
        entry = next((path for path in entries if not is_temporary(path)), None)
        if entry is not None:
            raise DataError(f"{folder} holds {entry.name} and is no export; choose an empty folder")
        return
    present = read_json(marker)
    if not isinstance(present, dict) or any(present.get(name) != value for name, value in wanted.items()):
        raise DataError(f"{folder} holds another export (see {MARKER}); choose an empty folder")


def _identity(data: Dataset) -> str:
    """A hash of what a dataset holds: its settings, its checksums and the indices of its sets."""
    result = sha256(repr(sorted(data.splits.items())).encode())
    for path in (data.layout.settings, data.layout.sums):
        result.update(path.read_bytes() if path.exists() else b"")
    return result.hexdigest()
