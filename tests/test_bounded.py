"""What a small file asks for is refused before memory is taken."""

import io
import json
import lzma
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tumble import bounded
from tumble.bounded import BoundError, array, arrays, check_toml, decompressed, json_value, read_bytes


def npy(shape: tuple[int, ...], kind: str = "<f4", content: bytes = b"", header: str = "") -> bytes:
    text = header or f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + content


def zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return stream.getvalue()


def test_a_file_is_read_up_to_a_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_bytes(path, 100) == b"x" * 100
    with pytest.raises(BoundError, match="it has 100 bytes; at most 99 are read"):
        read_bytes(path, 99)


def test_devices_pipes_and_folders_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(BoundError, match="a device or a pipe"):
            read_bytes(path)
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nested too deeply"),
        (b"[" + b"[]," * 5_000_000 + b"0]", "too many values"),
        (b"[NaN]", "NaN is no JSON"),
        ("[1]".encode("utf-16"), "not in UTF-8"),
    ],
    ids=["brackets", "objects", "values", "NaN", "UTF-16"],
)
def test_json_that_is_too_deep_too_large_or_not_finite_is_refused(text: bytes, reason: str) -> None:
    with pytest.raises(BoundError, match=reason):
        json_value(text)


def test_brackets_within_texts_are_no_depth() -> None:
    value = {"a": "[" * 500, 'b"\\': ['\\"' + "{" * 500]}
    assert json_value(json.dumps(value)) == value
    tower: Any = "x"
    for _ in range(bounded.MOST_DEPTH):
        tower = [tower]
    assert json_value(json.dumps(tower).encode()) == tower


def test_long_numbers_are_refused_where_python_would_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_digits_are_bounded", lambda: False)
    with pytest.raises(BoundError, match="a number of 4,000 digits or more"):
        json_value(b"9" * 5000)


def test_compressed_data_unpack_to_a_size() -> None:
    packed = lzma.compress(bytes(1_000_000))
    assert len(decompressed(packed, 1_000_000)) == 1_000_000
    with pytest.raises(BoundError, match="it unpacks to more than 999,999 bytes"):
        decompressed(packed, 999_999)
    with pytest.raises(BoundError, match="truncated"):
        decompressed(packed[:-10], 1_000_000)
    with pytest.raises(BoundError, match="Memory usage limit"):
        decompressed(b"]" + b"\xff" * 12 + bytes(20), 1_000_000)


Raw = Callable[[], bytes]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: zipped({"a.npy": npy((1 << 40,))}), "array of 4,398,046,511,104 bytes"),
        (lambda: zipped({"a.npy": npy((2_000_000,), content=bytes(8_000_000))}), "unpacks to more than 1,000,000"),
        (lambda: zipped({"a.npy": npy((4,), content=bytes(12))}), "12 bytes of an array of 16"),
        (lambda: zipped({"a.npy": npy((-1, 4), content=bytes(16))}), "at most 1,000,000 are read"),
        (lambda: zipped({"a.npy": npy((3,), "|O", b"\x80\x02N.")}), "not of object"),
        (lambda: zipped({"a.npy": npy((1,), header="(" * 60_000)}), "no NumPy array"),
        (lambda: zipped({"a.npy": npy((4,), content=bytes(16))}, zipfile.ZIP_LZMA), "packed in a way"),
        (lambda: zipped({f"{k}": b"" for k in range(5000)}), "5,000 members"),
        (lambda: b"PK nonsense", "no zip file"),
    ],
)
def test_arrays_that_ask_for_more_than_they_hold_are_refused(make: Raw, reason: str) -> None:
    with pytest.raises(BoundError, match=reason):
        arrays(make(), 1_000_000)


def test_arrays_are_read_as_numpy_writes_them() -> None:
    written = {
        "a": np.arange(6, dtype=np.int16).reshape(2, 3),
        "b": np.array("text"),
        "c": np.asfortranarray(np.eye(3)),
    }
    stream = io.BytesIO()
    np.savez_compressed(stream, **written)  # type: ignore[arg-type]
    read = arrays(stream.getvalue(), 10_000)
    assert all(
        np.array_equal(read[name], written[name]) and read[name].dtype == written[name].dtype for name in written
    )
    assert array(npy((0, 4))).shape == (0, 4)


def test_names_of_many_parts_in_toml_are_refused() -> None:
    check_toml('a.b.c = 1\ntext = "' + "One of them. Another one. " * 500 + '"')
    for text in (
        "a." * 500 + "a = 1",
        "[" + "abc . " * 500 + "a]",
        "''." * 500 + "a = 1",
        '"a b.c d".' * 200 + "a = 1",
    ):
        with pytest.raises(BoundError, match="nested too deeply"):
            check_toml(text)
