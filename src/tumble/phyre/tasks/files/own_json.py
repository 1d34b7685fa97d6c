"""User-defined tasks as JSON: a scene as `tumble.scene` writes it, and a goal.

    {"id": "mine:000", "tier": "B", "goal": {"body": "ball", "other": "floor"}, "scene": {"version": 1, "bodies": …}}

A file holds one such object or a list of them. The goal names bodies or gives their indices, and decides which bodies
have the roles "object" and "subject"; its "relation" is touching if it gives none, or a name of `relations.CODES`, or a
list of names; "area" is that of "inside". `units_per_metre` of a scene is PHYRE's 6 if the file does not give it.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

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
from tumble.phyre.tasks.task import UNITS_PER_METRE, Task
from tumble.scene import Scene, to_json
from tumble.scene.checks import shown
from tumble.scene.json_io import from_record

FIELDS = ("id", "tier", "goal", "scene")


def read(records: list[Any]) -> dict[str, Task]:
    """The tasks of a list of records, by id."""
    return by_id(_task(k, record) for k, record in enumerate(records))


def write(tasks: Iterable[Task]) -> str:
    """The text of a JSON file with the tasks."""
    return "[\n" + ",\n".join(_text(task) for task in by_id(tasks).values()) + "\n]\n"


def _task(index: int, record: Any) -> Task:
    with error_context(f"task number {index} of the file"):
        name = checked_id(required_field(record, "id", str))
    with error_context(f"task {name}"):
        _check_names(record, FIELDS)
        goal = required_field(record, "goal", dict)
        _check_names(goal, ("body", "other", "relation", "area"))
        scene = from_record({"units_per_metre": UNITS_PER_METRE, **required_field(record, "scene", dict)})
        body, other = _index(scene, goal, "body"), _index(scene, goal, "other")
        return checked_task(name, record.get("tier"), _with_roles(scene, body, other), body, other, goal)


def _check_names(record: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in record:
        if name not in known:
            raise TaskError(f"unknown field {name!r}; there are {', '.join(known)}")


def _index(scene: Scene, goal: dict[str, Any], name: str) -> int:
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


def _text(task: Task) -> str:
    with error_context(f"task {task.id}"):
        checked_id(task.id)
        check_goal(task)
    goal = goal_record(task, _name(task.scene, task.body), _name(task.scene, task.other))
    head = json.dumps({"id": task.id, "tier": task.tier, "goal": goal}).removesuffix("}")
    return f'{head}, "scene": {_scene_text(task.scene)}}}'


def _name(scene: Scene, index: int) -> str | int:
    return scene.bodies[index].name or index


def _scene_text(scene: Scene) -> str:
    """The JSON of a scene, always with its units: a reader would take PHYRE's for missing ones."""
    text = to_json(scene).strip()
    if "units_per_metre" in json.loads(text):
        return text
    return f'{{"units_per_metre": {scene.units_per_metre!r}, {text.removeprefix("{")}'
