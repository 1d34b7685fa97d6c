"""RAND over the ten folds of all settings: independent draws for each task, three seeds.

    python benchmarks/agents/phyre_random.py [--device cuda]

The published RAND tried the first actions of one fixed set on every task, so that its score depends on that set.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
import warp as wp
from table import Results

from tumble import engine, phyre
from tumble.phyre.agents.rand import Rand
from tumble.phyre.catalogue.tasks_by_id import FOLDS, SETTINGS
from tumble.phyre.simulation.status import SOLVED

SEEDS = 3
EXPECTED = {
    "ball_cross_template": (15.3, 13.0),
    "ball_within_template": (15.9, 13.7),
    "two_balls_cross_template": (2.1, 2.6),
    "two_balls_within_template": (2.8, 3.6),
}
"""The expected AUCCESS of independent draws, and the published one."""

ROUNDS = (10, 30, 100)
"""Attempts after which tasks that are solved drop out."""


def solved_at(simulator: phyre.Simulator, seed: int) -> dict[str, int | None]:
    """The attempt, counted from 1, at which RAND solves each task; None if none of 100 does."""
    proposals = {task.id: Rand(seed=seed).propose(task, ()) for task in simulator.tasks}
    result: dict[str, int | None] = dict.fromkeys(proposals)
    done = 0
    for limit in ROUNDS:
        open_tasks = [task_id for task_id, at in result.items() if at is None]
        ids = [task_id for task_id in open_tasks for _ in range(done, limit)]
        actions = np.concatenate([proposals[task_id][done:limit] for task_id in open_tasks])
        solved = simulator.pairs(ids, actions).reshape(len(open_tasks), -1) == SOLVED
        rows = zip(open_tasks, solved, strict=True)
        result.update({task_id: done + 1 + int(row.argmax()) for task_id, row in rows if row.any()})
        done = limit
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    arguments = parser.parse_args()
    device = wp.get_device(arguments.device)
    results = Results(f"RAND, AUCCESS of {engine.physics_id()}", "" if device.is_cpu else device.name)
    for tier in phyre.TIERS:
        tasks = phyre.tasks(tier)
        simulator = phyre.Simulator(tasks.values(), tier, arguments.device)
        runs = [solved_at(simulator, seed) for seed in range(SEEDS)]
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
