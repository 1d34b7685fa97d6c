"""Finished logs that ask for more memory than logs take are refused by the headers of their pages."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_headers import header_of

from tumble.runs.archive import DIGEST_KEY, KEY, ArchiveError, read, with_digest
from tumble.runs.log import FORMAT

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TYPES = {
    "task": pa.string(),
    "attempt": pa.int32(),
    "action": pa.list_(pa.float64()),
    "status": pa.int8(),
    "steps": pa.int32(),
}


def repeated(text: str, rows: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))


def archive(rows: int, numbers: int = 0, answer: Any = None, groups: int = 1, **how: Any) -> bytes:
    """A sealed file of equal rows, with actions of some zeros."""
    action = pa.ListArray.from_arrays(
        pa.array(np.arange(rows + 1, dtype=np.int32) * numbers), pa.array(np.zeros(rows * numbers))
    )
    ones = {name: pa.array(np.ones(rows), TYPES[name]) for name in ("attempt", "status", "steps")}
    columns = {"task": repeated("00000:000", rows), **ones, "action": action}
    table = pa.table({**{name: columns[name] for name in TYPES}, **({} if answer is None else {"answer": answer})})
    said = pa.schema([*TYPES.items(), *([] if answer is None else [("answer", pa.string())])])
    meta = {"format": FORMAT, "header": header_of().model_dump(mode="json"), "tasks": ["00000:000"], "given_up": {}}
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema, **{"compression": "zstd", "store_schema": False, **how}) as writer:
        for _ in range(groups):
            writer.write_table(table)
        writer.add_key_value_metadata({b"ARROW:schema": base64.b64encode(said.serialize().to_pybytes())})
        writer.add_key_value_metadata({KEY: json.dumps(meta), DIGEST_KEY: "0" * 64})
    return bytes(with_digest(sink.getvalue().to_pybytes()))


def refusal(path: Path, raw: bytes) -> str:
    assert len(raw) < 1_000_000
    path.write_bytes(raw)
    with pytest.raises(ArchiveError) as error:
        read(path, brief=False)
    return str(error.value)


def test_rows_of_such_a_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_bytes(archive(3, 2, repeated("yes", 3)))
    rows = read(tmp_path / "run.parquet", brief=False)[1]
    assert rows == [
        {"task": "00000:000", "attempt": 1, "action": [0.0, 0.0], "status": 1, "steps": 1, "answer": "yes"}
    ] * 3  # fmt: skip
    assert read(tmp_path / "run.parquet", brief=True)[1] == rows[-1:]


def test_a_million_equal_rows_in_a_few_bytes_are_refused(tmp_path: Path) -> None:
    assert "its rows would take" in refusal(tmp_path / "run.parquet", archive(1_000_000))


def test_pages_decide_and_not_what_the_metadata_says(tmp_path: Path) -> None:
    """All counts in the metadata are changed; the pages keep theirs."""
    raw = archive(1, 20_000_000)
    start = len(raw) - 8 - struct.unpack("<I", raw[-8:-4])[0]  # of the metadata
    count, one = b"\x80\xb4\x89\x13", b"\x82\x80\x80\x00"  # 20 million, and 1 in as many bytes
    assert count in raw[start:]
    changed = with_digest(raw[:start] + raw[start:].replace(count, one))
    assert "its rows would take" in refusal(tmp_path / "run.parquet", changed)


def test_numbers_of_one_action_and_of_many_are_counted(tmp_path: Path) -> None:
    assert "its rows would take" in refusal(tmp_path / "run.parquet", archive(1, 20_000_000))
    assert "its rows would take" in refusal(tmp_path / "run.parquet", archive(200_000, 30))


def test_a_long_text_that_many_rows_share_is_refused(tmp_path: Path) -> None:
    raw = archive(100_000, answer=repeated("x" * 60_000, 100_000))
    assert "its texts have 6,0" in refusal(tmp_path / "run.parquet", raw)


def test_texts_that_repeat_the_ones_before_them_are_refused(tmp_path: Path) -> None:
    texts = repeated("x" * 60_000, 2000).cast(pa.string())
    raw = archive(2000, answer=texts, use_dictionary=False, column_encoding={"answer": "DELTA_BYTE_ARRAY"})
    assert "a page is of a kind that logs do not have" in refusal(tmp_path / "run.parquet", raw)


def test_many_groups_of_rows_and_other_packings_are_refused(tmp_path: Path) -> None:
    assert "size limit" in refusal(tmp_path / "run.parquet", archive(1, groups=100))
    assert "compressed with GZIP" in refusal(tmp_path / "run.parquet", archive(5, compression="gzip"))


def test_a_page_that_is_larger_than_its_column_is_damaged(tmp_path: Path) -> None:
    raw = archive(5)
    assert "not a run log" in refusal(
        tmp_path / "run.parquet", with_digest(raw[:4] + struct.pack("<I", 0xFFFFFFFF) + raw[8:])
    )
