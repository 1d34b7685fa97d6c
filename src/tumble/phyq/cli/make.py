"""`tumble phyq check` and `generate`: checks tasks, makes checked tasks and sets of levels."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import typer

from tumble.engine import check_device
from tumble.output import (
    BAD_INPUT,
    TargetError,
    console,
    plural,
    print_error,
    print_line,
    reports_errors,
    resume_hint,
    table,
)
from tumble.phyq.catalogue.template import Template, accepted_draw
from tumble.phyq.catalogue.templates import template, templates
from tumble.phyq.cli.describe import shot_text
from tumble.phyq.generation import generate, level_set, solutions
from tumble.phyq.generation.checks import (
    BLOCK_SIZE,
    REASONS,
    UNSOLVED,
    WON_BY_COMMON_ANGLE,
    faults,
    fixed_angle_wins,
    most_wins,
)
from tumble.phyq.generation.generate import make_tasks
from tumble.phyq.generation.rule_check import following
from tumble.phyq.simulation.simulator import Simulator
from tumble.progress import bar

FAILED_SOLUTION = "stored solution fails"
AGAINST_RULE = "stored solution does not follow the rule"


@reports_errors
def check_tasks(template_ids: Sequence[str], tasks: int, device: str) -> None:
    """Checks the first tasks of templates: at rest, won by their stored solution, which follows the rule, and neither
    by direct shots nor too many of them by one angle.
    """
    designs = _designs(template_ids)
    check_device(device)
    problems: dict[str, dict[str, str]] = {}
    with bar("Checking", len(designs)) as advance:
        for design in designs:
            problems[design.id] = task_problems(design, tasks, device)
            advance(1)
    reasons = (*REASONS, FAILED_SOLUTION, AGAINST_RULE)
    rows = table("template", "tasks", *reasons)
    for key, by_task in problems.items():
        counts = [list(by_task.values()).count(reason) for reason in reasons]
        rows.add_row(key, str(tasks), *(str(count) if count else "-" for count in counts))
    console().print(rows)
    total = sum(len(by_task) for by_task in problems.values())
    print_line(f"{len(designs) * tasks - total} of {plural(len(designs) * tasks, 'task')} without problems.")
    if total:
        first = next(iter(next(by_task for by_task in problems.values() if by_task)))
        print_error(f"{plural(total, 'task')} with problems; the first is {first}")
        raise typer.Exit(BAD_INPUT)


def task_problems(design: Template, tasks: int, device: str = "cpu") -> dict[str, str]:
    """By id: the problems of a template's first tasks."""
    ids = [design.task_id(number) for number in range(tasks)]
    simulator = Simulator([design.level(number) for number in range(tasks)], device)
    known = solutions.solutions()
    played, sequences = [], []
    for k, task_id in enumerate(ids):
        if task_id in known:
            perturbed = solutions.perturbed(known[task_id].shots, known[task_id].tolerance)
            played += [k] * len(perturbed)
            sequences += perturbed
    wins = np.ones(tasks, bool)
    if played:
        np.logical_and.at(wins, np.array(played), simulator.play(played, sequences).won)
    solved = [k for k, task_id in enumerate(ids) if task_id in known]
    by_rule = np.ones(tasks, bool)
    by_rule[solved] = following(design, simulator, solved, [known[ids[k]].shots for k in solved])
    too_common = won_by_common_angle(design, simulator)
    problems: dict[str, str] = {}
    for k, (task_id, fault) in enumerate(zip(ids, faults(design, simulator), strict=True)):
        found = {
            UNSOLVED: task_id not in known,
            FAILED_SOLUTION: not wins[k],
            AGAINST_RULE: not by_rule[k],
            WON_BY_COMMON_ANGLE: too_common[k],
        }
        problem = fault or next((name for name, is_so in found.items() if is_so), None)
        if problem:
            problems[task_id] = problem
    return problems


def won_by_common_angle(design: Template, simulator: Simulator) -> np.ndarray:
    """bool [tasks]: tasks won by an angle that has won as many earlier tasks of their block as it may."""
    found = np.zeros(len(simulator.worlds), bool)
    if most_wins(design) is None:
        return found
    wins = fixed_angle_wins(simulator)
    draws = [accepted_draw(design.task_id(number)) for number in range(len(wins))]
    for first in range(0, len(wins), BLOCK_SIZE):
        block = wins[first : first + BLOCK_SIZE]
        cap = most_wins(design, max(draws[first : first + BLOCK_SIZE]))
        found[first : first + BLOCK_SIZE] = (block & (np.cumsum(block, axis=0) > cap)).any(axis=1)
    return found


@reports_errors
def make_again(template_ids: Sequence[str], tasks: int, device: str, folder: Path) -> None:
    """Generates the tasks of templates again in a folder, and compares them with the package's."""
    designs = _designs(template_ids)
    check_device(device)
    with resume_hint("repeat the command to resume."):
        made = generate.generate_tasks(
            [design.id for design in designs], tasks, device, folder=folder, data_folder=folder
        )
    rows = table("template", "tasks", "within", "draws", *REASONS, "as in package")
    for own in made:
        same = [number == accepted_draw(task_id) for task_id, number in own.accepted.items()]
        rejected = (str(own.rejected[reason]) for reason in REASONS)
        within = f"{own.tolerance:g} degrees"
        rows.add_row(own.template, str(len(own.solutions)), within, str(own.drawn), *rejected, f"{sum(same)}")
    console().print(rows)
    print_line(f"Written to {folder}.")


def _designs(template_ids: Sequence[str]) -> list[Template]:
    return [template(key) for key in template_ids or templates()]


@reports_errors
def make_checked_tasks(
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


@reports_errors
def make_levels(folder: Path, seed: int, count: int, device: str) -> None:
    """Makes the levels, and prints what they contain and how they are won."""
    if folder.exists() and not folder.is_dir():
        raise TargetError(f"{folder} is a file; name a folder")
    with resume_hint("repeat the command to resume."), bar("Levels", count) as advance:
        made = level_set.make_levels(seed, count, device, folder, progress=advance)
    rows = table("level", "birds", "pigs", "blocks", "solution")
    for one in made:
        level, shots = one.level, "; ".join(map(shot_text, one.solution))
        rows.add_row(one.name, str(len(level.birds)), str(len(level.pigs)), str(len(level.blocks)), shots)
    console().print(rows)
    print_line(f"Written to {folder}: {plural(len(made), 'level')} of seed {seed}.")
