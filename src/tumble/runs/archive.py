"""Finished run logs as Parquet: a row for each attempt, the header in the file's metadata.

Agents try the same actions on many tasks, so Parquet's columns take a tenth of the space of JSON lines.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError
from tumble.scene.files import whole_file

SUFFIX = ".parquet"
KEY = b"tumble_run"
FIELDS = ("task", "attempt", "action", "status", "steps")
"""Of every row; the further fields of a benchmark are text."""


class ArchiveError(TumbleError):
    """A file that is not a finished run log."""


def write(path: Path, meta: dict[str, Any], rows: Iterable[dict[str, Any]]) -> None:
    """Writes a finished log atomically; `meta` holds the header and the ids of all tasks in order."""
    import pyarrow as pa  # imported here: it is slow to load, and optional
    import pyarrow.parquet as pq

    records = list(rows)
    types = (pa.string(), pa.int32(), pa.list_(pa.float64()), pa.int8(), pa.int32())
    texts = {name: pa.string() for row in records[:1] for name in row if name not in FIELDS}
    schema = pa.schema([*zip(FIELDS, types, strict=True), *texts.items()])
    table = pa.Table.from_pylist(records, schema=schema).replace_schema_metadata({KEY: json.dumps(meta)})
    with whole_file(path) as partial, partial.open("wb") as stream:
        pq.write_table(table, stream, compression="zstd")
        stream.flush()
        os.fsync(stream.fileno())


def read(path: Path, brief: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metadata and the rows; with `brief`, only the last row of each task."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
        meta = json.loads((table.schema.metadata or {})[KEY])
        if not isinstance(meta, dict) or not isinstance(meta.get("tasks"), list):
            raise ValueError("its metadata has no list of tasks")
        if brief and len(table) > 1:
            task = table["task"].combine_chunks()
            ends = pc.not_equal(task[:-1], task[1:]).to_pylist()
            table = table.filter(pa.array([*ends, True]))
        return meta, table.to_pylist()
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from None
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"{path}: not a run log ({error})") from None
