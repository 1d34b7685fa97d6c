"""Phy-Q's tasks: generates those of the package, checks them, and measures how many are made per minute.

    python benchmarks/data/phyq_tasks.py --generate [--folder ~/phyq-tasks] [--package FOLDER]      all templates
    python benchmarks/data/phyq_tasks.py [--device cuda] [--templates 6.4]      checks; half an hour on two cores
    python benchmarks/data/phyq_tasks.py --rates [--count 40]                   checked tasks per minute, by template

Generation can be stopped at any time and resumes from the finished blocks of tasks in the folder. A task must be at
rest, be won by its stored solution, which follows the rule, also with its angles turned, and not by direct shots. The
wins of fixed angles, which every bird repeats whatever the level looks like, are in a table of their own,
phyq-fixed-angles: the best angle of each template and scenario. Rates include the pilot of a template, which finds its
tolerance once, and the start of the worker processes.
"""

import sys
from collections import Counter
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results, arguments, timed

from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE, TRAINING_TASKS, broad_templates, task
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES
from tumble.phyq.generation import generate
from tumble.phyq.generation.blocks import MakeError
from tumble.phyq.generation.checks import MOVES, REASONS, UNCAPPED_SCENARIOS, faults, fixed_angle_wins
from tumble.phyq.generation.generate import make_tasks
from tumble.phyq.generation.rule_check import following
from tumble.phyq.generation.search import robust
from tumble.phyq.generation.solutions import Solution, solutions
from tumble.phyq.simulation.simulator import Simulator, physics_id
from tumble.progress import bar

CHECKS = {
    "wins": "stored sequences of shots that win",
    "robust": "also with their angles turned",
    "rests": "levels at rest for 10 s",
    "not_direct": "direct shots win, or don't, as the rule has it",
    "by_rule": "stored solutions that follow their rule",
}


def generated(results: Results, given: Any) -> None:
    """Makes the package's tasks, and says how many draws were rejected and why."""
    made = generate.generate_tasks(
        list(given.templates), given.count, given.device, given.workers, given.folder, given.package
    )
    for one in made:
        reasons = ", ".join(f"{one.rejected[reason]} {reason}" for reason in REASONS)
        note = f"within {one.tolerance:g} degrees; of {one.drawn} draws: {reasons}; {one.played} played"
        results.add(one.template, f"{len(one.solutions)}", str(given.count), note=note)
    total = generate.summary(made)
    results.add("tasks", f"{total['tasks']}", note=f"{total['drawn']} draws, {total['played']} sequences of shots")
    results.finish("phyq-tasks")


def rates(results: Results, given: Any, chosen: list[str]) -> None:
    """Checked tasks made per minute."""
    make_tasks("1.4", 1, device=given.device, workers=1)  # compiles the kernels
    found = []
    for key in chosen:
        with TemporaryDirectory() as name:
            make = partial(make_tasks, key, given.count, 100, Path(name), given.device, given.workers)
            try:
                seconds, made = timed(make)
                found.append(60.0 * len(made) / seconds)
                note = f"{seconds:.1f} s; within {made[0].solution.tolerance:g} degrees"
            except MakeError as error:
                found.append(0.0)
                note = str(error)
        results.add(key, f"{found[-1]:.0f}", note=note)
    results.add("median over templates", f"{np.median(found):.0f}", "20", note=f"{given.count} tasks each")
    results.finish("phyq-make")


def checked(name: str, stored: dict[str, Solution], device: str) -> tuple[Counter[str], np.ndarray]:
    """The number of a template's tasks that pass each check, and the wins of fixed angles: bool [tasks, 180]."""
    design, simulator = template(name), Simulator([task(task_id).level for task_id in stored], device)
    pairs = [(k, own.shots) for k, own in enumerate(stored.values())]
    shots, wrong = [shots for _, shots in pairs], faults(design, simulator)
    by_rule = following(design, simulator, range(len(stored)), shots)
    passed = Counter(
        tasks=len(stored),
        wins=int(simulator.play(range(len(stored)), shots).won.sum()),
        robust=sum(robust(simulator, pairs, [own.tolerance for own in stored.values()])),
        rests=sum(fault != MOVES for fault in wrong),
        not_direct=sum(fault is None for fault in wrong),
        by_rule=int(by_rule.sum()) if design.rule is not None else 0,
    )
    return passed, fixed_angle_wins(simulator)


def best_angle(wins: np.ndarray) -> str:
    """The largest share of wins of an angle, and the angle, of rates [180]."""
    best = int(np.argmax(wins))
    return f"{wins[best]:.0%} at {DISCRETE_ANGLES[best]:g} degrees"


def fixed_angles(results: Results, wins: dict[str, np.ndarray]) -> None:
    """The best fixed angle of each template and scenario, of all tasks and of the test tasks."""
    test = slice(TRAINING_TASKS, None)
    for scenario in SCENARIOS:
        is_capped = scenario not in UNCAPPED_SCENARIOS
        own = {key: found for key, found in wins.items() if int(key.split(".")[0]) == scenario}
        for key, found in own.items():
            note = f"of tasks 80 to 99: {best_angle(found[test].mean(axis=0))}"
            results.add(key, best_angle(found.mean(axis=0)), "45%" if is_capped else "", note=note)
        if own:
            means = np.mean([found.mean(axis=0) for found in own.values()], axis=0)
            tested = [own[key][test].mean(axis=0) for key in broad_templates(scenario)[1] if key in own]
            note = f"test templates, tasks 80 to 99: {best_angle(np.mean(tested, axis=0))}" if tested else ""
            results.add(f"scenario {scenario}", best_angle(means), "30%" if is_capped else "", note=note)
    results.finish("phyq-fixed-angles")


def main() -> None:
    given = arguments(
        __doc__,
        generate=False,
        rates=False,
        templates=(),
        count=TASKS_PER_TEMPLATE,
        device="cpu",
        workers=int,
        folder=Path("phyq-tasks"),
        package=Path,
    )
    chosen = [template(key).id for key in given.templates] or list(templates())
    results = Results(f"Phy-Q's tasks, {physics_id()}", given.device)
    if given.generate:
        generated(results, given)
        return
    if given.rates:
        rates(results, given, chosen)
        return
    total, angles = Counter[str](), dict[str, np.ndarray]()
    with bar("templates", len(chosen)) as advance:
        for name in chosen:
            own = {task_id: kept for task_id, kept in solutions().items() if task_id.split(":")[0] == name}
            passed, angles[name] = checked(name, own, given.device)
            total += passed
            advance(1)
    tolerances = Counter(f"{own.tolerance:g}" for own in solutions().values())
    note = ", ".join(f"{count} within {tolerance} degrees" for tolerance, count in tolerances.most_common())
    for check, figure in CHECKS.items():
        wanted = str(TASKS_PER_TEMPLATE * len(chosen))
        results.add(figure, f"{total[check]} of {total['tasks']}", wanted, note=note if check == "robust" else "")
    results.finish("phyq-checked")
    fixed_angles(Results(f"Phy-Q's best fixed angles, {physics_id()}", given.device), angles)


if __name__ == "__main__":
    main()
