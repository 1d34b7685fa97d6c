"""Tasks in the original binary format: Thrift's binary protocol, whose fields have numbers for names.

A file is converted to the records of the published JSON, which `published_json` reads, and written from them. The area
of a goal of "inside" is the file's phantom shape.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.files import published_json, thrift_binary
from tumble.phyre.tasks.files.fields import by_id, checked_id, error_context, required_field
from tumble.phyre.tasks.relations import CODES, needs_area, relations_of_codes
from tumble.phyre.tasks.task import Task
from tumble.scene.checks import shown

_COLLECTION = {1: "tasks"}
_TASK = {1: "id", 2: "scene", 3: "body1", 4: "body2", 5: "relations", 8: "phantom", 9: "tier"}
_SCENE = {1: "bodies", 3: "width", 4: "height"}
_BODY = {1: "position", 2: "type", 3: "angle", 4: "shapes", 5: "color"}
_SHAPE = {1: "polygon", 2: "circle"}
_POLYGON = {1: "vertices"}
_CIRCLE = {1: "radius"}
_VECTOR = {1: "x", 2: "y"}

_DYNAMIC = {1: False, 2: True}
_TIERS = {"B": "BALL", "2B": "TWO_BALLS"}


def read(data: bytes, size: int = 0) -> dict[str, Task]:
    """All tasks of the data, by id; `size` is that of the file they come from, which may be compressed."""
    return by_id(_tasks(_named(thrift_binary.read(data, size), _COLLECTION)))


def write(tasks: Iterable[Task]) -> bytes:
    """The bytes of a file with the tasks; a TaskError if the format can't hold all that a task has."""
    structs = []
    for task in by_id(tasks).values():
        with error_context(f"task {task.id}"):
            record = published_json.task_record(task)
            if record["width"] % 1 or record["height"] % 1:
                raise TaskError("the binary format holds scenes of whole pixels only")
            structs.append(_task_struct(checked_id(task.id), task, record))
    return thrift_binary.write({1: structs})


def _task_struct(name: str, task: Task, record: dict[str, Any]) -> dict[int, Any]:
    scene = {
        "bodies": [_body_struct(body) for body in record["bodies"]],
        "width": int(record["width"]),
        "height": int(record["height"]),
    }
    fields = {
        "id": name,
        "scene": _numbered(scene, _SCENE),
        "body1": task.body,
        "body2": task.other,
        "relations": [CODES[relation] for relation in task.relations],
        "tier": _TIERS[task.tier],
    }
    if task.area:
        fields["phantom"] = _shape_struct({"vertices": task.area})
    return _numbered(fields, _TASK)


def _body_struct(record: dict[str, Any]) -> dict[int, Any]:
    fields = {
        "position": _vector_struct((record["x"], record["y"])),
        "type": 2 if record["dynamic"] else 1,
        "angle": record["angle"],
        "shapes": [_shape_struct(shape) for shape in record["shapes"]],
        "color": record["color"],
    }
    return _numbered(fields, _BODY)


def _shape_struct(record: Mapping[str, Any]) -> dict[int, Any]:
    if "radius" in record:
        return _numbered({"circle": _numbered(record, _CIRCLE)}, _SHAPE)
    vertices = [_vector_struct(vertex) for vertex in record["vertices"]]
    return _numbered({"polygon": _numbered({"vertices": vertices}, _POLYGON)}, _SHAPE)


def _vector_struct(vector: Iterable[float]) -> dict[int, Any]:
    return dict(zip(_VECTOR, vector, strict=True))


def _numbered(fields: Mapping[str, Any], names: dict[int, str]) -> dict[int, Any]:
    """A struct with the numbers of its fields; the reverse of `_named`."""
    return {number: fields[name] for number, name in names.items() if name in fields}


def _tasks(collection: dict[str, Any]) -> Iterator[Task]:
    for k, struct in enumerate(required_field(collection, "tasks", list)):
        with error_context(f"task number {k} of the file"):
            fields = _named(struct, _TASK)
            name = checked_id(required_field(fields, "id", str))
        with error_context(f"task {name}"):
            record = _record(fields)
        yield published_json.read_task(name, record)


def _record(fields: dict[str, Any]) -> dict[str, Any]:
    relations = relations_of_codes(required_field(fields, "relations", list))
    goal = {
        "body": required_field(fields, "body1", int),
        "other": required_field(fields, "body2", int),
        "relation": relations,
    }
    if needs_area(relations) and "phantom" in fields:
        goal["area"] = required_field(_shape(fields["phantom"]), "vertices", list)
    scene = _named(required_field(fields, "scene", dict), _SCENE)
    bodies = required_field(scene, "bodies", list)
    return {
        "tier": fields.get("tier"),
        "goal": goal,
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
