"""Finds a stable solution for each published task, and replays those that the package stores.

    python benchmarks/data/phyre_solutions.py find --device cuda --found found.npz      writes solutions.txt
    python benchmarks/data/phyre_solutions.py check                                     replays what is stored

`find` starts with the random actions that solved (see phyre_chances.py) and with the stored solutions, and may be
stopped and started again: it writes its file after every round.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble import engine, phyre
from tumble.phyre.catalogue.tasks_by_id import SOLUTIONS_FILE, rounded_actions, solutions, write_solutions
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.generation.search import Search
from tumble.phyre.simulation.actions import within_scene
from tumble.phyre.simulation.status import STABLY_SOLVED

MUST = 4950


def find(device: str, tiers: list[str], found: Path | None, out: Path, candidates: int, minutes: float) -> None:
    """Searches all tiers in turn until the time is over or nothing is missing."""
    until = time.time() + 60.0 * minutes
    searches = {}
    for tier in tiers:
        tasks = phyre.tasks(tier)
        searches[tier] = search = Search(phyre.Simulator(tasks.values(), tier, device))
        stored = {task_id: action for task_id, action in stored_solutions().items() if task_id in tasks}
        if stored:
            search.add(list(stored), np.array(list(stored.values())))
        if found and found.exists():
            data = np.load(found)
            actions = rounded_actions(data[f"{tier} actions"])
            inside = np.flatnonzero(within_scene(actions))
            search.add([str(data[f"{tier} ids"][k]) for k in inside], actions[inside])
        print(f"{tier}: {len(search.missing)} missing at the start", flush=True)
    while time.time() < until and any(search.missing for search in searches.values()):
        for tier, search in searches.items():
            if search.missing:
                each = max(candidates, min(20_000, 400_000 // len(search.missing)))
                new = search.run_round(each, lambda _: None)
                left: dict[str, int] = {}
                for task_id in search.missing:
                    left[task_id[:5]] = left.get(task_id[:5], 0) + 1
                print(
                    f"{tier}: {new} new with {each} candidates each, {len(search.missing)} missing {left}", flush=True
                )
        save(out, searches)
    save(out, searches)


def save(out: Path, searches: dict[str, Search]) -> None:
    """Writes the solutions found and those stored before."""
    found = {task_id: action for search in searches.values() for task_id, action in search.stable.items()}
    write_solutions(out, {**stored_solutions(), **found})


def stored_solutions() -> dict[str, np.ndarray]:
    try:
        return solutions()
    except FileNotFoundError:
        return {}


def check(device: str) -> None:
    """Replays every stored solution."""
    machine = wp.get_device(device)
    results = Results(f"Stored stable solutions, {engine.physics_id()}", "" if machine.is_cpu else machine.name)
    total = 0
    missing: list[str] = []
    for tier in phyre.TIERS:
        tasks = phyre.tasks(tier)
        stored = {task_id: action for task_id, action in solutions().items() if task_id in tasks}
        simulator = phyre.Simulator(tasks.values(), tier, device)
        status = simulator.pairs(list(stored), np.array(list(stored.values())), stable=True)
        good = int((status == STABLY_SOLVED).sum())
        total += good
        missing += [task_id for task_id in tasks if task_id not in stored]
        results.add(f"stored solutions that replay as stably solved, {tier}", f"{good} of {len(tasks)}")
    templates = sorted({f"{NAMES[task_id[:5]]} ({task_id[:5]})" for task_id in missing})
    note = f"{len(missing)} tasks without one: {', '.join(templates)}" if missing else "every task has one"
    results.add("published tasks with a stable solution of our own", f"{total}", f"{MUST}", "5000", note)
    results.finish("phyre-solutions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("find", "check"))
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--tiers", nargs="+", default=list(phyre.TIERS), help="tiers to search")
    parser.add_argument("--found", type=Path, help="actions that solved, from phyre_chances.py")
    parser.add_argument("--out", type=Path, default=Path(phyre.__file__).parent / "data" / SOLUTIONS_FILE)
    parser.add_argument("--candidates", type=int, default=256, help="actions tried on each task in a round, at least")
    parser.add_argument("--minutes", type=float, default=30.0)
    arguments = parser.parse_args()
    if arguments.job == "find":
        find(arguments.device, arguments.tiers, arguments.found, arguments.out, arguments.candidates, arguments.minutes)
    else:
        check(arguments.device)


if __name__ == "__main__":
    main()
