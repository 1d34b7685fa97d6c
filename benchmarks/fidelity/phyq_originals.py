"""Replays the shots that the original's agents made in our world: how close blocks, pigs and passes come.

    python benchmarks/fidelity/phyq_originals.py --shots SHOTS.csv.xz --published REPORT.md --levels FOLDER

The shots of Datalab and PigShooter were made in the tasks of commit a390b72, whose levels are exported with
`tumble phyq export --all --tasks 100 --format json -o FOLDER` at that commit. An attempt's numbers of blocks destroyed
and of pigs killed are set beside the published ones. Scenario 2 is left out: its published scores are not understood.
"""

import csv
import json
import lzma
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results, arguments

from tumble.phyq.catalogue import level_json
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator, physics_id

AGENTS = ("datalab", "pigshooter")
Rates = dict[tuple[str, str], np.ndarray]
"""Passes, blocks destroyed and pigs killed in an attempt, by agent and template."""


def published(report: Path) -> Rates:
    found = {}
    for line in report.read_text(encoding="utf-8").splitlines():
        row = re.match(r"\| (\d+\.\d) \| (.*) \|", line)
        if row:
            there = [float(cell.split("/")[1]) for cell in row[2].split("|")]
            found |= {(agent, row[1]): np.array(there[3 * k : 3 * k + 3]) for k, agent in enumerate(AGENTS)}
    return found


def replayed(shots: Path, levels: Path) -> Rates:
    with lzma.open(shots, "rt", encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["result"] in ("won", "lost")]
    ids = sorted({row["task"] for row in rows})
    simulator = Simulator([level_json.load(levels / f"{task_id.replace(':', '-')}.json") for task_id in ids])
    sequences = [
        [Shot(angle, min(1.0, pull), tap_ms=tap if tap and tap > 0 else None) for angle, pull, tap in made]
        for made in (json.loads(row["shots"]) for row in rows)
    ]
    episodes = simulator.play([ids.index(row["task"]) for row in rows], sequences)
    by_template = defaultdict(list)
    for k, row in enumerate(rows):
        world = episodes.worlds[episodes.level_of[k]]
        blocks = int((episodes.died[k][world.of_role("block")] > 0).sum())
        pigs = len(world.level.pigs) - int(episodes.pigs_left[k])
        by_template[row["agent"], row["task"].split(":")[0]].append((float(episodes.won[k]), blocks, pigs))
    return {key: np.mean(values, axis=0) for key, values in by_template.items()}


def main() -> None:
    given = arguments(__doc__, shots=Path("shots.csv.xz"), published=Path("published.md"), levels=Path("levels"))
    results = Results(f"Shots of the original's agents, {physics_id()}")
    there, here = published(given.published), replayed(given.shots, given.levels)
    for agent in AGENTS:
        keys = [key for key in there if key[0] == agent and key in here and not key[1].startswith("2.")]
        away = np.array([here[key] - there[key] for key in keys])
        rates = np.array([(here[key][0], there[key][0]) for key in keys]).T
        for name, apart in zip(("blocks", "pigs"), away.T[1:], strict=True):
            value = f"{apart.mean():+.2f}, rms {np.sqrt((apart**2).mean()):.2f}"
            results.add(f"{agent}: {name} an attempt, difference to the published", value)
        correlation = f"{np.corrcoef(rates)[0, 1]:.3f}"
        results.add(f"{agent}: correlation of passes, by template", correlation, note=f"{len(keys)} templates")
    results.finish("phyq-originals")


if __name__ == "__main__":
    main()
