"""Tasks in the published JSON format: an object that has tier, goal and bodies for each id.

{"00000:000": {
    "tier": "B",
    "goal": {"body": 4, "other": 5, "relation": "touching"},
    "bodies": [{"x": 89.6, "y": 58.7, "angle": 0.0, "dynamic": true, "color": 2, "shapes": [{"radius": 7.5}]}, …]}}

All published tasks have the goal "touching"; "relation" may also be another name of `relations.CODES` or a list of
names, and "area" is that of "inside". The format has no names of bodies, no materials and no velocities.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tumble.phyre.tasks.compare import difference
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.files.fields import (
    by_id,
    check_goal,
    checked_id,
    checked_task,
    error_context,
    goal_record,
    required_field,
)
from tumble.phyre.tasks.relations import TOUCHING
from tumble.phyre.tasks.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import PALETTE, Body, Circle, Polygon, Scene, SceneError, Shape, colour_index
from tumble.scene.checks import shown

ROLES = {1: "placed", 2: "object", 3: "subject", 4: "subject"}
"""Roles of bodies by colour index; 5 and 6 have none, and for 0 or no colour the goal decides."""


def read(content: Mapping[str, Any]) -> dict[str, Task]:
    """All tasks of the file, by id."""
    return by_id(read_task(checked_id(name), fields) for name, fields in content.items())


def read_task(name: str, fields: Any) -> Task:
    """A task from its id and its record."""
    with error_context(f"task {name}"):
        goal = required_field(fields, "goal", dict)
        body, other = required_field(goal, "body", int), required_field(goal, "other", int)
        roles = {body: "object", other: "subject"}
        records = required_field(fields, "bodies", list)
        bodies = tuple(_body(k, record, roles.get(k, "")) for k, record in enumerate(records))
        view = {side: fields[side] for side in ("width", "height") if side in fields}
        scene = Scene(bodies, units_per_metre=UNITS_PER_METRE, **view)
        return checked_task(name, fields.get("tier"), scene, body, other, goal)


def write(tasks: Iterable[Task]) -> str:
    """The text of a JSON file with the tasks; a TaskError if the format can't hold all that a task has."""
    return "{\n" + ",\n".join(_text(task) for task in by_id(tasks).values()) + "\n}\n"


def _text(task: Task) -> str:
    with error_context(f"task {task.id}"):
        record = task_record(task)
    return f"{json.dumps(checked_id(task.id))}: {json.dumps(record)}"


def task_record(task: Task) -> dict[str, Any]:
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
    problem = difference(read_task(task.id, record), task)
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


def _body(index: int, fields: Any, goal_role: str) -> Body:
    with error_context(f"body {index}"):
        shapes = tuple(_shape(shape) for shape in required_field(fields, "shapes", list))
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


def _shape(fields: Any) -> Shape:
    if not isinstance(fields, dict) or ("radius" in fields) == ("vertices" in fields):
        raise TaskError(f"a shape must have either 'radius' or 'vertices', got {shown(fields)}")
    return Circle(fields["radius"]) if "radius" in fields else Polygon(fields["vertices"])
