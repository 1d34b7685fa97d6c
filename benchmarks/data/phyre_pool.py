"""The training pool of a tier: what actions do on all published tasks and on mutations of them.

    python benchmarks/data/phyre_pool.py --tier B --device cuda --out B.npz [--random 4000] [--kept 0] [--dense]
    python benchmarks/data/phyre_pool.py --tier B --device cuda --out B.npz --part 2 --parts 10
    python benchmarks/data/phyre_pool.py --tier B --out B.npz --parts 10 --join

A part is written to B-2-of-10.npz, and not made again if that file exists; --join makes one pool of all parts. With
--dense it also measures dense outcomes of every n-th of these actions, into B-dense.npz; the pool itself is then made
only if there is no file B.npz. With --carried it tries solutions of the pool B.npz on tasks of other templates, into
B-carried.npz.
"""

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from tumble import phyre
from tumble.phyre.agents.explorer.transfer import (
    DRAWN_ACTIONS,
    carried_outcomes_path,
    make_carried_outcomes,
    save_carried_outcomes,
)
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.training_pool import Counts, TrainingPool, counts_with
from tumble.phyre.generation.variations import MUTATION_MARK, TriedActions
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING, NAMES
from tumble.phyre.simulation.shipped_sweeps import simulator_with_store
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.simulation.sweep_files import unpack_statuses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", default="B", choices=list(phyre.TIERS))
    parser.add_argument("--every", type=int, default=1, help="only every n-th task, to try it out")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--random", type=int, default=Counts().tasks[0], help="random actions on each task")
    parser.add_argument("--kept", type=int, default=Counts().kept, help="mutations of each task, at most; 0 for none")
    parser.add_argument("--tasks-from", type=Path, help="a pool whose actions on tasks are taken")
    parser.add_argument("--parts", type=int, default=1, help="parts in which the pool is made")
    parser.add_argument("--part", type=int, default=0, help="the part to make, from 0")
    parser.add_argument("--join", action="store_true", help="join the parts")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dense", action="store_true", help="measure dense outcomes, too")
    parser.add_argument("--carried", action="store_true", help="only carry solutions over, by the pool of --out")
    parser.add_argument("--dense-every", type=int, default=dense_pool.EVERY, help="of every n-th action")
    options = parser.parse_args()
    if not 0 <= options.part < options.parts:
        parser.error(f"--part must be from 0 to {options.parts - 1}, not {options.part}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    tasks = list(published_tasks(options.tier).values())[:: options.every]
    if options.carried:
        make_carried(options)
    elif options.join:
        join_parts(tasks, options)
    elif options.parts > 1:
        make_part(tasks, options)
    elif options.dense and options.out.exists():
        make_dense(training_pool.load(options.out, tasks), options)
    else:
        pool = make_pool(tasks, options, options.out)
        if options.dense:
            make_dense(pool, options)


def part_path(out: Path, part: int, parts: int) -> Path:
    """The file of a part of a pool."""
    return out.with_name(f"{out.stem}-{part}-of-{parts}.npz")


def make_part(tasks: list[phyre.Task], options: argparse.Namespace) -> None:
    """Makes a part of the pool, unless it was made before."""
    path = part_path(options.out, options.part, options.parts)
    if path.exists():
        print(f"{path}: made before")
    else:
        make_pool(tasks[options.part :: options.parts], options, path)


def join_parts(tasks: list[phyre.Task], options: argparse.Namespace) -> None:
    """Makes one pool of all parts."""
    paths = [part_path(options.out, part, options.parts) for part in range(options.parts)]
    pools = [training_pool.load(path, tasks[part :: options.parts]) for part, path in enumerate(paths)]
    pool = training_pool.joined(pools, tasks)
    pool.save(options.out)
    print_pool(pool, options.out)


def make_pool(tasks: list[phyre.Task], options: argparse.Namespace, path: Path) -> TrainingPool:
    """Makes and saves the pool."""
    begin, stages = time.perf_counter(), Stages()
    simulator = simulator_with_store(tasks, options.tier, device=options.device)
    counts, before = counts_with(options.random, options.kept), None
    if options.tasks_from:
        source = training_pool.load(options.tasks_from, tasks, 0)
        counts, before = replace(counts, tasks=source.counts.tasks), source.of_tasks
    pool = training_pool.make(tasks, simulator, counts, stages.begin, before)
    stages.end()
    pool.save(path)
    print(f"made in {time.perf_counter() - begin:.0f} s")
    print_pool(pool, path)
    return pool


def print_pool(pool: TrainingPool, path: Path) -> None:
    """Prints how large a pool is, and how hard its tasks are."""
    print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
    print_tried("tasks", pool.of_tasks)
    if pool.of_mutations.tasks:
        print_tried("mutations", pool.of_mutations)
        print_mutations(pool)


def print_tried(name: str, tried: TriedActions) -> None:
    """Prints how many of the actions on tasks, or on mutations, solve."""
    solved = [(statuses == SOLVED) for statuses in (tried.random, tried.varied)]
    shares = ", ".join(f"{100 * one.mean():.1f} %" for one in solved)
    none = sum(not row.any() for row in solved[1])
    print(f"{len(tried.tasks)} {name}: solved by {shares} of random actions and variations; {none} by no variation")


def print_mutations(pool: TrainingPool) -> None:
    """Prints how many mutations of tasks there are, and how hard they are."""
    tried = pool.of_mutations
    each = Counter(task.id.partition(MUTATION_MARK)[0] for task in tried.tasks)
    counts = np.bincount([each[task.id] for task in pool.of_tasks.tasks], minlength=pool.counts.kept + 1)
    print(f"tasks with 0 to {pool.counts.kept} mutations: {' '.join(map(str, counts))}")
    valid = np.maximum((tried.random != INVALID).sum(axis=1), 1)
    share = 100 * (tried.random == SOLVED).sum(axis=1) / valid
    tenths = ", ".join(f"{value:.1f}" for value in np.percentile(share, (10, 25, 50, 75, 90)))
    print(f"% of valid random actions that solve a mutation, at 10, 25, 50, 75, 90 % of them: {tenths}")


class Stages:
    """Prints each stage, and the seconds that it took."""

    def __init__(self) -> None:
        self._began: float | None = None

    def begin(self, stage: str) -> None:
        self.end()
        print(stage, flush=True)
        self._began = time.perf_counter()

    def end(self) -> None:
        if self._began is not None:
            print(f"  {time.perf_counter() - self._began:.1f} s", flush=True)
        self._began = None


def make_carried(options: argparse.Namespace) -> None:
    """Carries solutions of a pool over to tasks of other templates, and saves what they do there."""
    begin, path = time.perf_counter(), carried_outcomes_path(options.out)
    arrays = make_carried_outcomes(options.tier, options.out, options.device)
    save_carried_outcomes(path, arrays)
    statuses = unpack_statuses(arrays["statuses"], 2 * DRAWN_ACTIONS)
    placed, solved = (statuses != INVALID).sum(), (statuses == SOLVED).sum()
    print(f"{path}: {time.perf_counter() - begin:.0f} s, {path.stat().st_size / 1e6:.2f} MB")
    print(f"{placed} actions on {len(statuses)} tasks, of which {100 * solved / placed:.1f} % solve")


def make_dense(pool: TrainingPool, options: argparse.Namespace) -> None:
    """Makes and saves dense outcomes of a pool."""
    begin, path = time.perf_counter(), dense_pool.dense_path(options.out)
    dense = dense_pool.make(pool, options.device, every=options.dense_every)
    dense_pool.save(path, pool, dense, options.dense_every)
    print(f"{path}: {time.perf_counter() - begin:.0f} s, {path.stat().st_size / 1e6:.1f} MB")
    for name, part in (("tasks", dense.of_tasks), ("mutations", dense.of_mutations)):
        for kind, values in (("random actions", part.random), ("variations", part.varied)):
            measured = values[values[..., 0] != MISSING]
            means = ", ".join(f"{name} {mean / LEVELS:.2f}" for name, mean in zip(NAMES, measured.mean(0), strict=True))
            print(f"{len(measured)} {kind} on {name}: {means}")


if __name__ == "__main__":
    main()
