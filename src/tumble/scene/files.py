"""Writing a file whole or not at all; scenes as JSON files.

Scenes are written without defaults, one body per line; errors name the field. The field names are those of the
dataclasses, so that a new field needs no code here.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from tumble.bounded import BoundError, json_value, read_text
from tumble.scene.checks import SceneError, body_label, number_problems
from tumble.scene.scene import Body, Scene
from tumble.scene.shapes import Circle, Polygon, Shape, Vec


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it replaces `path` if the block ends without an error."""
    target = Path(path)
    temporary = target.with_name(f".{uuid4().hex}{target.suffix}")
    try:
        yield temporary
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):  # what failed first is what is reported
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(target)) from error  # as when the disk is full
        raise


SCENE_VERSION = 1

_SHAPE_TYPES: dict[str, type[Circle] | type[Polygon]] = {"circle": Circle, "polygon": Polygon}


def to_json(scene: Scene) -> str:
    """The scene as JSON text; `from_json` gives back an equal scene."""
    record = {"version": SCENE_VERSION, **_changed_fields(scene)}
    del record["bodies"]
    head = json.dumps(record).removesuffix("}")
    lines = ",\n".join(json.dumps(_body_record(body)) for body in scene.bodies)
    return f'{head}, "bodies": [\n{lines}\n]}}\n'


def from_json(text: str) -> Scene:
    """The scene that a JSON text describes; a SceneError names the field that is wrong."""
    try:
        document = json_value(text, hook=_Record, finite=False)
    except ValueError as error:
        raise SceneError(f"this is not JSON: {error}", "JSON text") from None
    return scene_from_record(document)


def scene_from_record(document: Any) -> Scene:
    """The scene that the value of a JSON text describes, likewise."""
    values = _read_fields(document, "", Scene, extra="version")
    if document["version"] != SCENE_VERSION:
        raise SceneError(f"expected {SCENE_VERSION}, got {_shown(document['version'])}", "version")
    return Scene(**values)


def save(scene: Scene, path: str | Path) -> None:
    """Write the scene to a JSON file, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(to_json(scene), encoding="utf-8")


def load(path: str | Path) -> Scene:
    """Read a scene from a JSON file."""
    try:
        return from_json(read_text(path))
    except BoundError as error:
        raise SceneError(str(error), str(path)) from None
    except UnicodeDecodeError:
        raise SceneError("this is not UTF-8 text", str(path)) from None
    except SceneError as error:
        raise SceneError(str(error), str(path)) from None


def _changed_fields(part: Scene | Body | Shape) -> dict[str, Any]:
    values = {field.name: getattr(part, field.name) for field in fields(part)}
    return {field.name: values[field.name] for field in fields(part) if values[field.name] != field.default}


def _body_record(body: Body) -> dict[str, Any]:
    shapes = [{"type": type(shape).__name__.lower(), **_changed_fields(shape)} for shape in body.shapes]
    return {**_changed_fields(body), "shapes": shapes}


class _Record(dict[str, Any]):
    """A JSON object that records a repeated field."""

    __slots__ = ("repeated",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = ""
        if len(self) < len(pairs):
            self.repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def _wrong(expected: str, value: object, where: str) -> SceneError:
    return SceneError(f"expected {expected}, got {_shown(value)}", where)


def _read_fields(value: Any, where: str, kind: type, extra: str | None = None) -> dict[str, Any]:
    """The checked values of an object's fields, which must be those of a dataclass and `extra`."""
    if not isinstance(value, dict):
        raise _wrong("an object", value, where or "scene")
    known = {field.name: field for field in fields(kind)}
    names = [*known, extra] if extra else list(known)
    prefix = f"{where}." if where else ""
    if isinstance(value, _Record) and value.repeated:
        raise SceneError("this field is given twice", prefix + value.repeated)
    for name in value:
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known fields: {', '.join(names)}"
            raise SceneError(f"unknown field; {hint}", prefix + name)
    required = [name for name, field in known.items() if field.default is MISSING]
    for name in [*required, extra] if extra else required:
        if name not in value:
            raise SceneError("this field is missing", prefix + name)
    return {name: _READERS[known[name].type](value[name], prefix + name) for name in known if name in value}


def _read_number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong("a number", value, where)
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    for _ in number_problems(where, number):
        raise _wrong("a finite number of reasonable size", number, where)
    return number


def _read_plain(kind: type, expected: str, value: Any, where: str) -> Any:
    if type(value) is not kind:
        raise _wrong(expected, value, where)
    return value


def _read_list(read_item: Callable[[Any, str], Any], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong("a list", value, where)
    return tuple(read_item(item, f"{where}[{k}]") for k, item in enumerate(value))


def _read_vector(value: Any, where: str) -> Any:
    if not isinstance(value, list) or len(value) != 2:
        raise _wrong("a pair of numbers [x, y]", value, where)
    return _read_list(_read_number, value, where)


def _read_shape(value: Any, where: str) -> Shape:
    if not isinstance(value, dict):
        raise _wrong("an object", value, where)
    if "type" not in value:
        raise SceneError("this field is missing", f"{where}.type")
    kind = value["type"]
    if not isinstance(kind, str) or kind not in _SHAPE_TYPES:
        raise _wrong(" or ".join(f'"{name}"' for name in _SHAPE_TYPES), kind, f"{where}.type")
    return _SHAPE_TYPES[kind](**_read_fields(value, where, _SHAPE_TYPES[kind], extra="type"))


def _read_bodies(value: Any, where: str) -> tuple[Body, ...]:
    records = _read_list(lambda item, place: _read_fields(item, place, Body), value, where)
    return tuple(_built_body(k, record) for k, record in enumerate(records))


def _built_body(index: int, values: dict[str, Any]) -> Body:
    try:
        return Body(**values)
    except SceneError as error:
        raise SceneError(error.problem, body_label(values.get("name"), index)) from None


_READERS: dict[Any, Callable[[Any, str], Any]] = {
    float: _read_number,
    bool: partial(_read_plain, bool, "true or false"),
    int: partial(_read_plain, int, "a whole number"),
    str: partial(_read_plain, str, "a string"),
    Vec: _read_vector,
    tuple[Vec, ...]: partial(_read_list, _read_vector),
    tuple[Shape, ...]: partial(_read_list, _read_shape),
    tuple[Body, ...]: _read_bodies,
}
