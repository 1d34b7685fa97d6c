"""What the pages of a Parquet file hold, as their own headers say, read before a page is unpacked.

The file's metadata says how large columns are, too, but a reader unpacks what the pages say. A page of a few bytes may
unpack to gigabytes, and a page that is small when it is unpacked may repeat one value a billion times. Headers of pages
are structs of Thrift's compact protocol.
"""

from dataclasses import dataclass
from typing import Any

DATA_PAGE, DICTIONARY_PAGE = 0, 2
ENCODINGS = frozenset((0, 2, 3, 8))
"""Plain, run lengths, and indices of a dictionary: those that logs are written with. Others repeat parts of texts."""
CODECS = frozenset(("ZSTD", "UNCOMPRESSED"))
MOST_PAGES = 20_000
LONGEST_HEADER = 1 << 16
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
            header = _Header(raw, start, min(end, start + LONGEST_HEADER))
            fields = header.struct()
            kind, unpacked, packed = (_whole(fields, name) for name in (_TYPE, _UNPACKED, _PACKED))
            content = fields.get({DATA_PAGE: _DATA, DICTIONARY_PAGE: _DICTIONARY}.get(kind, 0))
            if not isinstance(content, dict) or _whole(content, _ENCODING) not in ENCODINGS:
                raise ValueError("a page is of a kind that logs do not have")
            values += _whole(content, _VALUES) if kind == DATA_PAGE else 0
            self.unpacked += unpacked
            self.count += 1
            if self.count > MOST_PAGES:
                raise ValueError(f"it has more than {MOST_PAGES:,} pages")
            start = header.at + packed
        if start != end:
            raise ValueError("its pages do not fill its columns")
        self.most_values = max(self.most_values, values)


def _whole(fields: dict[int, Any], name: int) -> int:
    """A field that must be a whole number, 0 or more."""
    value = fields.get(name)
    if type(value) is not int or value < 0:
        raise ValueError("the header of a page is damaged")
    return value


class _Header:
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
