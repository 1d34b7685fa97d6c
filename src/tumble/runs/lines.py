"""JSON lines that are chained by digests, so that a change anywhere in a file is noticed.

Each line ends with the beginning of the SHA-256 of the digest before it and of its own content:

    {"task":"00003:017","done":1,"sha256":"0f343b0931126a20"}
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from tumble.errors import TumbleError

Row = dict[str, Any]

DIGITS = 16
"""Hexadecimal digits of a line's digest."""
_SEPARATOR = b',"sha256":"'
_END = b'"}'
_TAIL = len(_SEPARATOR) + DIGITS + len(_END)


class LinesError(TumbleError):
    """A file with a damaged line that is not its end."""


@dataclass
class Lines:
    """The undamaged rows at the beginning of a file."""

    rows: list[Row] = field(default_factory=list)
    last_digest: str = ""
    """Of the last row."""
    size: int = 0
    """Bytes of these rows."""


def encode(rows: Iterable[Row], last_digest: str) -> tuple[bytes, str]:
    """Rows as lines that follow a line with `last_digest` ("" for none), and the digest of the last."""
    parts = []
    for row in rows:
        content = json.dumps(row, separators=(",", ":"), allow_nan=False).encode()[:-1]
        last_digest = _digest(content, last_digest)
        parts += [content, _SEPARATOR, last_digest.encode(), _END, b"\n"]
    return b"".join(parts), last_digest


def decode(raw: bytes, path: Path) -> Lines:
    """The rows of a file's bytes up to the first damaged line.

    A kill may damage the end of a file. Damage that is followed by undamaged lines has another cause: LinesError.
    """
    lines = raw.split(b"\n")[:-1]  # the last piece is incomplete
    found = Lines()
    for number, line in enumerate(lines):
        row = _row(line, found.last_digest)
        if row is None:
            if _any_follows(lines[number:]):
                keep = f"keep only its first {number} lines and resume, or " if number else ""
                raise LinesError(
                    f"{path}, line {number + 1}: damaged, although later lines are not; restore the file from a copy, "
                    f"or {keep}delete it and start a new run"
                )
            break
        found.rows.append(row)
        found.last_digest = stated_digest(line)
        found.size += len(line) + 1
    return found


def stated_digest(line: bytes) -> str:
    """The digest at the end of a line; meaningless if the line has none."""
    return line[-DIGITS - len(_END) : -len(_END)].decode("latin-1")


def _row(line: bytes, last_digest: str) -> Row | None:
    """The row of a line without its digest; None if the line is damaged."""
    content = line[:-_TAIL]
    if line != b"".join([content, _SEPARATOR, _digest(content, last_digest).encode(), _END]):
        return None
    try:
        row = json.loads(content + b"}")
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _any_follows(lines: Sequence[bytes]) -> bool:
    """Whether any line after the first is undamaged, given the digest that the line before it states."""
    return any(
        _row(line, stated_digest(before)) is not None for before, line in zip(lines[:-1], lines[1:], strict=True)
    )


def _digest(content: bytes, last_digest: str) -> str:
    return sha256(last_digest.encode("latin-1") + content).hexdigest()[:DIGITS]
