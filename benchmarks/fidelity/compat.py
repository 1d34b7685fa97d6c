"""The original's interface compared with Tumble's: statuses of the same actions on every template of both tiers.

python benchmarks/fidelity/compat.py

It also runs the functions of tests/phyre/compat/tutorial_script.py, which are written for the original.
"""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "phyre" / "compat"))

import numpy as np
import tutorial_script
from table import Results

from tumble import engine, phyre
from tumble.phyre import compat
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.templates import published_numbers

ACTIONS, STABLE_ACTIONS = 60, 10
"""Random actions for each task, beside its known solution."""
TIERS = {"ball": "B", "two_balls": "2B"}


def equal_statuses(tier: str, count: int, stable: bool) -> tuple[int, int, int]:
    """Statuses that are equal, solved ones among them, and all."""
    firsts = [next(f"{name}:{k:03d}" for k in numbers) for name, numbers in published_numbers().items()]
    ids = [task_id for task_id in firsts if phyre.task(task_id).tier == TIERS[tier]]
    simulator = compat.initialize_simulator(ids, tier)
    ours = phyre.Simulator([phyre.task(task_id) for task_id in ids], TIERS[tier])
    equal = solved = total = 0
    for index, task_id in enumerate(ids):
        known = [solutions()[task_id]] if task_id in solutions() else []
        actions = np.array([*simulator.build_discrete_action_space(count, seed=index), *known])
        expected = ours.pairs([task_id] * len(actions), actions, stable=stable, progress=lambda _: None)
        found = [simulator.simulate_action(index, one, need_images=False, stable=stable).status for one in actions]
        same = expected == np.array(found)
        equal, total = equal + int(same.sum()), total + len(same)
        solved += int((same & (expected > 0)).sum())
    return equal, solved, total


def script_statuses(setup: str) -> tuple[int, int]:
    """Statuses in the tutorial script's two loops that are equal to ours, and all."""
    attempts = tutorial_script.evaluate_ranking(setup, 0, max_tasks=10, max_attempts=30, max_actions=200)[1]
    attempts += tutorial_script.evaluate_random(setup, 0, max_tasks=5, max_attempts=30, max_actions=1000)[1]
    ids = [task_id for task_id, _, _ in attempts]
    tier = TIERS[compat.eval_setup_to_action_tier(setup)]
    ours = phyre.Simulator([phyre.task(task_id) for task_id in dict.fromkeys(ids)], tier)
    expected = ours.pairs(ids, np.array([action for _, action, _ in attempts]), progress=lambda _: None)
    return int((expected == [status for _, _, status in attempts]).sum()), len(attempts)


def main() -> None:
    np.random.seed(0)  # the script draws from NumPy's global generator, as scripts for the original do
    warnings.simplefilter("ignore")  # the cache is small, and attempts are left unused
    results = Results(f"tumble.phyre.compat, {engine.physics_id()}")
    for tier in TIERS:
        for count, stable in ((ACTIONS, False), (STABLE_ACTIONS, True)):
            equal, solved, total = equal_statuses(tier, count, stable)
            kind = "stable statuses" if stable else "statuses"
            note = f"25 templates, {count} random actions and a known solution each; {solved} solve"
            results.add(f"{tier}: {kind} equal to tumble.phyre", f"{equal} of {total}", f"{total}", note=note)
    for setup in compat.MAIN_EVAL_SETUPS:
        equal, total = script_statuses(setup)
        note = "tests/phyre/compat/tutorial_script.py on 15 test tasks of fold 0"
        results.add(f"script on {setup}: statuses equal to tumble.phyre", f"{equal} of {total}", f"{total}", note=note)
    results.finish("compat")


if __name__ == "__main__":
    main()
