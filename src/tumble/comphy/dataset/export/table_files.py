"""Writing sets into Parquet files group by group; the files appear only when all of them are complete."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tumble.comphy.dataset.export.card import Summary
from tumble.comphy.dataset.export.tables import Rows, rows_of
from tumble.comphy.dataset.json_files import DataError, Fault
from tumble.comphy.dataset.layout import Split
from tumble.comphy.dataset.load import Dataset
from tumble.progress import Advance
from tumble.scene.files import whole_file

GROUP_SIZE = 100
"""Sets in one row group."""


def set_rows(data: Dataset, split: Split | None, summary: Summary, advance: Advance) -> Iterator[Rows]:
    """The rows of each set of a split, or of all; a set that can't be read is added to the faults."""
    for index in data.indices(split):
        try:
            example = data.example(index)
            rows = rows_of(example)
        except DataError as error:
            data.faults.append(Fault(f"set {index:05d}", str(error)))
        else:
            summary.add(example)
            yield rows
        advance(1)


def write_tables(sets: Iterable[Rows], files: Mapping[str, Path], schemas: Mapping[str, pa.Schema]) -> None:
    """Writes rows into files, both by the names of tables."""
    remaining = iter(sets)
    with ExitStack() as stack:
        writers = {}
        for table, path in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = stack.enter_context(whole_file(path))
            writers[table] = stack.enter_context(pq.ParquetWriter(partial, schemas[table], compression="zstd"))
        while group := list(islice(remaining, GROUP_SIZE)):
            for table, writer in writers.items():
                records = [row for rows in group for row in rows[table]]
                writer.write_table(pa.Table.from_pylist(records, schemas[table]))
