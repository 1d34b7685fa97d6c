"""A sweep by two Ray workers with one core each, against one process with two threads: the same work, by turns.

    python benchmarks/speed/ray_sweep.py [--tasks 400] [--repeats 3]

The start of Ray and of its workers, which load Warp and the kernels, is not counted.
"""

import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results, arguments, timed

from tumble import engine, phyre
from tumble.jobs.executors import make_executor
from tumble.jobs.job import Job, ProgressCallback
from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.sweep_files import SweepStore, create_store, fill_in_parallel

WORKERS, ACTIONS = 2, 1000


def warm_up(task: Task, progress: ProgressCallback) -> None:
    """Loads all that a sweep needs, and stays busy, so that the next job goes to another worker."""
    phyre.Simulator([task], "B", threads=1).sweep(fixed_set(phyre.TIERS["B"], 10), progress=lambda _: None)
    time.sleep(3.0)


def files(store: SweepStore) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in store.path.iterdir()}


def main() -> None:
    given = arguments(__doc__, tasks=400, repeats=3)
    ids = phyre.task_ids("B")
    tasks = [phyre.task(ids[k]) for k in np.linspace(0, len(ids) - 1, given.tasks).astype(int)]
    executor = make_executor("ray", WORKERS)
    list(executor.run([Job(str(number), warm_up, (tasks[0],)) for number in range(WORKERS)]))
    warm_up(tasks[0], lambda *_: None)
    times = []
    with TemporaryDirectory() as name:
        for repeat in range(given.repeats):
            parallel, single = (
                create_store(Path(name) / f"{kind} {repeat}", tasks, "B", fixed_set(phyre.TIERS["B"], ACTIONS))
                for kind in ("ray", "threads")
            )
            by_ray, _ = timed(partial(fill_in_parallel, parallel, tasks, executor))
            by_threads, _ = timed(lambda s=single: s.fill(phyre.Simulator(tasks, "B", threads=WORKERS)))
            times.append((by_threads, by_ray))
            if files(parallel) != files(single):
                raise SystemExit("the stores differ")
    threads, ray = np.array(times).T
    results = Results(f"Sweep on Ray, {engine.physics_id()}")
    size = f"{given.tasks} tasks, {ACTIONS} actions each, {given.repeats} times by turns, all bytes equal"
    note = f"medians {np.median(ray):.1f} s and {np.median(threads):.1f} s; {size}"
    ratio = f"{np.median(threads / ray):.2f} x"
    results.add("two Ray workers over one process with two threads", ratio, "0.85 x", "", note)
    results.finish("ray-sweep")


if __name__ == "__main__":
    main()
