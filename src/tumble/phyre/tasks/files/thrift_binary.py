"""A reader of Thrift's binary protocol: bytes to plain data, without a schema and without the Thrift library.

A struct becomes {field number: value}, a list or set a list, a map a list of (key, value) pairs (its keys may be
structs), a string a str, or bytes where it isn't UTF-8. Damaged bytes give a ThriftError that says where; they cost
neither time nor memory beyond what their length allows.
"""

from collections.abc import Callable
from struct import Struct
from typing import Any

DEEPEST = 64
"""How many structs and collections may lie within each other."""
MOST_VALUES = 20_000_000
"""A byte can stand for a value that takes a hundred in memory, so these are counted."""

_STOP, _BOOL, _STRING, _STRUCT, _MAP, _SET, _LIST = 0, 2, 11, 12, 13, 14, 15
_NUMBERS = {3: Struct(">b"), 4: Struct(">d"), 6: Struct(">h"), 8: Struct(">i"), 10: Struct(">q")}
_FIELD_NUMBER = _NUMBERS[6]
_COUNT = _NUMBERS[8]
_SMALLEST = {_BOOL: 1, _STRING: 4, _STRUCT: 1, _MAP: 6, _SET: 5, _LIST: 5, **{t: n.size for t, n in _NUMBERS.items()}}
"""The fewest bytes that a value of each type takes; its keys are the types that there are."""


class ThriftError(ValueError):
    """Bytes that are not a Thrift struct."""

    def __init__(self, problem: str, offset: int) -> None:
        super().__init__(f"byte {offset}: {problem}")
        self.offset = offset


def read(data: bytes) -> dict[int, Any]:
    """The struct that the bytes are, all of them; it has no message envelope around it."""
    reader = _Reader(data)
    struct = reader.value(_STRUCT, 0)
    if reader.at != len(data):
        raise ThriftError(f"the struct has ended, but {len(data) - reader.at} bytes follow", reader.at)
    return dict(struct)


class _Reader:
    """A place in the bytes that moves on as values are read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self._room = MOST_VALUES
        self._compound: dict[int, Callable[[int], Any]] = {
            _STRUCT: self._struct,
            _MAP: self._map,
            _SET: self._list,
            _LIST: self._list,
        }

    def value(self, kind: int, depth: int) -> Any:
        """The next value, of a known type, `depth` levels within others."""
        self._room -= 1
        if self._room < 0:
            raise ThriftError(f"more than {MOST_VALUES} values", self.at)
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _BOOL:
            return self._byte() != 0
        if kind == _STRING:
            return self._string()
        if depth >= DEEPEST:
            raise ThriftError(f"nested more than {DEEPEST} levels deep", self.at)
        return self._compound[kind](depth + 1)

    def _struct(self, depth: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        while (kind := self._byte()) != _STOP:
            self._check_type(kind, self.at - 1)
            number = int(self._number(_FIELD_NUMBER))
            if number in fields:
                raise ThriftError(f"field {number} comes twice in one struct", self.at)
            fields[number] = self.value(kind, depth)
        return fields

    def _list(self, depth: int) -> list[Any]:
        kind = self._type()
        return [self.value(kind, depth) for _ in range(self._count(_SMALLEST[kind]))]

    def _map(self, depth: int) -> list[tuple[Any, Any]]:
        key, value = self._type(), self._type()
        count = self._count(_SMALLEST[key] + _SMALLEST[value])
        return [(self.value(key, depth), self.value(value, depth)) for _ in range(count)]

    def _string(self) -> str | bytes:
        start = self._take(self._count(1))
        raw = self.data[start : self.at]
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw

    def _type(self) -> int:
        kind = self._byte()
        self._check_type(kind, self.at - 1)
        return kind

    def _check_type(self, kind: int, offset: int) -> None:
        if kind not in _SMALLEST:
            raise ThriftError(
                f"no type has the code {kind}; there are {', '.join(map(str, sorted(_SMALLEST)))}", offset
            )

    def _count(self, size: int) -> int:
        """How many items follow, of so many bytes at least."""
        count, left = int(self._number(_COUNT)), len(self.data) - self.at
        if not 0 <= count * size <= left:
            raise ThriftError(f"{count} items or bytes can't follow, {left} bytes are left", self.at - _COUNT.size)
        return count

    def _number(self, form: Struct) -> Any:
        return form.unpack_from(self.data, self._take(form.size))[0]

    def _byte(self) -> int:
        return self.data[self._take(1)]

    def _take(self, size: int) -> int:
        """Move on by so many bytes; where they start."""
        start = self.at
        if start + size > len(self.data):
            raise ThriftError(f"the data end where {size} more bytes were expected", start)
        self.at = start + size
        return start
