"""Which share of PHYRE's tasks a grid of actions can solve at all, overall and by template.

    python benchmarks/phyre_grid.py --grid 5x5x5 --grid 8x8x8 [--tier B] [--limit 100] [--device cuda]

An answer of a model in grid mode is the centre of a cell and a radius level, so that no model can score more. Templates
are finished one by one and kept in --kept, from where a stopped program continues. --store writes all that is kept to
the package's data, so that scores of these tasks have their ceiling beside them.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import warp as wp
from table import Results

from tumble import engine
from tumble.phyre.catalogue.task import TIERS
from tumble.phyre.catalogue.tasks_by_id import task_ids, template_of
from tumble.phyre.llm.answer import Grid
from tumble.phyre.llm.ceiling import FILE, Ceiling, ceiling, write_stored
from tumble.progress import bar
from tumble.runs.spec import spread_over_groups
from tumble.scene.files import whole_file

DATA = Path(__file__).resolve().parents[2] / "src" / "tumble" / "phyre" / "data" / FILE
MEASURED = {("B", "5x5x5"): 35.4, ("B", "8x8x8"): 57.8}
"""Per cent of all published tasks, measured before by a program of its own."""


class Kept:
    """Which tasks a grid can solve, in a file: what is in it is not computed again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.physics = engine.physics_id()
        read = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.solvable: dict[str, dict[str, bool]] = read.get(self.physics, {})

    def missing(self, grid: Grid, ids: list[str]) -> list[str]:
        known = self.solvable.get(grid.name, {})
        return [task_id for task_id in ids if task_id not in known]

    def add(self, found: Ceiling) -> None:
        self.solvable.setdefault(found.grid.name, {}).update(found.solvable)
        with whole_file(self.path) as partial:
            partial.write_text(json.dumps({self.physics: self.solvable}), encoding="utf-8")

    def ceiling(self, grid: Grid, ids: list[str]) -> Ceiling:
        return Ceiling(grid, {task_id: self.solvable[grid.name][task_id] for task_id in ids})

    def by_tier(self, grid: Grid) -> list[tuple[str, Ceiling]]:
        """What is known of the tasks of each tier."""
        known = self.solvable[grid.name]
        tasks = {tier: [task_id for task_id in task_ids(tier) if task_id in known] for tier in TIERS}
        return [(tier, self.ceiling(grid, ids)) for tier, ids in tasks.items() if ids]


def compute(kept: Kept, grid: Grid, ids: list[str], device: str) -> None:
    """Sweeps the tasks that are not known yet, one template after the other."""
    missing = kept.missing(grid, ids)
    with bar(f"Tasks, {grid.name}", len(missing)) as advance:
        for template in sorted(set(map(template_of, missing))):
            members = [task_id for task_id in missing if template_of(task_id) == template]
            kept.add(ceiling(grid, members, device, advance))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grid", action="append", help="columns, rows and radius levels; may be repeated")
    parser.add_argument("--tier", default="B", choices=TIERS)
    parser.add_argument("--limit", type=int, help="tasks, spread over templates")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--kept", type=Path, default=Path("phyre_grid.json"), help="file of what is finished")
    parser.add_argument("--store", action="store_true", help="write the package's data")
    parser.add_argument("--name", default="llm-phyre-grid", help="of the table in results/")
    arguments = parser.parse_args()
    grids = [Grid.parse(text) for text in arguments.grid or ["5x5x5", "8x8x8"]]
    published = task_ids(arguments.tier)
    ids = spread_over_groups(published, arguments.limit, template_of)
    device = wp.get_device(arguments.device)
    results = Results(
        f"Ceilings of grids of actions, tier {arguments.tier}, {engine.physics_id()}",
        "" if device.is_cpu else device.name,
    )
    kept = Kept(arguments.kept)
    for grid in grids:
        compute(kept, grid, ids, arguments.device)
        found = kept.ceiling(grid, ids)
        before = MEASURED.get((arguments.tier, grid.name)) if len(ids) == len(published) else None
        note = f"{len(ids):,} of {len(published):,} tasks"
        must = "" if before is None else f"{before} +- 0.1"
        results.add(f"tier {arguments.tier}, {grid.name}, all templates", f"{100 * found.share:.1f} %", must, "", note)
        for template, share in found.by_template.items():
            results.add(f"tier {arguments.tier}, {grid.name}, template {template}", f"{100 * share:.0f} %")
    results.finish(arguments.name)
    if arguments.store:
        stored = [(tier, known) for grid in sorted(kept.solvable) for tier, known in kept.by_tier(Grid.parse(grid))]
        write_stored(DATA, stored)


if __name__ == "__main__":
    main()
