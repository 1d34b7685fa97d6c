"""Finished run logs as Parquet: a row for each attempt, the header in the file's metadata.

Agents try the same actions on many tasks, so that columns of Parquet take a tenth of the lines of JSON.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tumble.scene.files import whole_file

SUFFIX = ".parquet"
KEY = b"tumble_run"
FIELDS = ("task", "attempt", "action", "status", "steps")
"""What a row has; whatever else a benchmark keeps in its rows is text."""


def write(path: Path, header: dict[str, Any], tasks: list[str], rows: Iterable[dict[str, Any]]) -> None:
    """Writes a finished log, whole or not at all; `tasks` are all that were attempted, in their order."""
    import pyarrow as pa  # here: it takes a while to load, and a log can be written without it
    import pyarrow.parquet as pq

    kept = list(rows)
    types = (pa.string(), pa.int32(), pa.list_(pa.float64()), pa.int8(), pa.int32())
    texts = {name: pa.string() for row in kept[:1] for name in row if name not in FIELDS}
    schema = pa.schema([*zip(FIELDS, types, strict=True), *texts.items()])
    meta = json.dumps({"header": header, "tasks": tasks})
    table = pa.Table.from_pylist(kept, schema=schema).replace_schema_metadata({KEY: meta})
    with whole_file(path) as partial, partial.open("wb") as stream:
        pq.write_table(table, stream, compression="zstd")
        stream.flush()
        os.fsync(stream.fileno())


def read(path: Path, brief: bool) -> tuple[dict[str, Any], list[str], list[dict[str, Any]]]:
    """Header, tasks and rows, or of these only the last of each task; a ValueError where it is something else."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(path).read()
        meta = json.loads((table.schema.metadata or {})[KEY])
        if brief and len(table) > 1:
            task = table["task"].combine_chunks()
            ends = pc.not_equal(task[:-1], task[1:]).to_pylist()
            table = table.filter(pa.array([*ends, True]))
        return meta["header"], meta["tasks"], table.to_pylist()
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from None
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: no run log ({error})") from None
