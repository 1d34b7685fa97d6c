"""The training pool of a tier: what actions do on all published tasks and on mutations of them.

    python benchmarks/phyre_pool.py --tier B --device cuda --out B.npz [--dense]

With --dense it also measures dense outcomes of every n-th of these actions, into B-dense.npz; the pool itself is then
made only if there is no file B.npz.
"""

import argparse
import time
from pathlib import Path

from tumble import phyre
from tumble.phyre.generation import dense_pool, training_pool
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.simulation.dense_outcomes import LEVELS, MISSING, NAMES
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.simulation.sweeps.shipped import simulator_with_store
from tumble.phyre.tasks.catalogue import published_tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", default="B", choices=list(phyre.TIERS))
    parser.add_argument("--every", type=int, default=1, help="only every n-th task, to try it out")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dense", action="store_true", help="measure dense outcomes, too")
    parser.add_argument("--dense-every", type=int, default=dense_pool.EVERY, help="of every n-th action")
    options = parser.parse_args()
    tasks = list(published_tasks(options.tier).values())[:: options.every]
    if options.dense and options.out.exists():
        pool = training_pool.load(options.out, tasks, training_pool.KEPT)
    else:
        pool = make_pool(tasks, options)
    if options.dense:
        make_dense(pool, options)


def make_pool(tasks: list[phyre.Task], options: argparse.Namespace) -> TrainingPool:
    """Makes and saves the pool."""
    begin = time.perf_counter()
    pool = training_pool.make(tasks, simulator_with_store(tasks, options.tier, device=options.device))
    pool.save(options.out)
    print(f"{options.out}: {time.perf_counter() - begin:.0f} s, {options.out.stat().st_size / 1e6:.1f} MB")
    for name, tried in (("tasks", pool.of_tasks), ("mutations", pool.of_mutations)):
        solved = [(statuses == SOLVED) for statuses in (tried.random, tried.varied)]
        shares = ", ".join(f"{100 * one.mean():.1f} %" for one in solved)
        none = sum(not row.any() for row in solved[1])
        print(f"{len(tried.tasks)} {name}: solved by {shares} of random actions and variations; {none} by no variation")
    return pool


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
