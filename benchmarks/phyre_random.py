"""RAND over the ten folds of all settings: independent draws for each task, three seeds.

    python benchmarks/phyre_random.py [--device cuda]

The published RAND tried the first actions of one fixed set on every task, so that its score hangs on that set.
"""

import argparse

import numpy as np
import warp as wp
from table import Results

from tumble import engine, phyre
from tumble.phyre.agents import rand
from tumble.phyre.splits import FOLDS, SETTINGS

SEEDS = 3
EXPECTED = {
    "ball_cross_template": (15.3, 13.0),
    "ball_within_template": (15.9, 13.7),
    "two_balls_cross_template": (2.1, 2.6),
    "two_balls_within_template": (2.8, 3.6),
}
"""What independent draws should give, and what was published."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    arguments = parser.parse_args()
    device = wp.get_device(arguments.device)
    results = Results(f"RAND, AUCCESS of {engine.physics_id()}", "" if device.is_cpu else device.name)
    for tier in phyre.TIERS:
        tasks = phyre.tasks(tier)
        simulator = phyre.Simulator(tasks.values(), tier, arguments.device)
        runs = [rand.solved_at(simulator, list(tasks), seed) for seed in range(SEEDS)]
        for name in (name for name, setting in SETTINGS.items() if setting.tier == tier):
            tests = [phyre.fold(name, number, tasks).test for number in range(FOLDS)]
            scores = [[100 * phyre.auccess([run[task_id] for task_id in ids]) for ids in tests] for run in runs]
            mean = float(np.mean(scores))
            expected, published = EXPECTED[name]
            note = f"difference {mean - expected:+.2f}; seeds {', '.join(f'{np.mean(s):.2f}' for s in scores)}; "
            note += f"published, with its fixed set, {published}"
            results.add(f"RAND, {name}, ten folds", f"{mean:.2f}", f"{expected} +- 1.2", "", note)
    results.finish("phyre-random")


if __name__ == "__main__":
    main()
