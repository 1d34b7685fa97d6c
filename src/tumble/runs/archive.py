"""Finished run logs as Parquet: a row for each attempt, the header in the file's metadata.

Agents try the same actions on many tasks, so Parquet's columns take a tenth of the space of JSON lines. The metadata
also has the SHA-256 of the whole file (with zeros in the place of the digest), which every reader checks.

Before a page is unpacked, its own header is read: the file's metadata says how large columns are, too, but a reader
unpacks what the pages say. A page of a few bytes may unpack to gigabytes, and a page that is small when it is
unpacked may repeat one value a billion times. Headers of pages are structs of Thrift's compact protocol.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tumble.bounded import BoundError, json_value, read_bytes
from tumble.errors import TumbleError
from tumble.scene.files import whole_file

DATA_PAGE, DICTIONARY_PAGE = 0, 2
ENCODINGS = frozenset((0, 2, 3, 8))
"""Plain, run lengths, and indices of a dictionary: those that logs are written with. Others repeat parts of texts."""
CODECS = frozenset(("ZSTD", "UNCOMPRESSED"))
MOST_PAGES = 20_000
LONGEST_PAGE_HEADER = 1 << 16
_MOST_DEPTH = 4

_TYPE, _UNPACKED, _PACKED, _DATA, _DICTIONARY = 1, 2, 3, 5, 7
"""Fields of the header of a page."""
_VALUES, _ENCODING = 1, 2
"""Fields of what it says of data, or of a dictionary."""


@dataclass
class Pages:
    """The pages of all columns together."""

    unpacked: int = 0
    """Bytes."""
    most_values: int = 0
    """Values of the column that has most."""
    count: int = 0

    def add_column(self, raw: bytes, start: int, size: int) -> None:
        """Adds the pages of a column chunk, which has `size` bytes from `start` on; a ValueError if they are odd."""
        end, values = start + size, 0
        if not 0 < start <= end <= len(raw):
            raise ValueError("a column lies outside the file")
        while start < end:
            header = _PageHeader(raw, start, min(end, start + LONGEST_PAGE_HEADER))
            fields = header.struct()
            kind, unpacked, packed = (_whole_number(fields, name) for name in (_TYPE, _UNPACKED, _PACKED))
            content = fields.get({DATA_PAGE: _DATA, DICTIONARY_PAGE: _DICTIONARY}.get(kind, 0))
            if not isinstance(content, dict) or _whole_number(content, _ENCODING) not in ENCODINGS:
                raise ValueError("a page is of a kind that logs do not have")
            values += _whole_number(content, _VALUES) if kind == DATA_PAGE else 0
            self.unpacked += unpacked
            self.count += 1
            if self.count > MOST_PAGES:
                raise ValueError(f"it has more than {MOST_PAGES:,} pages")
            start = header.at + packed
        if start != end:
            raise ValueError("its pages do not fill its columns")
        self.most_values = max(self.most_values, values)


def _whole_number(fields: dict[int, Any], name: int) -> int:
    """A field that must be a whole number, 0 or more."""
    value = fields.get(name)
    if type(value) is not int or value < 0:
        raise ValueError("the header of a page is damaged")
    return value


class _PageHeader:
    """A position in bytes that advances as a struct is read; a ValueError where they end too early."""

    def __init__(self, raw: bytes, at: int, end: int) -> None:
        self.raw, self.at, self.end = raw, at, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct by number: whole numbers, flags and structs; others are skipped."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 12 and depth < _MOST_DEPTH:
            return self.struct(depth + 1)
        if kind in (3, 7, 8):  # a byte, a double, or a text
            size = {3: 1, 7: 8}.get(kind) or self._unsigned()
            self.at += size
            return None
        raise ValueError("the header of a page is damaged")

    def _byte(self) -> int:
        if self.at >= self.end:
            raise ValueError("the header of a page is cut off or too long")
        self.at += 1
        return self.raw[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while shift < 64:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("the header of a page is damaged")

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)


SUFFIX = ".parquet"
KEY = b"tumble_run"
DIGEST_KEY = b"tumble_run_sha256"
FIELDS = ("task", "attempt", "action", "status", "steps")
"""Of every row; the further fields of a benchmark are text."""
OPTIONAL = "steps"
"""May be None, where the number of steps is not known."""

BATCH_ROWS = 4096
"""That are converted at a time, between which other threads may run."""
MOST_BYTES = 1 << 28
"""Of a file."""
MOST_COLUMNS = 64
"""Of a file, and groups of rows of a file."""
MEMORY, MEMORY_PER_BYTE = 192 << 20, 64
"""Bytes that the rows of a file may take: 300,000 attempts, and more in a larger file."""
ROW_MEMORY, VALUE_MEMORY = 300, 40
"""Bytes that a row takes, and a value in a row or in a list."""

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

    try:
        raw = read_bytes(path, MOST_BYTES)
    except BoundError as error:
        raise ArchiveError(f"{path}: {error}") from None
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from None
    _check_digest(path, raw)
    try:
        meta, table = _content(raw)
        if brief and len(table) > 1:
            table = _last_rows(table)
        return meta, _rows(table)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise ArchiveError(f"{path}: not a run log ({error})") from None


def _content(raw: bytes) -> tuple[dict[str, Any], Any]:
    """The metadata and the table of a file, both checked; texts are indices of a dictionary, as in the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    limits = {"thrift_string_size_limit": len(raw), "thrift_container_size_limit": MOST_COLUMNS}
    file = pq.ParquetFile(pa.BufferReader(raw), **limits)
    meta = json_value(file.metadata.metadata[KEY])
    _check_meta(meta)
    _check_schema(file.schema_arrow)
    memory = _memory(raw, file.metadata)
    most = MEMORY + MEMORY_PER_BYTE * len(raw)
    if memory > most:
        raise ValueError(f"its rows would take {memory >> 20:,} MiB of memory; at most {most >> 20:,} are read")
    texts = ["task", *file.schema_arrow.names[len(FIELDS) :]]
    file = pq.ParquetFile(pa.BufferReader(raw), metadata=file.metadata, read_dictionary=texts, **limits)
    table = file.read(use_threads=False)  # threads of Arrow that still run when Python exits can abort it
    _check_table(table)
    length = sum(map(_text_length, (chunk for name in texts for chunk in table[name].chunks)))
    if memory + length > most:
        raise ValueError(f"its texts have {length:,} characters; at most {most - memory:,} are read")
    return meta, table


def _memory(raw: bytes, metadata: Any) -> int:
    """About the bytes of memory that the rows of a file take, without their texts, by the headers of its pages."""
    pages = Pages()
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for number in range(columns.num_columns):
            column = columns.column(number)
            if column.compression not in CODECS:
                raise ValueError(f"its columns are compressed with {column.compression}")
            starts = (column.dictionary_page_offset, column.data_page_offset)
            pages.add_column(raw, min(filter(None, starts), default=0), column.total_compressed_size)
    row_memory = ROW_MEMORY + VALUE_MEMORY * int(metadata.num_columns)
    return pages.unpacked + row_memory * int(metadata.num_rows) + VALUE_MEMORY * pages.most_values


def _text_length(texts: Any) -> int:
    """The characters of all texts of a column, each as often as it occurs."""
    import pyarrow.compute as pc

    lengths = pc.binary_length(texts.dictionary)
    return pc.sum(pc.take(lengths, texts.indices), min_count=0).as_py() or 0


def _last_rows(table: Any) -> Any:
    """The last row of each task."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends: list[bool] = []
    for chunk in table["task"].cast(pa.string()).chunks:
        ends += [*pc.not_equal(chunk[:-1], chunk[1:]).to_pylist(), True][: len(chunk)]
    bits = np.packbits(np.array(ends, bool), bitorder="little")
    # pa.array() and to_numpy() would load pandas, where it is installed, which takes a second
    return table.filter(pa.Array.from_buffers(pa.bool_(), len(ends), [None, pa.py_buffer(bits)]))


def _rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a table; rows with equal texts share them."""
    names = table.column_names
    texts = {name: _texts(table[name]) for name in names if name == "task" or name not in FIELDS}
    rows: list[dict[str, Any]] = []
    for batch in table.to_batches(BATCH_ROWS):
        part = slice(len(rows), len(rows) + len(batch))
        columns = [
            texts[name][part] if name in texts else _lists(values) if name == "action" else values.to_pylist()
            for name, values in zip(names, batch.columns, strict=True)
        ]
        rows += [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
    return rows


def _texts(column: Any) -> list[str | None]:
    """The texts of a column."""
    found: list[str | None] = []
    for chunk in column.chunks:
        words = [*chunk.dictionary.to_pylist(), None]
        found += [words[-1 if k is None else k] for k in chunk.indices.to_pylist()]
    return found


def _lists(column: Any) -> list[list[float | None]]:
    """The lists of numbers of a column."""
    values, ends = column.flatten().to_pylist(), column.offsets.to_pylist()
    first = ends[0]
    return [values[start - first : end - first] for start, end in pairwise(ends)]


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


def _check_schema(schema: Any) -> None:
    """Raises ValueError unless columns have the names and types of a log."""
    names = schema.names
    if len(set(names)) < len(names) or not schema.equals(_schema(names[len(FIELDS) :])):
        raise ValueError("its columns are not those of a run log")


def _check_table(table: Any) -> None:
    """Raises ValueError unless all values of an attempt are there, and all numbers are finite."""
    import pyarrow.compute as pc

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
