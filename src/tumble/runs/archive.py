"""Finished run logs as Parquet: a row for each attempt, the header in the file's metadata.

Agents try the same actions on many tasks, so Parquet's columns take a tenth of the space of JSON lines. The metadata
also has the SHA-256 of the whole file (with zeros in the place of the digest), which every reader checks.
"""

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError
from tumble.scene.files import whole_file

SUFFIX = ".parquet"
KEY = b"tumble_run"
DIGEST_KEY = b"tumble_run_sha256"
FIELDS = ("task", "attempt", "action", "status", "steps")
"""Of every row; the further fields of a benchmark are text."""
OPTIONAL = "steps"
"""May be None, where the number of steps is not known."""

BATCH_ROWS = 4096
"""That are converted at a time, between which other threads may run."""

_ZEROS = b"0" * 64
_BETWEEN = 2
"""Bytes between a key and its value in the file: the type and the length of the value."""


class ArchiveError(TumbleError):
    """A file that is not a finished run log, or that is damaged."""


def write(path: Path, meta: dict[str, Any], rows: Iterable[dict[str, Any]]) -> None:
    """Writes a finished log atomically; `meta` holds the header and the ids of all tasks in order."""
    import pyarrow as pa  # imported here: it is slow to load, and optional
    import pyarrow.parquet as pq

    records = list(rows)
    schema = _schema(name for row in records[:1] for name in row if name not in FIELDS)
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        writer.write_table(pa.Table.from_pylist(records, schema=schema))
        writer.add_key_value_metadata({KEY: json.dumps(meta), DIGEST_KEY: _ZEROS})
    with whole_file(path) as partial, partial.open("wb") as stream:
        stream.write(with_digest(sink.getvalue().to_pybytes()))
        stream.flush()
        os.fsync(stream.fileno())


def read(path: Path, brief: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metadata and the rows; with `brief`, only the last row of each task."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from None
    _check_digest(path, raw)
    try:
        file = pq.ParquetFile(pa.BufferReader(raw))
        meta = json.loads(file.metadata.metadata[KEY])
        _check_meta(meta)
        table = file.read(use_threads=False)  # threads of Arrow that still run when Python exits can abort it
        _check_table(table)
        if brief and len(table) > 1:
            task = table["task"].combine_chunks()
            ends = pc.not_equal(task[:-1], task[1:]).to_pylist()
            table = table.filter(pa.array([*ends, True]))
        return meta, [row for batch in table.to_batches(BATCH_ROWS) for row in batch.to_pylist()]
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"{path}: not a run log ({error})") from None


def with_digest(raw: bytes) -> bytes:
    """The bytes of a file with their digest in its place."""
    start, end = _digest_place(raw)
    assert start > 0
    digest = sha256(raw[:start] + _ZEROS + raw[end:]).hexdigest().encode()
    return raw[:start] + digest + raw[end:]


def _check_digest(path: Path, raw: bytes) -> None:
    """Raises ArchiveError if any byte of a file has changed since it was written."""
    if _digest_place(raw)[0] < 0:
        raise ArchiveError(f"{path}: not a run log: it has no digest of its content")
    if with_digest(raw) != raw:
        raise ArchiveError(
            f"{path}: damaged: its content differs from its digest; restore it from a copy, or delete it and run again"
        )


def _schema(texts: Iterable[str]) -> Any:
    """The columns of a file: those of all logs, and further ones of text."""
    import pyarrow as pa

    types = (pa.string(), pa.int32(), pa.list_(pa.float64()), pa.int8(), pa.int32())
    return pa.schema([*zip(FIELDS, types, strict=True), *((name, pa.string()) for name in texts)])


def _check_meta(meta: Any) -> None:
    """Raises ValueError unless the metadata has a list of tasks, and which of them were given up."""
    if not isinstance(meta, dict) or not isinstance(meta.get("tasks"), list):
        raise ValueError("its metadata has no list of tasks")
    given_up = meta.get("given_up")
    if not isinstance(given_up, dict) or not all(
        isinstance(text, str) for text in [*meta["tasks"], *given_up.values()]
    ):
        raise ValueError("the tasks in its metadata are not text")


def _check_table(table: Any) -> None:
    """Raises ValueError unless columns have the names and types of a log, and all numbers are finite."""
    import pyarrow.compute as pc

    if not table.schema.equals(_schema(table.column_names[len(FIELDS) :])):
        raise ValueError("its columns are not those of a run log")
    if any(table[name].null_count for name in FIELDS if name != OPTIONAL):
        raise ValueError("values are missing")
    numbers = pc.list_flatten(table["action"])
    if not pc.all(pc.is_finite(numbers), min_count=0).as_py():  # None, for a number that is left out, is skipped
        raise ValueError("its actions are not finite numbers")


def _digest_place(raw: bytes) -> tuple[int, int]:
    """Where a file's digest starts and ends; negative if it has none."""
    key = raw.rfind(DIGEST_KEY)
    start = key + len(DIGEST_KEY) + _BETWEEN
    return (-1, -1) if key < 0 else (start, start + len(_ZEROS))
