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
    types = (pa.string(), pa.int32(), pa.list_(pa.float64()), pa.int8(), pa.int32())
    texts = {name: pa.string() for row in records[:1] for name in row if name not in FIELDS}
    schema = pa.schema([*zip(FIELDS, types, strict=True), *texts.items()])
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        writer.write_table(pa.Table.from_pylist(records, schema=schema))
        writer.add_key_value_metadata({KEY: json.dumps(meta), DIGEST_KEY: _ZEROS})
    raw = sink.getvalue().to_pybytes()
    start, end = _digest_place(raw)
    assert raw[start:end] == _ZEROS
    with whole_file(path) as partial, partial.open("wb") as stream:
        stream.write(raw[:start] + sha256(raw).hexdigest().encode() + raw[end:])
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
        if not isinstance(meta, dict) or not isinstance(meta.get("tasks"), list):
            raise ValueError("its metadata has no list of tasks")
        table = file.read()
        if brief and len(table) > 1:
            task = table["task"].combine_chunks()
            ends = pc.not_equal(task[:-1], task[1:]).to_pylist()
            table = table.filter(pa.array([*ends, True]))
        return meta, table.to_pylist()
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"{path}: not a run log ({error})") from None


def _check_digest(path: Path, raw: bytes) -> None:
    """Raises ArchiveError if any byte of a file has changed since it was written."""
    start, end = _digest_place(raw)
    if start < 0:
        raise ArchiveError(f"{path}: not a run log: it has no digest of its content")
    if sha256(raw[:start] + _ZEROS + raw[end:]).hexdigest().encode() != raw[start:end]:
        raise ArchiveError(
            f"{path}: damaged: its content differs from its digest; restore it from a copy, or delete it and run again"
        )


def _digest_place(raw: bytes) -> tuple[int, int]:
    """Where a file's digest starts and ends; negative if it has none."""
    key = raw.rfind(DIGEST_KEY)
    start = key + len(DIGEST_KEY) + _BETWEEN
    return (-1, -1) if key < 0 else (start, start + len(_ZEROS))
