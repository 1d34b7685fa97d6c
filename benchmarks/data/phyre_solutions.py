"""Finds a stable solution for each published task, and replays those that the package stores.

    python benchmarks/data/phyre_solutions.py --find --device cuda --found found.npz      writes solutions.txt
    python benchmarks/data/phyre_solutions.py                                             replays what is stored

The search starts with the random actions that solved (see phyre_chances.py) and with the stored solutions, and may be
stopped and started again: it writes its file after every round.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results, arguments

from tumble import engine, phyre
from tumble.phyre.catalogue.tasks_by_id import SOLUTIONS_FILE, rounded_actions, solutions, write_solutions
from tumble.phyre.catalogue.templates import NAMES
from tumble.phyre.generation.search import Search
from tumble.phyre.simulation.actions import within_scene
from tumble.phyre.simulation.status import STABLY_SOLVED


def find(given: Any) -> None:
    """Searches all tiers in turn until the time is over or nothing is missing."""
    until, searches = time.time() + 60.0 * given.minutes, {}
    for tier in given.tiers:
        tasks = phyre.tasks(tier)
        searches[tier] = search = Search(phyre.Simulator(tasks.values(), tier, given.device))
        stored = {task_id: action for task_id, action in solutions().items() if task_id in tasks}
        if stored:
            search.add(list(stored), np.array(list(stored.values())))
        if given.found.exists():
            data = np.load(given.found)
            actions = rounded_actions(data[f"{tier} actions"])
            inside = np.flatnonzero(within_scene(actions))
            search.add([str(data[f"{tier} ids"][k]) for k in inside], actions[inside])
        print(f"{tier}: {len(search.missing)} missing at the start", flush=True)
    while time.time() < until and any(search.missing for search in searches.values()):
        for tier, search in searches.items():
            if search.missing:
                each = max(given.candidates, min(20_000, 400_000 // len(search.missing)))
                new = search.run_round(each, lambda _: None)
                print(f"{tier}: {new} new with {each} candidates each, {len(search.missing)} missing", flush=True)
        found = {task_id: action for search in searches.values() for task_id, action in search.stable.items()}
        write_solutions(given.out, {**solutions(), **found})


def check(device: str) -> None:
    """Replays every stored solution."""
    results = Results(f"Stored stable solutions, {engine.physics_id()}", device)
    total, missing = 0, list[str]()
    for tier in phyre.TIERS:
        tasks = phyre.tasks(tier)
        stored = {task_id: action for task_id, action in solutions().items() if task_id in tasks}
        simulator = phyre.Simulator(tasks.values(), tier, device)
        status = simulator.pairs(list(stored), np.array(list(stored.values())), stable=True)
        good = int((status == STABLY_SOLVED).sum())
        total, missing = total + good, [*missing, *(task_id for task_id in tasks if task_id not in stored)]
        results.add(f"stored solutions that replay as stably solved, {tier}", f"{good} of {len(tasks)}")
    templates = sorted({f"{NAMES[task_id[:5]]} ({task_id[:5]})" for task_id in missing})
    note = f"{len(missing)} tasks without one: {', '.join(templates)}" if missing else "every task has one"
    results.add("published tasks with a stable solution of our own", f"{total}", "4950", "5000", note)
    results.finish("phyre-solutions")


def main() -> None:
    out = Path(phyre.__file__).parent / "data" / SOLUTIONS_FILE
    given = arguments(
        __doc__,
        find=False,
        device="cpu",
        tiers=tuple(phyre.TIERS),
        found=Path("found.npz"),
        out=out,
        candidates=256,
        minutes=30.0,
    )
    if given.find:
        find(given)
    else:
        check(given.device)


if __name__ == "__main__":
    main()
