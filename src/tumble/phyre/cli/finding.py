"""Tasks by what people type: an id, a file, or a task of a file."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import spinner
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.templates import NAMES, published_numbers, template

FEW = 5


def find_task(text: str) -> Task:
    """The task of an id like "00013:042", the first one of a file, or with FILE#ID another one of it."""
    path, mark, task_id = text.rpartition("#")
    if _is_file(text):
        return next(iter(loaded(text).values()))
    if mark:
        return _of_file(path, task_id)
    if _is_template(text):
        known = published_numbers()[template(text).id]
        raise TumbleError(f"{text} is a template; name one of its tasks, such as {template(text).id}:{known[0]:03d}")
    return catalogue.task(text)


def find_tasks(text: str) -> dict[str, Task]:
    """The tasks of a list with commas, by id; a template stands for its published tasks, a file for all of its."""
    found: dict[str, Task] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        if _is_file(part):
            found.update(loaded(part))
        elif _is_template(part):
            found.update({task.id: task for task in published_tasks(part)})
        else:
            task = find_task(part)
            found[task.id] = task
    if not found:
        raise TumbleError("no tasks are named; give ids, a template or a file")
    return found


def loaded(path: str | Path) -> dict[str, Task]:
    """All tasks of a file, by id."""
    with spinner(f"Reading {path} …"):
        return formats.load(path)


def published_tasks(id_or_name: str) -> list[Task]:
    """The published tasks of a template."""
    design = template(id_or_name)
    return design.tasks(published_numbers()[design.id])


def _is_template(text: str) -> bool:
    return text in NAMES or text in NAMES.values()


def _is_file(text: str) -> bool:
    """Whether it is a file, or names one that isn't there: ids have neither folders nor endings."""
    path = Path(text)
    return path.is_file() or ("#" not in text and (path.suffix != "" or len(path.parts) > 1))


def _of_file(path: str, task_id: str) -> Task:
    tasks = loaded(path)
    if task_id not in tasks:
        few = ", ".join(list(tasks)[:FEW]) + (", …" if len(tasks) > FEW else "")
        raise TumbleError(f"{path} has no task {task_id!r}; it has {len(tasks)}: {few}")
    return tasks[task_id]
