"""Checks Phy-Q's tasks: at rest, won by their stored solutions, also when perturbed, and not won by direct shots.

    python benchmarks/phyq_checked.py                  on this machine's CPU, half an hour on two cores
    python benchmarks/phyq_checked.py --device cuda    on its GPU, a few minutes

It also compares the flight of birds with the closed form, and their range with the published one.
"""

import argparse
from collections import Counter

import numpy as np
import warp as wp
from table import Results

from tumble import progress
from tumble.phyq.generation.checks import MOVES, faults
from tumble.phyq.generation.search import robust
from tumble.phyq.generation.solutions import Solution, solutions
from tumble.phyq.simulation import simulator as simulate
from tumble.phyq.simulation.shots import table_of
from tumble.phyq.tasks.catalogue import TASKS_PER_TEMPLATE, task
from tumble.phyq.tasks.level import Level, Pig
from tumble.phyq.tasks.template import Template
from tumble.phyq.tasks.templates import templates
from tumble.phyq.tasks.trajectory import Release, envelope, landing, path
from tumble.phyq.tasks.variation import REACH_LINE

ANGLES = np.arange(-89.0, 90.0, 0.5)
STRETCHES = (0.3, 0.6, 1.0)
EMPTY = Level(("red",), (Pig("small", 14.0, -3.26683),))


def check(design: Template, stored: dict[str, Solution], device: str) -> Counter[str]:
    """The number of a template's tasks that pass each check."""
    simulator = simulate.Simulator([task(task_id).level for task_id in stored], device)
    pairs = [(k, own.shots) for k, own in enumerate(stored.values())]
    wrong = faults(design, simulator)
    return Counter(
        tasks=len(stored),
        wins=int(simulator.play(range(len(stored)), [shots for _, shots in pairs]).won.sum()),
        robust=sum(robust(simulator, pairs, [own.tolerance for own in stored.values()])),
        rests=sum(fault != MOVES for fault in wrong),
        by_rule=sum(fault is None for fault in wrong),
    )


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    device = parser.parse_args().device
    results = Results(f"Phy-Q's tasks, {simulate.physics_id()}", "" if device == "cpu" else wp.get_device(device).name)
    found: dict[str, Counter[str]] = {}
    with progress.bar("templates", len(templates())) as advance:
        for name, design in templates().items():
            own = {task_id: kept for task_id, kept in solutions().items() if task_id.split(":")[0] == name}
            found[name] = check(design, own, device) if own else Counter()
            advance(1)
    total = sum(found.values(), Counter())
    wanted = str(TASKS_PER_TEMPLATE * len(templates()))
    whole = sum(set(own.values()) == {TASKS_PER_TEMPLATE} for own in found.values())
    results.add("templates of which 100 tasks pass every check", f"{whole}", f"{len(found)}")
    tolerances = Counter(f"{own.tolerance:g}" for own in solutions().values())
    note = ", ".join(f"{count} within {tolerance} degrees" for tolerance, count in tolerances.most_common())
    results.add("stored sequences of shots that win", f"{total['wins']} of {total['tasks']}", wanted)
    results.add("also with their angles turned", f"{total['robust']} of {total['tasks']}", wanted, note=note)
    results.add("levels at rest for 10 s", f"{total['rests']} of {total['tasks']}", wanted)
    results.add("direct shots win, or don't, as the rule has it", f"{total['by_rule']} of {total['tasks']}", wanted)
    add_flights(results, device)
    results.finish("phyq-checked" if device == "cpu" else "phyq-checked-gpu")


if __name__ == "__main__":
    main()
