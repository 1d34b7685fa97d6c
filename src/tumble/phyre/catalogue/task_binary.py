"""Tasks in the original binary format, and Thrift's binary protocol, in which it is written.

A file is converted to the records of the published JSON, which `task_json` reads, and written from them; in
Thrift's structs, fields have numbers for names. The area of a goal of "inside" is the file's phantom shape.

The protocol is read and written without a schema and without the Thrift library. A struct becomes {field number:
value}, a list or set a list, a map a list of (key, value) pairs (its keys may be structs), a string a str, or bytes
if it isn't UTF-8. Damaged bytes give a ThriftError that says where; time and memory are bounded by the length of
the data.

>>> decode_struct(bytes.fromhex("08 0001 0000002a 00"))  # field 1, an i32
{1: 42}
>>> encode_struct({1: 42}).hex(" ")
'08 00 01 00 00 00 2a 00'
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from struct import Struct
from typing import Any

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import RELATION_CODES, Task, TaskError, needs_area, relations_of_codes
from tumble.phyre.catalogue.task_json import (
    by_id,
    checked_id,
    error_context,
    published_record,
    required_field,
    task_of_published_record,
)
from tumble.scene.checks import shown

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


def decode_struct(data: bytes, size: int = 0) -> dict[int, Any]:
    """The struct that all the bytes encode, without a message envelope; `size` is that of the file they come from."""
    reader = _Reader(data, size)
    struct = reader.value(_STRUCT, 0)
    if reader.position != len(data):
        raise ThriftError(f"the struct has ended, but {len(data) - reader.position} bytes follow", reader.position)
    return dict(struct)


def encode_struct(struct: dict[int, Any]) -> bytes:
    """The bytes of a struct of ints (as i32), floats, strings, structs and lists of one type."""
    parts: list[bytes] = []
    _encode_value(struct, parts)
    return b"".join(parts)


def _encode_value(value: Any, parts: list[bytes]) -> None:
    kind = _kind(value)
    if kind == _STRUCT:
        for number, field in value.items():
            parts += [bytes([_kind(field)]), _FIELD_NUMBER.pack(number)]
            _encode_value(field, parts)
        parts.append(bytes([_STOP]))
    elif kind == _LIST:
        parts += [bytes([_kind(value[0]) if value else _STRUCT]), _COUNT.pack(len(value))]
        for item in value:
            _encode_value(item, parts)
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


def read_binary(data: bytes, size: int = 0) -> dict[str, Task]:
    """All tasks of the data, by id; `size` is that of the file they come from, which may be compressed."""
    return by_id(_tasks(_named(decode_struct(data, size), _COLLECTION)))


def write_binary(tasks: Iterable[Task]) -> bytes:
    """The bytes of a file with the tasks; a TaskError if the format can't hold all that a task has."""
    structs = []
    for task in by_id(tasks).values():
        with error_context(f"task {task.id}"):
            record = published_record(task)
            if record["width"] % 1 or record["height"] % 1:
                raise TaskError("the binary format holds scenes of whole pixels only")
            structs.append(_task_struct(checked_id(task.id), task, record))
    return encode_struct({1: structs})


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
        "relations": [RELATION_CODES[relation] for relation in task.relations],
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
        yield task_of_published_record(name, record)


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
