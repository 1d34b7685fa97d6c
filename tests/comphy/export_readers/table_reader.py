"""Reads tables of an export, by the files themselves: of `parquet` by name, of `huggingface` by the card's header."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = dict[str, Any]


def read_parquet(root: Path, table: str) -> list[Row]:
    """The rows of a table of a `parquet` export."""
    rows: list[Row] = pq.read_table(root / f"{table}.parquet").to_pylist()
    return rows


def read_huggingface(root: Path, table: str) -> dict[str, list[Row]]:
    """The rows of a table of a `huggingface` export by split, found as `datasets` does: by the card's header."""
    paths = configurations(root)[table]
    result = {}
    for split, pattern in paths.items():
        files = sorted(root.glob(pattern))
        assert files, pattern
        total = {file.stem.rpartition("-of-")[2] for file in files}
        assert total == {f"{len(files):05d}"}, "a part is missing"
        result[split] = [row for file in files for row in pq.read_table(file).to_pylist()]
    return result


def configurations(root: Path) -> dict[str, dict[str, str]]:
    """The pattern of files by table and split, from the card's header."""
    text = (root / "README.md").read_text()
    assert text.startswith("---\n")
    header = text[4:].partition("\n---\n")[0]
    tables: dict[str, dict[str, str]] = {}
    split = ""
    for line in header.partition("configs:\n")[2].splitlines():
        name, _, value = line.strip().removeprefix("- ").partition(": ")
        if name == "config_name":
            tables[value] = {}
        elif name == "split":
            split = value
        elif name == "path":
            tables[list(tables)[-1]][split] = value
    return tables
