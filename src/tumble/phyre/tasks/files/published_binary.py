"""Tasks in the original binary format: Thrift's binary protocol, whose fields have numbers for names.

A file is converted to the records of the published JSON, which `published_json` reads.
"""

from collections.abc import Iterator
from typing import Any

from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.files import published_json, thrift_binary
from tumble.phyre.tasks.files.fields import by_id, checked_id, error_context, required_field
from tumble.phyre.tasks.task import Task
from tumble.scene.checks import shown

_COLLECTION = {1: "tasks"}
_TASK = {1: "id", 2: "scene", 3: "body1", 4: "body2", 5: "relations", 9: "tier"}
_SCENE = {1: "bodies", 3: "width", 4: "height"}
_BODY = {1: "position", 2: "type", 3: "angle", 4: "shapes", 5: "color"}
_SHAPE = {1: "polygon", 2: "circle"}
_POLYGON = {1: "vertices"}
_CIRCLE = {1: "radius"}
_VECTOR = {1: "x", 2: "y"}

_DYNAMIC = {1: False, 2: True}
_TOUCHING = 6


def read(data: bytes) -> dict[str, Task]:
    """All tasks of the file, by id."""
    return by_id(_tasks(_named(thrift_binary.read(data), _COLLECTION)))


def _tasks(collection: dict[str, Any]) -> Iterator[Task]:
    for k, struct in enumerate(required_field(collection, "tasks", list)):
        with error_context(f"task number {k} of the file"):
            fields = _named(struct, _TASK)
            name = checked_id(required_field(fields, "id", str))
        with error_context(f"task {name}"):
            record = _record(fields)
        yield published_json.read_task(name, record)


def _record(fields: dict[str, Any]) -> dict[str, Any]:
    relations = required_field(fields, "relations", list)
    if relations != [_TOUCHING]:
        raise TaskError(f"the only relations known are [{_TOUCHING}] (touching), got {shown(relations)}")
    scene = _named(required_field(fields, "scene", dict), _SCENE)
    bodies = required_field(scene, "bodies", list)
    return {
        "tier": fields.get("tier"),
        "goal": {"body": required_field(fields, "body1", int), "other": required_field(fields, "body2", int)},
        **scene,
        "bodies": [_body(k, struct) for k, struct in enumerate(bodies)],
    }


def _body(index: int, struct: Any) -> dict[str, Any]:
    with error_context(f"body {index}"):
        fields = _named(struct, _BODY)
        x, y = _vector(required_field(fields, "position", dict))
        kind = required_field(fields, "type", int)
        if kind not in _DYNAMIC:
            raise TaskError(f"'type' must be 1 (static) or 2 (dynamic), got {kind}")
        return {
            "x": x,
            "y": y,
            "angle": fields.get("angle", 0.0),
            "dynamic": _DYNAMIC[kind],
            "color": fields.get("color", 0),
            "shapes": [_shape(shape) for shape in required_field(fields, "shapes", list)],
        }


def _shape(struct: Any) -> dict[str, Any]:
    shape = _named(struct, _SHAPE)
    if len(shape) != 1:
        raise TaskError(f"a shape must be either a polygon or a circle, got {' and '.join(shape) or 'neither'}")
    if "circle" in shape:
        return _named(shape["circle"], _CIRCLE)
    return {"vertices": [_vector(v) for v in required_field(_named(shape["polygon"], _POLYGON), "vertices", list)]}


def _vector(struct: Any) -> tuple[Any, Any]:
    fields = _named(struct, _VECTOR)
    return fields.get("x"), fields.get("y")


def _named(struct: Any, names: dict[int, str]) -> dict[str, Any]:
    """The known fields of a struct, by name."""
    if not isinstance(struct, dict):
        raise TaskError(f"expected a struct with {', '.join(names.values())}, got {shown(struct)}")
    return {name: struct[number] for number, name in names.items() if number in struct}
