"""Finished run logs as Parquet: a row for each attempt, the header in the file's metadata.

Agents try the same actions on many tasks, so that columns of Parquet take a tenth of the lines of JSON.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tumble.scene.files import whole_file

SUFFIX = ".parquet"
KEY = b"tumble_run"
SCHEMA = pa.schema(
    [
        ("task", pa.string()),
        ("attempt", pa.int32()),
        ("action", pa.list_(pa.float64())),
        ("status", pa.int8()),
        ("steps", pa.int32()),
    ]
)


def write(path: Path, header: dict[str, Any], rows: Iterable[dict[str, Any]], unattempted: list[str]) -> None:
    """Writes a finished log, whole or not at all; `unattempted` are tasks that have no rows."""
    meta = json.dumps({"header": header, "unattempted": unattempted})
    table = pa.Table.from_pylist(list(rows), schema=SCHEMA).replace_schema_metadata({KEY: meta})
    with whole_file(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Header, rows and tasks without rows; a ValueError where it is something else."""
    try:
        table = pq.read_table(path)
        meta = json.loads((table.schema.metadata or {})[KEY])
        return meta["header"], table.to_pylist(), meta["unattempted"]
    except (pa.ArrowException, KeyError, ValueError, OSError) as error:
        raise ValueError(f"{path}: no run log ({error})") from None
