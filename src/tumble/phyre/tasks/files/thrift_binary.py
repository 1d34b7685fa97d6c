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
MAX_VALUES = 2_000_000
"""A value of one byte can take a hundred in memory, and long to read, so values are counted …"""
BYTES_PER_VALUE = 8
"""… and beyond these, one for so many bytes. The published tasks are 1.3 million in 10 MB."""

_STOP, _BOOL, _STRING, _STRUCT, _MAP, _SET, _LIST = 0, 2, 11, 12, 13, 14, 15
_DOUBLE, _I32 = 4, 8
_NUMBERS = {3: Struct(">b"), 4: Struct(">d"), 6: Struct(">h"), 8: Struct(">i"), 10: Struct(">q")}
_FIELD_NUMBER = _NUMBERS[6]
_COUNT = _NUMBERS[8]
_FIELDS = [Struct(">h" + _NUMBERS[code].format[1:]) if code in _NUMBERS else None for code in range(256)]
"""The layouts of fields that are numbers, by the code of their type: the field's number, then its value."""
_LONGEST_FIELD = 11
"""Bytes of such a field, with its type."""
_MIN_SIZE = {_BOOL: 1, _STRING: 4, _STRUCT: 1, _MAP: 6, _SET: 5, _LIST: 5, **{t: n.size for t, n in _NUMBERS.items()}}
"""The fewest bytes that a value of each known type takes."""


class ThriftError(TumbleError):
    """Bytes that are not a Thrift struct."""

    def __init__(self, problem: str, offset: int) -> None:
        super().__init__(f"byte {offset}: {problem}")
        self.offset = offset


def read(data: bytes, size: int = 0) -> dict[int, Any]:
    """The struct that all the bytes encode, without a message envelope; `size` is that of the file they come from."""
    reader = _Reader(data, size)
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

    def __init__(self, data: bytes, size: int) -> None:
        self.data = data
        self.position = 0
        self._size = len(data)
        self._most_values = self._values_left = MAX_VALUES + size // BYTES_PER_VALUE
        self._compound: dict[int, Callable[[int], Any]] = {
            _STRUCT: self._struct,
            _MAP: self._map,
            _SET: self._list,
            _LIST: self._list,
        }

    def value(self, kind: int, depth: int) -> Any:
        """The next value, of a known type, `depth` levels within others."""
        self._values_left -= 1
        self._check_values()
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _BOOL:
            return self._byte() != 0
        if kind == _STRING:
            return self._string()
        if depth >= MAX_DEPTH:
            raise ThriftError(f"nested more than {MAX_DEPTH} levels deep", self.position)
        return self._compound[kind](depth + 1)

    def _check_values(self) -> None:
        if self._values_left < 0:
            raise ThriftError(f"more than {self._most_values} values", self.position)

    def _struct(self, depth: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        data, at, last = self.data, self.position, self._size - _LONGEST_FIELD
        numbers = 0
        while True:
            layout = _FIELDS[data[at]] if at < last else None
            if layout is not None:  # nearly all fields are numbers: this is what takes the time
                number, value = layout.unpack_from(data, at + 1)
                at += 1 + layout.size
                numbers += 1
            else:
                self.position = at
                kind = self._byte()
                if kind == _STOP:
                    self._values_left -= numbers
                    self._check_values()
                    return fields
                self._check_type(kind, at)
                number, value = int(self._number(_FIELD_NUMBER)), None
                if number not in fields:
                    value = self.value(kind, depth)
                at = self.position
            if number in fields:
                raise ThriftError(f"field {number} comes twice in one struct", at)
            fields[number] = value

    def _list(self, depth: int) -> list[Any]:
        kind = self._type()
        if kind == _STRUCT and depth < MAX_DEPTH:
            count = self._count(_MIN_SIZE[kind])
            self._values_left -= count
            self._check_values()
            return [self._struct(depth + 1) for _ in range(count)]
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
