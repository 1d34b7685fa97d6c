"""Tasks as JSON, read and written: user-defined tasks with whole scenes, and the format of the published ones.

A user-defined task has a scene as `tumble.scene` writes it; a file holds one such object or a list of them:

    {"id": "mine:000", "tier": "B", "goal": {"body": "ball", "other": "floor"}, "scene": {"version": 1, "bodies": …}}

Its goal names bodies or gives their indices, and decides which bodies have the roles "object" and "subject". Its
`units_per_metre` is PHYRE's 6 if the file does not give it.

The published format is an object that has tier, goal and bodies for each id; it has no names of bodies, no
materials and no velocities:

    {"00000:000": {
        "tier": "B",
        "goal": {"body": 4, "other": 5, "relation": "touching"},
        "bodies": [{"x": 89.6, "y": 58.7, "angle": 0.0, "dynamic": true, "color": 2,
                    "shapes": [{"radius": 7.5}]}, …]}}

In both, the goal's "relation" is touching if it gives none, or a name of `RELATION_CODES`, or a list of names;
"area" is that of "inside".
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import (
    MATERIAL,
    TIERS,
    TOUCHING,
    UNITS_PER_METRE,
    Task,
    TaskError,
    relation_names,
    task_difference,
)
from tumble.scene import PALETTE, Body, Circle, Polygon, Scene, SceneError, Shape, colour_index, to_json
from tumble.scene.checks import LARGEST_NUMBER, shown
from tumble.scene.files import scene_from_record

TIER_NAMES = {"B": ("B", "BALL", "PHYRE-B"), "2B": ("2B", "TWO_BALLS", "PHYRE-2B")}
"""The names of the tiers in files, in any case."""

_KIND_NAMES = {dict: "an object", list: "a list", int: "a whole number", str: "a string"}


@contextmanager
def error_context(where: str) -> Iterator[None]:
    """Prefixes the message of an error with the place where it occurred."""
    try:
        yield
    except (TumbleError, SceneError) as error:
        raise TaskError(f"{where}: {error}") from None


def required_field(record: Any, name: str, kind: type) -> Any:
    """A field of an object, which must exist and be of this type."""
    if not isinstance(record, dict):
        raise TaskError(f"expected an object with {name!r}, got {shown(record)}")
    if name not in record:
        raise TaskError(f"{name!r} is missing")
    value = record[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TaskError(f"{name!r} must be {_KIND_NAMES[kind]}, got {shown(value)}")
    return value


def goal_relations(goal: dict[str, Any]) -> tuple[str, ...]:
    """The relations of a goal's record; touching if it gives none."""
    return relation_names(goal.get("relation", TOUCHING))


def goal_area(goal: dict[str, Any]) -> tuple[Any, ...]:
    """The vertices of a goal's area; none if its record gives none."""
    area = goal.get("area", [])
    if not isinstance(area, list) or not all(isinstance(v, list | tuple) and len(v) == 2 for v in area):
        raise TaskError(f"'area' of the goal must be a list of (x, y) pairs, got {shown(area)}")
    numbers = [number for vertex in area for number in vertex]
    if not all(type(number) in (int, float) and abs(number) <= LARGEST_NUMBER for number in numbers):
        raise TaskError(f"'area' of the goal must be a list of pairs of finite numbers, got {shown(area)}")
    return tuple(area)


def goal_record(task: Task, body: str | int, other: str | int) -> dict[str, Any]:
    """The record of a task's goal, given how it names the two bodies; the relation is left out if it is touching."""
    record: dict[str, Any] = {"body": body, "other": other}
    if not task.only_touching:
        record["relation"] = task.relations[0] if len(task.relations) == 1 else list(task.relations)
    if task.area:
        record["area"] = [list(vertex) for vertex in task.area]
    return record


def checked_id(value: Any) -> str:
    """A task id, which is any printable text without spaces."""
    if not isinstance(value, str) or not value or not value.isprintable() or " " in value:
        raise TaskError(f"an id must be text without spaces, as in mine:000, got {shown(value)}")
    return value


def tier_in_file(name: Any) -> str:
    """The tier that a file means by a name.

    >>> tier_in_file("two_balls")
    '2B'
    """
    for tier, names in TIER_NAMES.items():
        if isinstance(name, str) and name.upper() in names:
            return tier
    choices = ", ".join(f"{tier} (also {' or '.join(TIER_NAMES[tier][1:])})" for tier in TIERS)
    problem = "no tier is given" if name is None else f"no tier {shown(name)}"
    raise TaskError(f"{problem}; there are {choices}")


def checked_task(id: str, tier_name: Any, scene: Scene, body: int, other: int, goal: dict[str, Any]) -> Task:
    """A task from the contents of a file, checked; `goal` is its goal's record, `body` and `other` are indices."""
    try:
        task = Task(id, tier_in_file(tier_name), scene, body, other, goal_relations(goal), goal_area(goal))
    except TaskError as error:
        raise TaskError(str(error).removeprefix(f"task {id}: ")) from None
    check_goal(task)
    return task


def check_goal(task: Task) -> None:
    """Raises a TaskError for a goal that names one body twice."""
    if task.body == task.other:
        raise TaskError(f"the goal names body {task.body} twice; it takes two bodies")


def by_id(tasks: Iterable[Task]) -> dict[str, Task]:
    """The tasks by id; there must be at least one, and no id twice."""
    result: dict[str, Task] = {}
    for task in tasks:
        if task.id in result:
            raise TaskError(f"task {task.id} occurs twice; ids must differ")
        result[task.id] = task
    if not result:
        raise TaskError("there are no tasks")
    return result


OWN_FIELDS = ("id", "tier", "goal", "scene")


def read_own(records: list[Any]) -> dict[str, Task]:
    """The tasks of a list of records, by id."""
    return by_id(_own_task(k, record) for k, record in enumerate(records))


def write_own(tasks: Iterable[Task]) -> str:
    """The text of a JSON file with the tasks."""
    return "[\n" + ",\n".join(_own_text(task) for task in by_id(tasks).values()) + "\n]\n"


def _own_task(index: int, record: Any) -> Task:
    with error_context(f"task number {index} of the file"):
        name = checked_id(required_field(record, "id", str))
    with error_context(f"task {name}"):
        _check_names(record, OWN_FIELDS)
        goal = required_field(record, "goal", dict)
        _check_names(goal, ("body", "other", "relation", "area"))
        scene = scene_from_record({"units_per_metre": UNITS_PER_METRE, **required_field(record, "scene", dict)})
        body, other = _body_index(scene, goal, "body"), _body_index(scene, goal, "other")
        return checked_task(name, record.get("tier"), _with_roles(scene, body, other), body, other, goal)


def _check_names(record: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in record:
        if name not in known:
            raise TaskError(f"unknown field {name!r}; there are {', '.join(known)}")


def _body_index(scene: Scene, goal: dict[str, Any], name: str) -> int:
    value = goal.get(name)
    if isinstance(value, str):
        return scene.index(value)
    if type(value) is not int:
        raise TaskError(f"{name!r} of the goal must be the name or the index of a body, got {shown(value)}")
    return value


def _with_roles(scene: Scene, body: int, other: int) -> Scene:
    """The scene with the goal's two bodies, and no others, in their roles."""
    roles = {body: "object", other: "subject"}
    bodies = list(scene.bodies)
    for k, part in enumerate(bodies):
        role = roles.get(k, "" if part.role in roles.values() else part.role)
        if role != part.role:
            bodies[k] = replace(part, role=role)
    return replace(scene, bodies=tuple(bodies))


def _own_text(task: Task) -> str:
    with error_context(f"task {task.id}"):
        checked_id(task.id)
        check_goal(task)
    goal = goal_record(task, _body_name(task.scene, task.body), _body_name(task.scene, task.other))
    head = json.dumps({"id": task.id, "tier": task.tier, "goal": goal}).removesuffix("}")
    return f'{head}, "scene": {_scene_text(task.scene)}}}'


def _body_name(scene: Scene, index: int) -> str | int:
    return scene.bodies[index].name or index


def _scene_text(scene: Scene) -> str:
    """The JSON of a scene, always with its units: a reader would take PHYRE's for missing ones."""
    text = to_json(scene).strip()
    if "units_per_metre" in json.loads(text):
        return text
    return f'{{"units_per_metre": {scene.units_per_metre!r}, {text.removeprefix("{")}'


ROLES = {1: "placed", 2: "object", 3: "subject", 4: "subject"}
"""Roles of bodies by colour index; 5 and 6 have none, and for 0 or no colour the goal decides."""


def read_published(content: Mapping[str, Any]) -> dict[str, Task]:
    """All tasks of the file, by id."""
    return by_id(task_of_published_record(checked_id(name), fields) for name, fields in content.items())


def task_of_published_record(name: str, fields: Any) -> Task:
    """A task from its id and its record."""
    with error_context(f"task {name}"):
        goal = required_field(fields, "goal", dict)
        body, other = required_field(goal, "body", int), required_field(goal, "other", int)
        roles = {body: "object", other: "subject"}
        records = required_field(fields, "bodies", list)
        bodies = tuple(_published_body(k, record, roles.get(k, "")) for k, record in enumerate(records))
        view = {side: fields[side] for side in ("width", "height") if side in fields}
        scene = Scene(bodies, units_per_metre=UNITS_PER_METRE, **view)
        return checked_task(name, fields.get("tier"), scene, body, other, goal)


def write_published(tasks: Iterable[Task]) -> str:
    """The text of a JSON file with the tasks; a TaskError if the format can't hold all that a task has."""
    return "{\n" + ",\n".join(_published_text(task) for task in by_id(tasks).values()) + "\n}\n"


def _published_text(task: Task) -> str:
    with error_context(f"task {task.id}"):
        record = published_record(task)
    return f"{json.dumps(checked_id(task.id))}: {json.dumps(record)}"


def published_record(task: Task) -> dict[str, Any]:
    """The record of a task."""
    check_goal(task)
    scene = task.scene
    record = {
        "tier": task.tier,
        "goal": {"relation": TOUCHING, **goal_record(task, task.body, task.other)},
        "width": scene.width,
        "height": scene.height,
        "bodies": [_body_record(body) for body in scene.bodies],
    }
    problem = task_difference(task_of_published_record(task.id, record), task)
    if problem:
        raise TaskError(f"the published format can't hold {problem}; it has PHYRE's materials and nothing else")
    return record


def _body_record(body: Body) -> dict[str, Any]:
    return {
        "x": body.position[0],
        "y": body.position[1],
        "angle": body.angle,
        "dynamic": body.dynamic,
        "color": colour_index(body),
        "shapes": [
            {"radius": shape.radius} if isinstance(shape, Circle) else {"vertices": [list(v) for v in shape.vertices]}
            for shape in body.shapes
        ],
    }


def _published_body(index: int, fields: Any, goal_role: str) -> Body:
    with error_context(f"body {index}"):
        shapes = tuple(_published_shape(shape) for shape in required_field(fields, "shapes", list))
        for name in ("x", "y", "angle", "dynamic"):
            if name not in fields:
                raise TaskError(f"{name!r} is missing")
        try:
            return Body(
                shapes,
                position=(fields["x"], fields["y"]),
                angle=fields["angle"],
                dynamic=fields["dynamic"],
                role=_role(fields.get("color", 0), goal_role),
                **MATERIAL,
            )
        except SceneError as error:
            raise TaskError(error.problem) from None


def _role(colour: Any, goal_role: str) -> str:
    if type(colour) is not int or not 0 <= colour < len(PALETTE):
        raise TaskError(f"'color' must be a whole number from 0 to {len(PALETTE) - 1}, got {shown(colour)}")
    return ROLES.get(colour, "") if colour else goal_role


def _published_shape(fields: Any) -> Shape:
    if not isinstance(fields, dict) or ("radius" in fields) == ("vertices" in fields):
        raise TaskError(f"a shape must have either 'radius' or 'vertices', got {shown(fields)}")
    return Circle(fields["radius"]) if "radius" in fields else Polygon(fields["vertices"])
