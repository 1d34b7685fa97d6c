"""Checks Phy-Q's tasks: at rest, won by their stored solutions, which follow the rule, and not won by direct shots.

    python benchmarks/data/phyq_checked.py                  on this machine's CPU, half an hour on two cores
    python benchmarks/data/phyq_checked.py --device cuda    on its GPU, a few minutes

Solutions must also win when perturbed. The wins of fixed angles, which every bird repeats whatever the level looks
like, are in a table of their own, phyq-fixed-angles: the best angle of each template and scenario. The program also
compares the flight of birds with the closed form, and their range with the published one.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble import progress
from tumble.phyq.catalogue.level import Level, Pig
from tumble.phyq.catalogue.tasks import TASKS_PER_TEMPLATE, TRAINING_TASKS, broad_templates, task
from tumble.phyq.catalogue.template import Template
from tumble.phyq.catalogue.templates import SCENARIOS, template, templates
from tumble.phyq.catalogue.trajectory import DISCRETE_ANGLES, Release, envelope, landing, path
from tumble.phyq.catalogue.variation import REACH_LINE
from tumble.phyq.generation.checks import MOVES, UNCAPPED_SCENARIOS, faults, fixed_angle_wins
from tumble.phyq.generation.rule_check import following
from tumble.phyq.generation.search import robust
from tumble.phyq.generation.solutions import Solution, solutions
from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.shots import table_of

ANGLES = np.arange(-89.0, 90.0, 0.5)
STRETCHES = (0.3, 0.6, 1.0)
EMPTY = Level(("red",), (Pig("small", 14.0, -3.26683),))


def check(
    design: Template, stored: dict[str, Solution], device: str, angles_from: int
) -> tuple[Counter[str], np.ndarray]:
    """The number of a template's tasks that pass each check, and the wins of fixed angles: bool [tasks, 180].

    Fixed angles are played on the tasks from `angles_from` on.
    """
    simulator = simulate.Simulator([task(task_id).level for task_id in stored], device)
    pairs = [(k, own.shots) for k, own in enumerate(stored.values())]
    wrong = faults(design, simulator)
    by_rule = following(design, simulator, range(len(stored)), [shots for _, shots in pairs])
    passed = Counter(
        tasks=len(stored),
        wins=int(simulator.play(range(len(stored)), [shots for _, shots in pairs]).won.sum()),
        robust=sum(robust(simulator, pairs, [own.tolerance for own in stored.values()])),
        rests=sum(fault != MOVES for fault in wrong),
        not_direct=sum(fault is None for fault in wrong),
        by_rule=int(by_rule.sum()) if design.rule is not None else 0,
    )
    tested = simulate.Simulator([task(task_id).level for task_id in list(stored)[angles_from:]], device)
    return passed, fixed_angle_wins(tested)


def best_angle(wins: np.ndarray) -> str:
    """The largest share of wins of an angle, and the angle, of rates [180]."""
    best = int(np.argmax(wins))
    return f"{wins[best]:.0%} at {DISCRETE_ANGLES[best]:g} degrees"


def add_fixed_angles(results: Results, wins: dict[str, np.ndarray], angles_from: int) -> None:
    """Adds the best fixed angle of each template and scenario, of all played tasks and of the test tasks."""
    test = slice(max(0, TRAINING_TASKS - angles_from), None)
    for scenario in SCENARIOS:
        is_capped = scenario not in UNCAPPED_SCENARIOS
        own = {key: found for key, found in wins.items() if int(key.split(".")[0]) == scenario}
        for key, found in own.items():
            note = f"of tasks 80 to 99: {best_angle(found[test].mean(axis=0))}"
            results.add(key, best_angle(found.mean(axis=0)), "45%" if is_capped else "", note=note)
        if own:
            rates = np.mean([found.mean(axis=0) for found in own.values()], axis=0)
            tested = [own[key][test].mean(axis=0) for key in broad_templates(scenario)[1] if key in own]
            note = f"test templates, tasks 80 to 99: {best_angle(np.mean(tested, axis=0))}" if tested else ""
            results.add(f"scenario {scenario}", best_angle(rates), "30%" if is_capped else "", note=note)


def flight_error(device: str) -> float:
    """The largest distance of birds to the closed form before their first contact."""
    worst = 0.0
    for stretch in STRETCHES:
        episodes = simulate.play(EMPTY, table_of(ANGLES, stretch), device, want=("trajectory",), stride=1)
        bird = episodes.worlds[0].first_bird
        for k, angle in enumerate(ANGLES.tolist()):
            steps = int(episodes.landed[k, 0] - episodes.released[k, 0])
            apart = episodes.poses[k, 1:steps, bird, :2] - path(Release(angle, stretch))[1:steps]
            worst = max(worst, float(np.hypot(*apart.T).max(initial=0.0)))
    return worst


def add_flights(results: Results, device: str) -> None:
    """Adds the flight error and the range of birds."""
    note = f"{len(ANGLES)} angles by the stretches {', '.join(map(str, STRETCHES))}"
    results.add("largest distance of a flight to the closed form", f"{flight_error(device):.1e}", "0.05", note=note)
    reached, angle = max((float(landing(Release(angle))[0]), angle) for angle in np.arange(35.0, 50.0, 0.25).tolist())
    results.add("range at full power", f"{reached:.2f}", "9.44", note=f"at {angle} degrees")
    line = np.array(REACH_LINE)
    apart = np.abs(line[:, 1] - envelope(line[:, 0]))
    note = f"{(apart < 0.2).sum()} of {len(line)} points"
    results.add("largest distance of the envelope to the published points", f"{apart.max():.2f}", "0.2", note=note)


def results_device(device: str) -> str:
    """The name of a GPU; empty for the CPU."""
    return "" if device == "cpu" else str(wp.get_device(device).name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--template", nargs="+", default=[], help="templates to check; by default all")
    parser.add_argument("--angles-from", type=int, default=0, help="play fixed angles on tasks from this number on")
    arguments = parser.parse_args()
    device, chosen = arguments.device, [template(key).id for key in arguments.template] or list(templates())
    results = Results(f"Phy-Q's tasks, {simulate.physics_id()}", results_device(device))
    found: dict[str, Counter[str]] = {}
    angles: dict[str, np.ndarray] = {}
    with progress.bar("templates", len(chosen)) as advance:
        for name in chosen:
            design = template(name)
            own = {task_id: kept for task_id, kept in solutions().items() if task_id.split(":")[0] == name}
            found[name] = Counter()
            if own:
                found[name], angles[name] = check(design, own, device, arguments.angles_from)
            advance(1)
    total = sum(found.values(), Counter())
    wanted = str(TASKS_PER_TEMPLATE * len(chosen))
    whole = sum(set(own.values()) == {TASKS_PER_TEMPLATE} for own in found.values())
    results.add("templates of which 100 tasks pass every check", f"{whole}", f"{len(found)}")
    tolerances = Counter(f"{own.tolerance:g}" for own in solutions().values())
    note = ", ".join(f"{count} within {tolerance} degrees" for tolerance, count in tolerances.most_common())
    results.add("stored sequences of shots that win", f"{total['wins']} of {total['tasks']}", wanted)
    results.add("also with their angles turned", f"{total['robust']} of {total['tasks']}", wanted, note=note)
    results.add("levels at rest for 10 s", f"{total['rests']} of {total['tasks']}", wanted)
    results.add("direct shots win, or don't, as the rule has it", f"{total['not_direct']} of {total['tasks']}", wanted)
    missing = [name for name in chosen if template(name).rule is None]
    note = f"templates without a rule: {', '.join(missing)}" if missing else ""
    results.add("stored solutions that follow their rule", f"{total['by_rule']} of {total['tasks']}", wanted, note=note)
    add_flights(results, device)
    results.finish("phyq-checked" if device == "cpu" else "phyq-checked-gpu")
    by_angle = Results(f"Phy-Q's best fixed angles, {simulate.physics_id()}", results_device(device))
    add_fixed_angles(by_angle, angles, arguments.angles_from)
    by_angle.finish("phyq-fixed-angles" if device == "cpu" else "phyq-fixed-angles-gpu")


if __name__ == "__main__":
    main()
