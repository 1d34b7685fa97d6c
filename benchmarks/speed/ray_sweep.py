"""A sweep by two Ray workers with one core each, against one process with two threads: the same work, by turns.

    python benchmarks/speed/ray_sweep.py                            some minutes
    python benchmarks/speed/ray_sweep.py --tasks 100 --repeats 5    quicker

The start of Ray and of its workers, which load Warp and the kernels, is measured separately.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results

from tumble import engine, phyre
from tumble.jobs.executors import make_executor
from tumble.jobs.job import Job, ProgressCallback
from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.sweep_files import SweepStore, create_store, fill_in_parallel

WORKERS = 2
ACTIONS = 1000


def warm_up(task: Task, progress: ProgressCallback) -> None:
    """Loads all that a sweep needs, and stays busy, so that the next job goes to another worker."""
    phyre.Simulator([task], "B", threads=1).sweep(fixed_set(phyre.TIERS["B"], 10), progress=lambda _: None)
    time.sleep(3.0)


def new_store(tasks: list[Task], folder: Path, name: str) -> SweepStore:
    return create_store(folder / name, tasks, "B", fixed_set(phyre.TIERS["B"], ACTIONS))


def files(store: SweepStore) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in store.path.iterdir()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tasks", type=int, default=400, help="of all templates of tier B, with 1,000 actions each")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    ids = phyre.task_ids("B")
    tasks = [phyre.task(ids[k]) for k in np.linspace(0, len(ids) - 1, options.tasks).astype(int)]
    executor = make_executor("ray", WORKERS)
    folder = Path(tempfile.mkdtemp(prefix="ray-sweep-"))

    import ray

    start = time.perf_counter()
    executor.connect()
    connected = time.perf_counter()
    list(executor.run([Job(str(number), warm_up, (tasks[0],)) for number in range(WORKERS)]))
    warm = time.perf_counter() - 3.0
    phyre.Simulator(tasks[:1], "B", threads=WORKERS).sweep(fixed_set(phyre.TIERS["B"], 10), progress=lambda _: None)
    times: dict[str, list[float]] = {"ray": [], "threads": []}
    for repeat in range(options.repeats):
        begin = time.perf_counter()
        parallel = new_store(tasks, folder, f"ray {repeat}")
        fill_in_parallel(parallel, tasks, executor)
        middle = time.perf_counter()
        single = new_store(tasks, folder, f"threads {repeat}")
        single.fill(phyre.Simulator(tasks, "B", threads=WORKERS))
        end = time.perf_counter()
        times["ray"].append(middle - begin)
        times["threads"].append(end - middle)
        print(f"{repeat}: Ray {middle - begin:.1f} s, threads {end - middle:.1f} s", flush=True)
        if files(parallel) != files(single):
            raise SystemExit(f"the stores in {folder} differ")
    ray.shutdown()
    shutil.rmtree(folder)

    results = Results(f"Sweep on Ray, {engine.physics_id()}")
    medians = {name: float(np.median(seconds)) for name, seconds in times.items()}
    ratio = np.median([threads / ray for ray, threads in zip(times["ray"], times["threads"], strict=True)])
    size = f"{options.tasks} tasks, {ACTIONS} actions each, {options.repeats} times by turns, all bytes equal"
    note = f"medians {medians['ray']:.1f} s and {medians['threads']:.1f} s; {size}"
    results.add("two Ray workers over one process with two threads", f"{ratio:.2f} x", "0.85 x", "", note)
    results.add("start of Ray", f"{connected - start:.1f} s", "", "", "on this machine, two workers")
    results.add("start of the workers", f"{warm - connected:.1f} s", "", "", "processes, Warp and its kernels")
    total = warm - start + medians["ray"]
    share = f"{medians['threads'] / total:.2f} x one process with two threads that is started"
    results.add("sweep with the start of Ray and of the workers", f"{total:.1f} s", "", "", share)
    results.finish("ray-sweep")


if __name__ == "__main__":
    main()
