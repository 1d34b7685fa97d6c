"""Levels as JSON: one piece on each line, without default values. Errors name the piece and the field."""

import json
from collections import Counter
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from tumble.bounded import BoundError, json_value, read_text
from tumble.phyq.catalogue.level import PIECE_KINDS, Level, LevelError, Piece
from tumble.scene.checks import shown
from tumble.scene.files import whole_file

VERSION = 1


def to_json(level: Level) -> str:
    """The level as JSON text, from which `from_json` makes an equal level."""
    parts = [f'"version": {VERSION}', f'"birds": {json.dumps(level.birds)}']
    if level.slingshot != Level.slingshot:
        parts.append(f'"slingshot": {json.dumps(level.slingshot)}')
    for field in PIECE_KINDS:
        lines = [f"  {json.dumps(_record(piece))}" for piece in getattr(level, field)]
        if lines:
            parts.append(f'"{field}": [\n' + ",\n".join(lines) + "\n]")
    return "{" + ",\n".join(parts) + "}\n"


def from_json(text: str) -> Level:
    """The level of a JSON text; a LevelError where it is invalid."""
    try:
        document = json_value(text, hook=_object, finite=False)
    except LevelError:
        raise
    except ValueError as error:
        raise LevelError(f"this is not JSON: {error}") from None
    known = ("version", *(field.name for field in fields(Level)))
    _check_names(document, "a level", known, ("version", "birds", "pigs"))
    if document["version"] != VERSION:
        raise LevelError(f"version must be {VERSION}, got {shown(document['version'])}")
    values = {name: value for name, value in document.items() if name != "version"}
    for field, kind in PIECE_KINDS.items():
        if field in values:
            values[field] = _pieces(field, kind, values[field])
    return Level(**values)


def save(level: Level, path: str | Path) -> None:
    """Writes the level to a JSON file, atomically."""
    with whole_file(path) as temporary:
        temporary.write_text(to_json(level), encoding="utf-8")


def load(path: str | Path) -> Level:
    """Reads a level from a JSON file."""
    try:
        return from_json(read_text(path))
    except BoundError as error:
        raise LevelError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise LevelError(f"{path}: this is not UTF-8 text") from None
    except LevelError as error:
        raise LevelError(f"{path}: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise LevelError(f"the field {shown(twice)} is given twice")
    return record


def _record(piece: Piece) -> dict[str, Any]:
    values = {field.name: getattr(piece, field.name) for field in fields(piece)}
    return {field.name: values[field.name] for field in fields(piece) if values[field.name] != field.default}


def _pieces(field: str, kind: type[Piece], records: Any) -> tuple[Piece, ...]:
    if not isinstance(records, list):
        raise LevelError(f"{field} must be a list, got {shown(records)}")
    known = tuple(part.name for part in fields(kind))
    needed = tuple(part.name for part in fields(kind) if part.default is MISSING)
    pieces = []
    for k, record in enumerate(records):
        try:
            _check_names(record, f"a {kind.word}", known, needed)
            pieces.append(kind(**record))
        except LevelError as error:
            raise LevelError(f"{kind.word} {k}: {error}") from None
    return tuple(pieces)


def _check_names(record: Any, what: str, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    if not isinstance(record, dict):
        raise LevelError(f"{what} must be an object, got {shown(record)}")
    for name in record:
        if name not in known:
            raise LevelError(f"{what} has no field {shown(name)}; there are {', '.join(known)}")
    for name in needed:
        if name not in record:
            raise LevelError(f"{what} needs the field {name!r}")
