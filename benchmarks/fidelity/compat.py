"""The original's interface compared with Tumble's: statuses of the same actions, and the cost of single calls.

Runs the functions of tests/phyre/compat/tutorial_script.py on every template of both tiers.

python benchmarks/fidelity/compat.py
"""

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import numpy as np
from table import Results

import tumble.phyre.compat as compat
from tumble import engine, phyre
from tumble.phyre.catalogue.tasks_by_id import solutions
from tumble.phyre.catalogue.templates import published_numbers

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "phyre" / "compat"))
import tutorial_script

ACTIONS = 60
"""Random actions for each task, beside its known solution."""
STABLE_ACTIONS = 10
TIMED_CALLS = 250
TIERS = {"ball": "B", "two_balls": "2B"}


def one_task_of_each_template(tier: str) -> list[str]:
    firsts = [next(f"{name}:{k:03d}" for k in numbers) for name, numbers in published_numbers().items()]
    return [task_id for task_id in firsts if phyre.task(task_id).tier == TIERS[tier]]


def equal_statuses(tier: str, count: int, stable: bool) -> tuple[int, int, int]:
    """Statuses that are equal, solved ones among them, and all."""
    ids = one_task_of_each_template(tier)
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


def milliseconds(work: Callable[[], object], calls: int) -> float:
    """CPU time of a call, the best of three: other programs run on the machine."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append((time.process_time() - start) / calls * 1e3)
    return min(times)


def add_costs(results: Results, tier: str) -> None:
    ids = one_task_of_each_template(tier)
    simulator = compat.initialize_simulator(ids, tier)
    ours = phyre.Simulator([phyre.task(task_id) for task_id in ids], TIERS[tier], threads=1)
    actions = simulator.build_discrete_action_space(TIMED_CALLS // len(ids))
    calls = len(ids) * len(actions)
    by_task = [(index, action) for index in range(len(ids)) for action in actions]
    by_action = [(index, action) for action in actions for index in range(len(ids))]

    def loop(pairs: list[tuple[int, np.ndarray]], **needs: bool) -> None:
        for index, action in pairs:
            simulator.simulate_action(index, action, **needs)

    def single() -> None:
        for index, action in by_task:
            ours.simulate(ids[index], action)

    valid = int((ours.sweep(actions, progress=lambda _: None) != 0).sum())
    costs = {
        "simulate_action, all actions on a task, then the next": lambda: loop(by_task, need_images=False),
        "simulate_action, an action on all tasks, then the next": lambda: loop(by_action, need_images=False),
        "simulate_action with images": lambda: loop(by_task, need_images=True),
        "simulate_action with images and objects": lambda: loop(by_task, need_featurized_objects=True),
        "tumble.phyre Simulator.simulate, one by one": single,
        "tumble.phyre Simulator.sweep, all in one call": lambda: ours.sweep(actions, progress=lambda _: None),
    }
    note = f"one core, CPU time, best of 3; {calls} calls on {len(ids)} templates, {valid} valid"
    for label, work in costs.items():
        value = milliseconds(work, calls)
        results.add(f"{tier}: {label}", f"{value:.2f} ms a call, {1e3 / value:.0f} calls/s", note=note)


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
    for tier in TIERS:
        add_costs(results, tier)
    results.finish("compat")


if __name__ == "__main__":
    main()
