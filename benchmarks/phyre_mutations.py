"""Mutations of all published tasks of a tier, swept once for the trainings of all folds.

python benchmarks/phyre_mutations.py --tier B --count 10 --device cuda --out mutations-B.npz
"""

import argparse
import time
from pathlib import Path

from tumble import phyre
from tumble.phyre.generation.swept_mutations import swept_mutations
from tumble.phyre.tasks.catalogue import published_tasks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", default="B", choices=list(phyre.TIERS))
    parser.add_argument("--count", type=int, default=10, help="mutations to try of each task")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    tasks = list(published_tasks(options.tier).values())
    begin = time.perf_counter()
    swept = swept_mutations(tasks, phyre.Simulator(tasks, options.tier, options.device), options.count)
    swept.save(options.out, tasks, options.count)
    print(f"{len(swept.tasks)} mutations of {len(tasks)} tasks in {time.perf_counter() - begin:.0f} s: {options.out}")


if __name__ == "__main__":
    main()
