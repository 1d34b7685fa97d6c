"""Which share of PHYRE's tasks a grid of actions can solve at all: the most that a model can score in grid mode.

    python benchmarks/data/phyre_grid.py [--grids 5x5x5 8x8x8] [--tiers B 2B] [--device cuda] [--store]

An answer in grid mode is the centre of a cell and a radius level. --store writes the package's data, so that scores of
these tasks have their ceiling beside them.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from published import ROOT
from table import Results, arguments

from tumble import engine
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import task_ids
from tumble.phyre.llm.answer import Grid
from tumble.phyre.llm.puzzle_set import FILE, ceiling, write_stored
from tumble.progress import bar

DATA = ROOT / "src" / "tumble" / "phyre" / "data" / FILE


def main() -> None:
    given = arguments(__doc__, grids=("5x5x5", "8x8x8"), tiers=tuple(TIERS), device="cpu", store=False)
    results, found = Results(f"Ceilings of grids of actions, {engine.physics_id()}", given.device), []
    for grid in map(Grid.parse, given.grids):
        for tier in given.tiers:
            ids = list(task_ids(tier))
            with bar(f"Tasks, {grid.name}", len(ids)) as advance:
                found.append((tier, ceiling(grid, ids, given.device, advance)))
            results.add(f"tier {tier}, {grid.name}", f"{100 * found[-1][1].share:.1f} %", note=f"{len(ids):,} tasks")
    results.finish("phyre-grid")
    if given.store:
        write_stored(DATA, found)


if __name__ == "__main__":
    main()
