"""`tumble phyq make`: makes checked tasks."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tumble.engine import check_device
from tumble.output import console, plural, print_line, reports_errors, resume_hint, table
from tumble.phyq.generation.make import make_tasks
from tumble.phyq.tasks.templates import template
from tumble.progress import bar


@reports_errors
def make(
    template_ids: Sequence[str],
    count: int,
    first: int,
    out: Path,
    device: str,
    workers: int | None,
    executor: str,
) -> None:
    """Makes tasks of templates, and prints their number and where they are."""
    ids = [template(template_id).id for template_id in dict.fromkeys(template_ids)]
    check_device(device)
    with resume_hint("repeat the command to resume."), bar("tasks", count * len(ids)) as advance:
        made = make_tasks(ids, count, first, out, device, workers, executor, advance)
    counts = Counter(one.task.template for one in made)
    rows = table("template", "tasks", "from", "to", "solutions within")
    for key in ids:
        own = [one for one in made if one.task.template == key]
        within = f"{own[0].solution.tolerance:g} degrees"
        rows.add_row(key, str(counts[key]), own[0].task.id, own[-1].task.id, within)
    console().print(rows)
    print_line(f"{plural(len(made), 'checked task')} in {out}.")
