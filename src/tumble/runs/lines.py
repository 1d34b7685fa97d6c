"""JSON lines that are chained by digests, so that a change anywhere in a file is noticed.

Each line ends with the beginning of the SHA-256 of the digest before it and of its own content:

    {"task":"00003:017","done":1,"sha256":"0f343b0931126a20"}
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.bounded import json_value
from tumble.errors import TumbleError

Row = dict[str, Any]

DIGITS = 16
"""Hexadecimal digits of a line's digest."""
_SEPARATOR = b',"sha256":"'
_END = b'"}'
_TAIL = len(_SEPARATOR) + DIGITS + len(_END)


class LinesError(TumbleError):
    """A file with a damaged line."""


@dataclass
class Lines:
    """The rows of a file, without an incomplete last line."""

    rows: list[Row] = field(default_factory=list)
    last_digest: str = ""
    """Of the last row."""
    size: int = 0
    """Bytes of these rows."""


def encode(rows: Iterable[Row], last_digest: str) -> tuple[bytes, str]:
    """Rows as lines that follow a line with `last_digest` ("" for none), and the digest of the last."""
    texts = (json.dumps(row, separators=(",", ":"), allow_nan=False).encode() for row in rows)
    return chained(texts, last_digest)


def chained(texts: Iterable[bytes], last_digest: str) -> tuple[bytes, str]:
    """JSON objects as lines with digests, and the digest of the last."""
    parts = []
    for text in texts:
        content = text[:-1]  # without its closing bracket
        last_digest = _digest(content, last_digest)
        parts += [content, _tail(last_digest), b"\n"]
    return b"".join(parts), last_digest


def decode(raw: bytes, path: Path) -> Lines:
    """The rows of a file's bytes; none if its first line is not such a row.

    A kill leaves at most an incomplete last line, which is ignored. Any other damage is an error.
    """
    found = Lines()
    for number, line in enumerate(raw.split(b"\n")[:-1], start=1):
        content = line[:-_TAIL]
        digest = _digest(content, found.last_digest)
        row = _row(content) if line[-_TAIL:] == _tail(digest) else None
        if row is None and number == 1:
            break
        if row is None:
            raise LinesError(
                f"{path}, line {number}: damaged; restore the file from a copy, or keep only its first {number - 1} "
                "lines and resume, or delete it and start a new run"
            )
        found.rows.append(row)
        found.last_digest = digest
        found.size += len(line) + 1
    return found


def _row(content: bytes) -> Row | None:
    """The row of a line without its tail; None if it is no JSON object."""
    try:
        row = json_value(content + b"}")
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _tail(digest: str) -> bytes:
    return _SEPARATOR + digest.encode() + _END


def _digest(content: bytes, last_digest: str) -> str:
    return sha256(last_digest.encode() + content).hexdigest()[:DIGITS]
