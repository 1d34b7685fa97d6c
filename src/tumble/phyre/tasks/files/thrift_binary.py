"""Thrift's binary protocol: bytes to plain data and back, without a schema and without the Thrift library.

A struct becomes {field number: value}, a list or set a list, a map a list of (key, value) pairs (its keys may be
structs), a string a str, or bytes if it isn't UTF-8. Damaged bytes give a ThriftError that says where; time and memory
are bounded by the length of the data.

>>> read(bytes.fromhex("08 0001 0000002a 00"))  # field 1, an i32
{1: 42}
>>> write({1: 42}).hex(" ")
'08 00 01 00 00 00 2a 00'
"""

from collections.abc import Callable
from struct import Struct
from typing import Any

from tumble.errors import TumbleError

MAX_DEPTH = 64
"""How deep structs and collections may be nested."""
MAX_VALUES = 20_000_000
"""A value of one byte can take a hundred in memory, so values are counted."""

_STOP, _BOOL, _STRING, _STRUCT, _MAP, _SET, _LIST = 0, 2, 11, 12, 13, 14, 15
_DOUBLE, _I32 = 4, 8
_NUMBERS = {3: Struct(">b"), 4: Struct(">d"), 6: Struct(">h"), 8: Struct(">i"), 10: Struct(">q")}
_FIELD_NUMBER = _NUMBERS[6]
_COUNT = _NUMBERS[8]
_MIN_SIZE = {_BOOL: 1, _STRING: 4, _STRUCT: 1, _MAP: 6, _SET: 5, _LIST: 5, **{t: n.size for t, n in _NUMBERS.items()}}
"""The fewest bytes that a value of each known type takes."""


class ThriftError(TumbleError):
    """Bytes that are not a Thrift struct."""

    def __init__(self, problem: str, offset: int) -> None:
        super().__init__(f"byte {offset}: {problem}")
        self.offset = offset


def read(data: bytes) -> dict[int, Any]:
    """The struct that all the bytes encode, without a message envelope."""
    reader = _Reader(data)
    struct = reader.value(_STRUCT, 0)
    if reader.position != len(data):
        raise ThriftError(f"the struct has ended, but {len(data) - reader.position} bytes follow", reader.position)
    return dict(struct)


def write(struct: dict[int, Any]) -> bytes:
    """The bytes of a struct of ints (as i32), floats, strings, structs and lists of one type."""
    parts: list[bytes] = []
    _write(struct, parts)
    return b"".join(parts)


def _write(value: Any, parts: list[bytes]) -> None:
    kind = _kind(value)
    if kind == _STRUCT:
        for number, field in value.items():
            parts += [bytes([_kind(field)]), _FIELD_NUMBER.pack(number)]
            _write(field, parts)
        parts.append(bytes([_STOP]))
    elif kind == _LIST:
        parts += [bytes([_kind(value[0]) if value else _STRUCT]), _COUNT.pack(len(value))]
        for item in value:
            _write(item, parts)
    elif kind == _STRING:
        text = value.encode()
        parts += [_COUNT.pack(len(text)), text]
    else:
        parts.append(_NUMBERS[kind].pack(value))


def _kind(value: Any) -> int:
    """The type in which a value is written."""
    return {dict: _STRUCT, list: _LIST, str: _STRING, int: _I32, float: _DOUBLE}[type(value)]


class _Reader:
    """A position in the bytes that advances as values are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0
        self._values_left = MAX_VALUES
        self._compound: dict[int, Callable[[int], Any]] = {
            _STRUCT: self._struct,
            _MAP: self._map,
            _SET: self._list,
            _LIST: self._list,
        }

    def value(self, kind: int, depth: int) -> Any:
        """The next value, of a known type, `depth` levels within others."""
        self._values_left -= 1
        if self._values_left < 0:
            raise ThriftError(f"more than {MAX_VALUES} values", self.position)
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _BOOL:
            return self._byte() != 0
        if kind == _STRING:
            return self._string()
        if depth >= MAX_DEPTH:
            raise ThriftError(f"nested more than {MAX_DEPTH} levels deep", self.position)
        return self._compound[kind](depth + 1)

    def _struct(self, depth: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        while (kind := self._byte()) != _STOP:
            self._check_type(kind, self.position - 1)
            number = int(self._number(_FIELD_NUMBER))
            if number in fields:
                raise ThriftError(f"field {number} comes twice in one struct", self.position)
            fields[number] = self.value(kind, depth)
        return fields

    def _list(self, depth: int) -> list[Any]:
        kind = self._type()
        return [self.value(kind, depth) for _ in range(self._count(_MIN_SIZE[kind]))]

    def _map(self, depth: int) -> list[tuple[Any, Any]]:
        key, value = self._type(), self._type()
        count = self._count(_MIN_SIZE[key] + _MIN_SIZE[value])
        return [(self.value(key, depth), self.value(value, depth)) for _ in range(count)]

    def _string(self) -> str | bytes:
        start = self._take(self._count(1))
        raw = self.data[start : self.position]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw

    def _type(self) -> int:
        kind = self._byte()
        self._check_type(kind, self.position - 1)
        return kind

    def _check_type(self, kind: int, offset: int) -> None:
        if kind not in _MIN_SIZE:
            raise ThriftError(
                f"no type has the code {kind}; there are {', '.join(map(str, sorted(_MIN_SIZE)))}", offset
            )

    def _count(self, size: int) -> int:
        """How many items follow, each of at least `size` bytes."""
        count, left = int(self._number(_COUNT)), len(self.data) - self.position
        if not 0 <= count * size <= left:
            raise ThriftError(
                f"{count} items or bytes can't follow, {left} bytes are left", self.position - _COUNT.size
            )
        return count

    def _number(self, layout: Struct) -> Any:
        return layout.unpack_from(self.data, self._take(layout.size))[0]

    def _byte(self) -> int:
        return self.data[self._take(1)]

    def _take(self, size: int) -> int:
        """Advances by `size` bytes; returns where they start."""
        start = self.position
        if start + size > len(self.data):
            raise ThriftError(f"the data end where {size} more bytes were expected", start)
        self.position = start + size
        return start
