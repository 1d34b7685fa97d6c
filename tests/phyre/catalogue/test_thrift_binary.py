"""Thrift's binary protocol is read as specified, and errors name the byte of the damage."""

import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tumble.phyre.catalogue import task_binary
from tumble.phyre.catalogue.task_binary import MAX_DEPTH, ThriftError, decode_struct

INT = b"\x08\x00\x01\x00\x00\x00\x2a"
"""A field: type 8 (i32), number 1, value 42."""

VALUES: dict[str, tuple[int, bytes, Any]] = {
    "true": (2, b"\x01", True),
    "false": (2, b"\x00", False),
    "byte": (3, b"\xff", -1),
    "double": (4, struct.pack(">d", -0.1), -0.1),
    "i16": (6, b"\x80\x00", -(2**15)),
    "i32": (8, b"\x00\x00\x01\x00", 256),
    "i64": (10, b"\x80" + bytes(7), -(2**63)),
    "string": (11, b"\x00\x00\x00\x03\xe2\x9c\x93", "\N{CHECK MARK}"),
    "bytes": (11, b"\x00\x00\x00\x02\xff\x00", b"\xff\x00"),
    "empty string": (11, bytes(4), ""),
    "struct": (12, INT + b"\x00", {1: 42}),
    "map": (13, b"\x0b\x08\x00\x00\x00\x01" + b"\x00\x00\x00\x01a" + b"\x00\x00\x00\x07", [("a", 7)]),
    "map of structs": (13, b"\x0c\x0c\x00\x00\x00\x02" + bytes(4), [({}, {}), ({}, {})]),
    "set": (14, b"\x03\x00\x00\x00\x03\x01\x02\x03", [1, 2, 3]),
    "list": (15, b"\x02\x00\x00\x00\x02\x01\x00", [True, False]),
    "list of lists": (15, b"\x0f\x00\x00\x00\x01" + b"\x03\x00\x00\x00\x00", [[]]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_type(name: str) -> None:
    kind, raw, expected = VALUES[name]
    value = decode_struct(bytes([kind]) + b"\x00\x05" + raw + INT + b"\x00")
    assert value == {5: expected, 1: 42}
    assert type(value[5]) is type(expected)


def test_an_empty_struct_is_one_byte() -> None:
    assert decode_struct(b"\x00") == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "byte 0: the data end where 1 more bytes were expected"),
        (INT, "byte 7: the data end"),
        (INT[:5], "byte 3: the data end where 4 more bytes"),
        (b"\x08\x00", "byte 1: the data end where 2 more bytes"),
        (b"\x01\x00\x01\x00", "byte 0: no type has the code 1; there are 2, 3, 4"),
        (b"\x0f\x00\x01\x07\x00\x00\x00\x00\x00", "byte 3: no type has the code 7"),
        (b"\x0d\x00\x01\x08\x00\x00\x00\x00\x00\x00", "byte 4: no type has the code 0"),
        (b"\x0f\x00\x01\x0c\x7f\xff\xff\xff\x00", "byte 4: 2147483647 items or bytes can't follow, 1 bytes are left"),
        (b"\x0f\x00\x01\x0c\xff\xff\xff\xff\x00", "byte 4: -1 items"),
        (b"\x0f\x00\x01\x04\x00\x00\x00\x02" + bytes(9), "byte 4: 2 items"),
        (b"\x0d\x00\x01\x08\x08\x00\x00\x00\x02" + bytes(9), "byte 5: 2 items"),
        (b"\x0b\x00\x01\x00\x00\x00\x05abc\x00", "byte 3: 5 items or bytes can't follow, 4 bytes are left"),
        (INT + INT + b"\x00", "field 1 comes twice"),
        (b"\x00" + INT, "byte 1: the struct has ended, but 7 bytes follow"),
    ],
)
def test_damage_is_named_by_its_place(data: bytes, message: str) -> None:
    with pytest.raises(ThriftError) as caught:
        decode_struct(data)
    assert message in str(caught.value)


def test_structs_within_structs_have_a_limit() -> None:
    inside = MAX_DEPTH - 1
    value = decode_struct(b"\x0c\x00\x01" * inside + bytes(inside + 1))
    for _ in range(inside):
        value = value[1]
    assert value == {}
    with pytest.raises(ThriftError, match=f"nested more than {MAX_DEPTH} levels"):
        decode_struct(b"\x0c\x00\x01" * MAX_DEPTH + bytes(MAX_DEPTH + 1))
    with pytest.raises(ThriftError, match="nested more than"):
        decode_struct(b"\x0f\x00\x01" + b"\x0f\x00\x00\x00\x01" * 100_000)


def test_many_small_values_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of a thousand empty structs, a byte each, is a thousand and two values."""
    data = b"\x0f\x00\x01\x0c\x00\x00\x03\xe8" + bytes(1000) + b"\x00"
    monkeypatch.setattr(task_binary, "MAX_VALUES", 1002)
    assert len(decode_struct(data)[1]) == 1000
    monkeypatch.setattr(task_binary, "MAX_VALUES", 1001)
    with pytest.raises(ThriftError, match="more than 1001 values"):
        decode_struct(data)


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_bytes_do_worse_than_a_thrift_error(data: bytes) -> None:
    with suppress(ThriftError):
        assert isinstance(decode_struct(data), dict)


@given(st.sampled_from(sorted(VALUES)), st.data())
@settings(max_examples=100, deadline=None)
def test_no_beginning_of_a_struct_is_a_struct(name: str, data: st.DataObject) -> None:
    kind, raw, _ = VALUES[name]
    whole = bytes([kind]) + b"\x00\x05" + raw + b"\x00"
    with pytest.raises(ThriftError):
        decode_struct(whole[: data.draw(st.integers(0, len(whole) - 1))])
