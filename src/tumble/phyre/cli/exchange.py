"""`tumble phyre import`: what a task file holds, and our own form of it."""

from pathlib import Path

from tumble.output import check_target, console, plural, print_line, reports_errors, table
from tumble.phyre.cli.finding import loaded
from tumble.phyre.tasks import catalogue
from tumble.phyre.tasks.compare import difference
from tumble.phyre.tasks.files import formats
from tumble.phyre.tasks.task import Task
from tumble.progress import bar

MOST_SHOWN = 5


@reports_errors
def import_tasks(path: Path, out: Path | None) -> None:
    """Say what a file holds, and write it in our form if wanted."""
    check_target(out)
    tasks = loaded(path)
    _print_contents(tasks)
    _compare(tasks)
    if out:
        formats.save(out, tasks)
        print_line(f"Written to {out}: {plural(len(tasks), 'task')}.")


def _print_contents(tasks: dict[str, Task]) -> None:
    rows = table("tier", "templates", "tasks", "bodies per task")
    for tier in sorted({task.tier for task in tasks.values()}, key=len):
        own = [task for task in tasks.values() if task.tier == tier]
        templates = {task.id.partition(":")[0] for task in own}
        bodies = sorted({len(task.scene.bodies) for task in own})
        spread = f"{bodies[0]} to {bodies[-1]}" if len(bodies) > 1 else f"{bodies[0]}"
        rows.add_row(tier, str(len(templates)), str(len(own)), spread)
    console().print(rows)


def _compare(tasks: dict[str, Task]) -> None:
    known = sorted(set(tasks) & set(catalogue.task_ids()))
    with bar("Comparing", len(known)) as advance:
        differing = {}
        for task_id in known:
            differing[task_id] = difference(tasks[task_id], catalogue.task(task_id))
            advance(1)
    wrong = {task_id: what for task_id, what in differing.items() if what}
    if not known:
        print_line("No task has a published id.")
        return
    print_line(f"{plural(len(known) - len(wrong), 'task')} equal to Tumble's own.")
    if wrong:
        few = "; ".join(f"{task_id} in {what}" for task_id, what in list(wrong.items())[:MOST_SHOWN])
        print_line(
            f"{plural(len(wrong), 'task')} of a published id that differ: {few}{'; …' * (len(wrong) > MOST_SHOWN)}."
        )
