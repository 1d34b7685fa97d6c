"""Tasks looked up by an id or from a file; and `tumble phyre import`, which converts files of tasks."""

from pathlib import Path

from tumble.errors import TumbleError
from tumble.output import check_target, console, plural, print_line, reports_errors, spinner, table
from tumble.phyre.catalogue import task_files, tasks_by_id
from tumble.phyre.catalogue.task import Task, task_difference
from tumble.phyre.catalogue.templates import NAMES, published_numbers, template
from tumble.progress import bar

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
    return tasks_by_id.task(text)


def find_tasks(text: str) -> dict[str, Task]:
    """The tasks of a comma-separated list, by id; a template gives its published tasks, a file all of its tasks."""
    tasks: dict[str, Task] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        if _is_file(part):
            tasks.update(load_tasks(part))
        elif _is_template(part):
            tasks.update({task.id: task for task in published_tasks_of(part)})
        else:
            task = find_task(part)
            tasks[task.id] = task
    if not tasks:
        raise TumbleError("an empty list of tasks; give ids, a template or a file")
    return tasks


def load_tasks(path: str | Path) -> dict[str, Task]:
    """All tasks of a file, by id."""
    with spinner(f"Reading {path} …"):
        return task_files.load_named(path)


def published_tasks_of(id_or_name: str) -> list[Task]:
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


MAX_DIFFERENCES = 5


@reports_errors
def import_tasks(path: Path, out: Path | None, file_format: str) -> None:
    """Prints the contents of a file of tasks, and optionally writes them in one of the formats."""
    check_target(out)
    tasks = load_tasks(path)
    _print_contents(tasks)
    _print_differences(tasks)
    if out:
        task_files.save(out, tasks, file_format)
        print_line(f"Written to {out}: {plural(len(tasks), 'task')}.")


def _print_contents(tasks: dict[str, Task]) -> None:
    rows = table("tier", "templates", "tasks", "bodies per task")
    for tier in sorted({task.tier for task in tasks.values()}, key=len):
        of_tier = [task for task in tasks.values() if task.tier == tier]
        templates = {task.id.partition(":")[0] for task in of_tier}
        bodies = sorted({len(task.scene.bodies) for task in of_tier})
        bodies_text = f"{bodies[0]} to {bodies[-1]}" if len(bodies) > 1 else f"{bodies[0]}"
        rows.add_row(tier, str(len(templates)), str(len(of_tier)), bodies_text)
    console().print(rows)


def _print_differences(tasks: dict[str, Task]) -> None:
    published = sorted(set(tasks) & set(tasks_by_id.task_ids()))
    with bar("Comparing", len(published)) as advance:
        differences = {}
        for task_id in published:
            differences[task_id] = task_difference(tasks[task_id], tasks_by_id.task(task_id))
            advance(1)
    differing = {task_id: what for task_id, what in differences.items() if what}
    if not published:
        print_line("No task has a published id.")
        return
    print_line(f"{plural(len(published) - len(differing), 'task')} equal to Tumble's published tasks.")
    if differing:
        texts = [f"{task_id} in {what}" for task_id, what in differing.items()]
        few = "; ".join(texts[:MAX_DIFFERENCES]) + "; …" * (len(texts) > MAX_DIFFERENCES)
        print_line(f"{plural(len(differing), 'task')} with a published id but another content: {few}.")
