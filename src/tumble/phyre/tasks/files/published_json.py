"""Tasks in the form of the published JSON: an object that has, for each id, tier, goal and bodies.

{"00000:000": {
    "tier": "B",
    "goal": {"body": 4, "other": 5, "relation": "touching"},
    "bodies": [{"x": 89.6, "y": 58.7, "angle": 0.0, "dynamic": true, "color": 2, "shapes": [{"radius": 7.5}]}, …]}}
"""

from collections.abc import Mapping
from typing import Any

from tumble.phyre.tasks.files.fields import about, by_id, check_relation, entry, finished, task_id
from tumble.phyre.tasks.task import MATERIAL, UNITS_PER_METRE, Task
from tumble.scene import PALETTE, Body, Circle, Polygon, Scene, SceneError, Shape
from tumble.scene.checks import shown

ROLES = {1: "placed", 2: "object", 3: "subject", 4: "subject"}
"""Roles of bodies by the index of their colour; 5 and 6 have none, and 0 or no colour leaves it to the goal."""


def read(content: Mapping[str, Any]) -> dict[str, Task]:
    """All tasks of the file, by id."""
    return by_id(read_task(task_id(name), fields) for name, fields in content.items())


def read_task(name: str, fields: Any) -> Task:
    """A task from its id and its record."""
    with about(f"task {name}"):
        goal = entry(fields, "goal", dict)
        check_relation(goal)
        body, other = entry(goal, "body", int), entry(goal, "other", int)
        roles = {body: "object", other: "subject"}
        bodies = tuple(_body(k, record, roles.get(k, "")) for k, record in enumerate(entry(fields, "bodies", list)))
        view = {side: fields[side] for side in ("width", "height") if side in fields}
        scene = Scene(bodies, units_per_metre=UNITS_PER_METRE, **view)
        return finished(name, fields.get("tier"), scene, body, other)


def _body(index: int, fields: Any, goal_role: str) -> Body:
    with about(f"body {index}"):
        shapes = tuple(_shape(shape) for shape in entry(fields, "shapes", list))
        for name in ("x", "y", "angle", "dynamic"):
            if name not in fields:
                raise ValueError(f"{name!r} is missing")
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
            raise ValueError(error.problem) from None


def _role(colour: Any, goal_role: str) -> str:
    if type(colour) is not int or not 0 <= colour < len(PALETTE):
        raise ValueError(f"'color' must be a whole number from 0 to {len(PALETTE) - 1}, got {shown(colour)}")
    return ROLES.get(colour, "") if colour else goal_role


def _shape(fields: Any) -> Shape:
    if not isinstance(fields, dict) or ("radius" in fields) == ("vertices" in fields):
        raise ValueError(f"a shape must have either 'radius' or 'vertices', got {shown(fields)}")
    return Circle(fields["radius"]) if "radius" in fields else Polygon(fields["vertices"])
