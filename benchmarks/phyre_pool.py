"""The training pool of a tier: what actions do on all published tasks and on mutations of them.

python benchmarks/phyre_pool.py --tier B --device cuda --out B.npz
"""

import argparse
import time
from pathlib import Path

from tumble import phyre
from tumble.phyre.generation import training_pool
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.simulation.sweeps.shipped import simulator_with_store
from tumble.phyre.tasks.catalogue import published_tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", default="B", choices=list(phyre.TIERS))
    parser.add_argument("--every", type=int, default=1, help="only every n-th task, to try it out")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tasks = list(published_tasks(options.tier).values())[:: options.every]
    begin = time.perf_counter()
    pool = training_pool.make(tasks, simulator_with_store(tasks, options.tier, device=options.device))
    pool.save(options.out)
    print(f"{options.out}: {time.perf_counter() - begin:.0f} s, {options.out.stat().st_size / 1e6:.1f} MB")
    for name, tried in (("tasks", pool.of_tasks), ("mutations", pool.of_mutations)):
        solved = [(statuses == SOLVED) for statuses in (tried.random, tried.varied)]
        shares = ", ".join(f"{100 * one.mean():.1f} %" for one in solved)
        none = sum(not row.any() for row in solved[1])
        print(f"{len(tried.tasks)} {name}: solved by {shares} of random actions and variations; {none} by no variation")


if __name__ == "__main__":
    main()
