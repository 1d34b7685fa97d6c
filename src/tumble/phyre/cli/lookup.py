"""Looks up tasks by an id, a file, or a task of a file."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import spinner
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES, published_numbers, template

MAX_IDS = 5
"""In an error message."""


def find_task(text: str) -> Task:
    """The task with an id like "00013:042", the first task of a file, or another one as FILE#ID."""
    path, mark, task_id = text.rpartition("#")
    if _is_file(text):
        return next(iter(load_tasks(text).values()))
    if mark:
        return _task_of_file(path, task_id)
    if _is_template(text):
        numbers = published_numbers()[template(text).id]
        raise TumbleError(f"{text} is a template; give one of its tasks, such as {template(text).id}:{numbers[0]:03d}")
    return catalogue.task(text)


def find_tasks(text: str) -> dict[str, Task]:
    """The tasks of a comma-separated list, by id; a template gives its published tasks, a file all of its tasks."""
    tasks: dict[str, Task] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        if _is_file(part):
            tasks.update(load_tasks(part))
        elif _is_template(part):
            tasks.update({task.id: task for task in published_tasks(part)})
        else:
            task = find_task(part)
            tasks[task.id] = task
    if not tasks:
        raise TumbleError("an empty list of tasks; give ids, a template or a file")
    return tasks


def load_tasks(path: str | Path) -> dict[str, Task]:
    """All tasks of a file, by id."""
    with spinner(f"Reading {path} …"):
        return formats.load_named(path)


def published_tasks(id_or_name: str) -> list[Task]:
    """The published tasks of a template."""
    design = template(id_or_name)
    return design.tasks(published_numbers()[design.id])


def _is_template(text: str) -> bool:
    return text in NAMES or text in NAMES.values()


def _is_file(text: str) -> bool:
    """Whether it is the path of a file, even if that is missing: ids have no folders and no suffixes."""
    path = Path(text)
    return path.is_file() or ("#" not in text and (path.suffix != "" or len(path.parts) > 1))


def _task_of_file(path: str, task_id: str) -> Task:
    tasks = load_tasks(path)
    if task_id not in tasks:
        ids = ", ".join(list(tasks)[:MAX_IDS]) + (", …" if len(tasks) > MAX_IDS else "")
        raise TumbleError(f"{path} has no task {task_id!r}; it has {len(tasks)}: {ids}")
    return tasks[task_id]
