"""What the readers of task files share: fields that must be there, ids, tiers, roles, and errors that say where."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene
from tumble.scene.checks import shown

TIER_NAMES = {"B": ("B", "BALL", "PHYRE-B"), "2B": ("2B", "TWO_BALLS", "PHYRE-2B")}
"""What files call the tiers, in capitals or not."""

_KINDS = {dict: "an object", list: "a list", int: "a whole number", str: "a string"}


@contextmanager
def about(where: str) -> Iterator[None]:
    """Put the place in front of what a ValueError says."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def entry(record: Any, name: str, kind: type) -> Any:
    """A field of an object, which must be there and of this kind."""
    if not isinstance(record, dict):
        raise ValueError(f"expected an object with {name!r}, got {shown(record)}")
    if name not in record:
        raise ValueError(f"{name!r} is missing")
    value = record[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name!r} must be {_KINDS[kind]}, got {shown(value)}")
    return value


def check_relation(goal: dict[str, Any]) -> None:
    """Refuse goals other than touching."""
    if goal.get("relation", "touching") != "touching":
        raise ValueError(f"the only relation is 'touching', got {shown(goal['relation'])}")


def task_id(value: Any) -> str:
    """An id: any text that prints, without spaces."""
    if not isinstance(value, str) or not value or not value.isprintable() or " " in value:
        raise ValueError(f"an id must be text without spaces, as in mine:000, got {shown(value)}")
    return value


def tier(name: Any) -> str:
    """The tier that a file names."""
    for known, names in TIER_NAMES.items():
        if isinstance(name, str) and name.upper() in names:
            return known
    listed = ", ".join(f"{known} (also {' or '.join(TIER_NAMES[known][1:])})" for known in TIERS)
    problem = "no tier is given" if name is None else f"no tier {shown(name)}"
    raise ValueError(f"{problem}; there are {listed}")


def finished(id: str, tier_name: Any, scene: Scene, body: int, other: int) -> Task:
    """The task, checked."""
    try:
        task = Task(id, tier(tier_name), scene, body, other)
    except ValueError as error:
        raise ValueError(str(error).removeprefix(f"task {id}: ")) from None
    check_goal(task)
    return task


def check_goal(task: Task) -> None:
    """Refuse a goal of one body."""
    if task.body == task.other:
        raise ValueError(f"the goal names body {task.body} twice; it takes two bodies to touch")


def by_id(tasks: Iterable[Task]) -> dict[str, Task]:
    """The tasks by id; there must be one at least, and no id twice."""
    found: dict[str, Task] = {}
    for task in tasks:
        if task.id in found:
            raise ValueError(f"task {task.id} is there twice; ids must differ")
        found[task.id] = task
    if not found:
        raise ValueError("there are no tasks")
    return found
