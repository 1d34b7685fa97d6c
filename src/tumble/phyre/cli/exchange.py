"""`tumble phyre import`: reads task files, and converts them."""

from pathlib import Path

from tumble.output import check_target, console, plural, print_line, reports_errors, table
from tumble.phyre.cli.lookup import load_tasks
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.compare import difference
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.task import Task
from tumble.progress import bar

MAX_DIFFERENCES = 5


@reports_errors
def import_tasks(path: Path, out: Path | None, file_format: str) -> None:
    """Prints the contents of a file of tasks, and optionally writes them in one of the formats."""
    check_target(out)
    tasks = load_tasks(path)
    _print_contents(tasks)
    _compare(tasks)
    if out:
        formats.save(out, tasks, file_format)
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


def _compare(tasks: dict[str, Task]) -> None:
    published = sorted(set(tasks) & set(catalogue.task_ids()))
    with bar("Comparing", len(published)) as advance:
        differences = {}
        for task_id in published:
            differences[task_id] = difference(tasks[task_id], catalogue.task(task_id))
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
