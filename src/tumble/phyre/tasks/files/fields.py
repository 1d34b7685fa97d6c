"""Shared by the readers of task files: required fields, ids, tiers, goals, and errors that say where."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tumble.errors import TumbleError
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.relations import TOUCHING, relation_names
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene, SceneError
from tumble.scene.checks import LARGEST_NUMBER, shown

TIER_NAMES = {"B": ("B", "BALL", "PHYRE-B"), "2B": ("2B", "TWO_BALLS", "PHYRE-2B")}
"""The names of the tiers in files, in any case."""

_KINDS = {dict: "an object", list: "a list", int: "a whole number", str: "a string"}


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
        raise TaskError(f"{name!r} must be {_KINDS[kind]}, got {shown(value)}")
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
