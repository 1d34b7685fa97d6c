"""The training pool of a tier: what actions do on all published tasks and on mutations of them.

    python benchmarks/data/phyre_pool.py --tier B --device cuda --out B.npz [--random 4000] [--kept 0]
    python benchmarks/data/phyre_pool.py --tier B --device cuda --out B.npz --part 2 --parts 10
    python benchmarks/data/phyre_pool.py --tier B --out B.npz --parts 10 --join
    python benchmarks/data/phyre_pool.py --tier 2B --device cuda --out 2B.npz --dense          2B-dense.npz, of 2B.npz
    python benchmarks/data/phyre_pool.py --tier B --device cuda --out B.npz --carried          B-carried.npz, of B.npz

--random is the number of random actions on each task, --kept the most mutations of each. A part is written to
B-2-of-10.npz, and not made again if that file exists; --join makes one pool of all parts. --dense measures dense
outcomes of every n-th action of a pool; --carried tries solutions of a pool on tasks of other templates.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import arguments, timed

from tumble.phyre.agents.explorer.transfer import carried_outcomes_path, make_carried_outcomes, save_carried_outcomes
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.training_pool import Counts, TrainingPool, counts_with
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store
from tumble.phyre.simulation.status import SOLVED


def made(tasks: list[Task], given: Any) -> TrainingPool:
    """A new pool."""
    simulator = simulator_with_store(tasks, given.tier, device=given.device)
    counts = counts_with(given.random, given.kept)
    return training_pool.make(tasks, simulator, counts, lambda stage: print(stage, flush=True), None)


def part_path(out: Path, part: int, parts: int) -> Path:
    """The file of a part of a pool."""
    return out.with_name(f"{out.stem}-{part}-of-{parts}.npz") if parts > 1 else out


def joined(tasks: list[Task], given: Any) -> TrainingPool:
    """One pool of all parts."""
    paths = [part_path(given.out, part, given.parts) for part in range(given.parts)]
    pools = [training_pool.load(path, tasks[part :: given.parts]) for part, path in enumerate(paths)]
    return training_pool.joined(pools, tasks)


def describe(pool: TrainingPool) -> None:
    """Prints how many of the actions on tasks and on mutations solve."""
    for name, tried in (("tasks", pool.of_tasks), ("mutations", pool.of_mutations)):
        if tried.tasks:
            shares = ", ".join(f"{100 * np.mean(one == SOLVED):.1f} %" for one in (tried.random, tried.varied))
            print(f"{len(tried.tasks)} {name}: solved by {shares} of random actions and of variations")


def main() -> None:
    usual = Counts()
    given = arguments(
        __doc__,
        tier="B",
        out=Path("pool.npz"),
        device="cpu",
        random=usual.tasks[0],
        kept=usual.kept,
        parts=1,
        part=0,
        join=False,
        dense=False,
        dense_every=dense_pool.EVERY,
        carried=False,
        every=1,
    )
    tasks = list(published_tasks(given.tier).values())[:: given.every]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    path = given.out if given.join else part_path(given.out, given.part, given.parts)
    if given.carried:
        path = carried_outcomes_path(given.out)
        save_carried_outcomes(path, make_carried_outcomes(given.tier, given.out, given.device))
    elif given.dense:
        pool, path = training_pool.load(given.out, tasks), dense_pool.dense_path(given.out)
        dense = dense_pool.make(pool, given.device, every=given.dense_every)
        dense_pool.save(path, pool, dense, given.dense_every)
    elif given.join or given.parts == 1 or not path.exists():
        own = tasks if given.join else tasks[given.part :: given.parts]
        seconds, pool = timed(lambda: joined(own, given) if given.join else made(own, given))
        pool.save(path)
        print(f"made in {seconds:.0f} s")
        describe(pool)
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
