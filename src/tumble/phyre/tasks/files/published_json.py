"""Tasks in the published JSON format: an object that has tier, goal and bodies for each id.

{"00000:000": {
    "tier": "B",
    "goal": {"body": 4, "other": 5, "relation": "touching"},
    "bodies": [{"x": 89.6, "y": 58.7, "angle": 0.0, "dynamic": true, "color": 2, "shapes": [{"radius": 7.5}]}, …]}}
"""

from collections.abc import Mapping
from typing import Any

from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.files.fields import (
    by_id,
    check_relation,
    checked_id,
    checked_task,
    error_context,
    required_field,
)
from tumble.phyre.tasks.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import PALETTE, Body, Circle, Polygon, Scene, SceneError, Shape
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
        check_relation(goal)
        body, other = required_field(goal, "body", int), required_field(goal, "other", int)
        roles = {body: "object", other: "subject"}
        records = required_field(fields, "bodies", list)
        bodies = tuple(_body(k, record, roles.get(k, "")) for k, record in enumerate(records))
        view = {side: fields[side] for side in ("width", "height") if side in fields}
        scene = Scene(bodies, units_per_metre=UNITS_PER_METRE, **view)
        return checked_task(name, fields.get("tier"), scene, body, other)


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
