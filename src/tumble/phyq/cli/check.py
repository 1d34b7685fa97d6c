"""`tumble phyq check`: whether the tasks are what they should be; and making them again."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import typer

from tumble.engine import check_device
from tumble.output import BAD_INPUT, console, plural, print_error, print_line, reports_errors, resume_hint, table
from tumble.phyq.generation import generate, solutions
from tumble.phyq.generation.checks import REASONS, UNSOLVED, faults
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.accepted_draws import accepted_draw
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import template, templates
from tumble.progress import bar

BROKEN = "stored solution fails"


@reports_errors
def check(template_ids: Sequence[str], tasks: int, device: str) -> None:
    """Check the first tasks of templates: at rest, not won by direct shots, won by what is stored."""
    designs = _designs(template_ids)
    check_device(device)
    found: dict[str, dict[str, str]] = {}
    with bar("Checking", len(designs)) as advance:
        for design in designs:
            found[design.id] = wrong_tasks(design, tasks, device)
            advance(1)
    rows = table("template", "tasks", *(reason for reason in (*REASONS[:2], UNSOLVED, BROKEN)))
    for key, wrong in found.items():
        counts = [list(wrong.values()).count(reason) for reason in (*REASONS[:2], UNSOLVED, BROKEN)]
        rows.add_row(key, str(tasks), *(str(count) if count else "-" for count in counts))
    console().print(rows)
    total = sum(len(wrong) for wrong in found.values())
    print_line(f"{plural(len(designs) * tasks - total, 'task')} of {len(designs) * tasks} as they should be.")
    if total:
        worst = next(iter(next(wrong for wrong in found.values() if wrong)))
        print_error(f"{plural(total, 'task')} with something wrong; the first is {worst}")
        raise typer.Exit(BAD_INPUT)


def wrong_tasks(design: Template, tasks: int, device: str = "cpu") -> dict[str, str]:
    """The tasks of a template with which something is wrong, and what."""
    ids = [design.task_id(number) for number in range(tasks)]
    simulator = Simulator([design.level(number) for number in range(tasks)], device)
    known = solutions.solutions()
    of, sequences = [], []
    for k, task_id in enumerate(ids):
        if task_id in known:
            turned = solutions.perturbed(known[task_id].shots, known[task_id].tolerance)
            of += [k] * len(turned)
            sequences += turned
    wins = np.ones(tasks, bool)
    if of:
        np.logical_and.at(wins, np.array(of), simulator.play(of, sequences).won)
    found: dict[str, str] = {}
    for k, (task_id, fault) in enumerate(zip(ids, faults(design, simulator), strict=True)):
        problem = fault or (UNSOLVED if task_id not in known else None if wins[k] else BROKEN)
        if problem:
            found[task_id] = problem
    return found


@reports_errors
def make(template_ids: Sequence[str], tasks: int, device: str, folder: Path) -> None:
    """Make the tasks of templates again in a folder, and compare them with those that ship."""
    designs = _designs(template_ids)
    check_device(device)
    with resume_hint("give the same command again to go on."):
        made = generate.generate_tasks(
            [design.id for design in designs], tasks, device, folder=folder, data_folder=folder
        )
    rows = table("template", "tasks", "within", "draws", *REASONS, "as shipped")
    for own in made:
        same = [number == accepted_draw(task_id) for task_id, number in own.accepted.items()]
        rejected = (str(own.rejected[reason]) for reason in REASONS)
        within = f"{own.tolerance:g} degrees"
        rows.add_row(own.template, str(len(own.solutions)), within, str(own.drawn), *rejected, f"{sum(same)}")
    console().print(rows)
    print_line(f"Written to {folder}.")


def _designs(template_ids: Sequence[str]) -> list[Template]:
    return [template(key) for key in template_ids or templates()]
