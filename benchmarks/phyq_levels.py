"""A level set of Phy-Q: how it is made, whether its levels are stable and solvable, and agents' results on it.

    python benchmarks/phyq_levels.py [--seed 7] [--count 20] [--levels FOLDER] [--runs FOLDER] [--device cuda]
        [--checkpoints FOLDER [--part broad-02]]

Agents have five attempts at each level. With --levels, a set that was made before is kept, and no time is measured.
With --checkpoints, a folder of `tumble phyq train`, the paper's learners take part too, with the network of one
scenario: by default 2, which has several birds and no other rule than to hit every pig.
The published pass rates are of other levels, which were never published.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import warp as wp
from evaluated import results_of
from table import Results

from tumble.phyq.benchmark import PHYQ
from tumble.phyq.catalogue.level_files import SET_FILE
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.generation.level_set import SECONDS_AT_REST, MadeLevel, make_levels, won_by_one_bird
from tumble.phyq.models.registry import LEARNERS
from tumble.phyq.simulation.simulator import Simulator, physics_id

PUBLISHED = {
    "bambirds_style": 0.2727,
    "eagles_wing_style": 0.2,
    "datalab_style": 0.2,
    "pig_shooter": 0.0,
}
"""Pass rates of the paper's table 2, on levels of a competition."""
AGENTS = (*PUBLISHED, "random", "shot-ranker", "simulation")
ATTEMPTS = 5


def add_checks(results: Results, made: list[MadeLevel], device: str) -> None:
    """Adds how many levels are at rest, are won by their stored solution, and are won by one bird."""
    count = f"{len(made)} of {len(made)}"
    simulator = Simulator([one.level for one in made], device)
    at_rest = int(simulator.settle(SECONDS_AT_REST).at_rest.sum())
    results.add("levels at rest for 10 s", f"{at_rest} of {len(made)}", count)
    episodes = simulator.play(range(len(made)), [one.solution for one in made])
    note = f"with {episodes.shots_used.mean():.1f} birds on average"
    results.add("levels won by their stored solution", f"{int(episodes.won.sum())} of {len(made)}", count, "", note)
    single = int(won_by_one_bird(simulator).sum())
    results.add("levels won by one bird", f"{single} of {len(made)}", f"0 of {len(made)}")
    for name in ("pigs", "blocks", "birds", "platforms"):
        numbers = [len(getattr(one.level, name)) for one in made]
        results.add(f"{name} of a level", f"{np.mean(numbers):.1f}", "", "", f"{min(numbers)} to {max(numbers)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--levels", type=Path)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--checkpoints", type=Path)
    parser.add_argument("--part", default="broad-02")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    on_gpu = options.device != "cpu"
    name = str(wp.get_device(options.device).name) if on_gpu else ""
    results = Results(f"Phy-Q's level set of seed {options.seed}, {physics_id()}", name)
    with tempfile.TemporaryDirectory() as place:
        folder = options.levels or Path(place) / "levels"
        is_new = not (folder / SET_FILE).exists()
        begin = time.perf_counter()
        made = make_levels(options.seed, options.count, options.device, folder)
        seconds = f"{(time.perf_counter() - begin) / len(made):.1f}" if is_new else "-"
        draws = f"{np.mean([one.draw + 1 for one in made]):.1f} draws for each, with those that do not fit"
        results.add("seconds to make a level", seconds, "", "", draws)
        add_checks(results, made, options.device)
        specs = [PhyQRunSpec(agent, "levels", (str(folder),), ATTEMPTS, options.device) for agent in AGENTS]
        if options.checkpoints:
            own = {"checkpoint": str(options.checkpoints), "part": options.part}
            specs += [
                PhyQRunSpec(name, "levels", (str(folder),), ATTEMPTS, options.device, settings=own) for name in LEARNERS
            ]
        for result in results_of(PHYQ, specs, options.runs or Path(place) / "runs", "levels", options.device):
            rate = PUBLISHED.get(result.agent)
            published = "" if rate is None else f"published, on levels of a competition: {100.0 * rate:.1f}"
            results.add(f"{result.agent}, passed, %", f"{100.0 * result.mean:.1f}", "", "", published)
            note = f"mean score {result.mean_score:,.0f}; total of best attempts {result.total_score:,}"
            results.add(f"{result.agent}, levels solved", f"{result.levels_solved} of {len(made)}", "", "", note)
    results.finish("phyq-levels-gpu" if on_gpu else "phyq-levels")


if __name__ == "__main__":
    main()
