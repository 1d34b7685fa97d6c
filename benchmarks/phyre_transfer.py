"""How often solutions of training tasks, carried over to test tasks, solve these: beside random actions.

    python benchmarks/phyre_transfer.py [--fold 0] [--every 10] [--actions 100]

No network is involved. Of every n-th test task, the first valid actions of each kind are simulated: random ones,
solutions as they are, those of training tasks that are alike and those by role or kind (`agents/solution_memory.py`).
"""

import argparse
from collections.abc import Callable

import numpy as np
from table import Results

from tumble import engine
from tumble.phyre.agents.explorer import transfer
from tumble.phyre.agents.explorer.memory import memory_of
from tumble.phyre.agents.explorer.transfer import load_carried_outcomes
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.catalogue.tasks_by_id import SETTINGS, solution
from tumble.phyre.evaluation.run_spec import PhyreRunSpec
from tumble.phyre.generation import training_pool
from tumble.phyre.simulation.actions import valid
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED

DRAWN = 100
"""Actions that are drawn for each that is simulated: many cannot be placed."""
Draw = Callable[[Task, int, np.random.Generator], np.ndarray]


def kinds(tasks: list[Task], tier: str) -> dict[str, Draw]:
    """What is tried on a test task, by name."""
    pool = training_pool.shipped(tier, 4)
    memory, model = memory_of(tasks, pool), transfer.fitted_transfer_model(load_carried_outcomes(pool, tasks), 0)
    assert model is not None

    def most_likely(task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        drawn = memory.by_kind(task, count, rng, aimed=True)
        is_valid = valid(task.scene, drawn.actions)
        carried = drawn.take(is_valid)
        best = np.argsort(-model.log_odds(task, carried), kind="stable")
        return np.concatenate([carried.actions[best], drawn.actions[~is_valid]])

    known = np.array([found for task in tasks if (found := solution(task.id)) is not None])
    return {
        "random actions": lambda _, count, rng: rng.random((count, TIERS[tier].numbers)),
        "solutions of training tasks, as they are": lambda _, count, rng: known[rng.integers(len(known), size=count)],
        "solutions by role": lambda *arguments: memory.by_role(*arguments).actions,
        "solutions by kind": lambda *arguments: memory.by_kind(*arguments).actions,
        "solutions by kind, the most likely first": most_likely,
        "solutions of tasks that are alike": memory.alike,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fold", type=int, default=0)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--actions", type=int, default=100)
    options = parser.parse_args()
    results = Results(f"Solutions carried over to test tasks, {engine.physics_id()}")
    for setting in SETTINGS:
        spec = PhyreRunSpec("dqn", setting, options.fold)
        tested = list(spec.tasks_to_attempt())[:: options.every]
        simulator = Simulator(tested, spec.tier)
        for name, draw in kinds(list(spec.training_tasks()), spec.tier).items():
            rates, solved, placed = [], [], []
            for task in tested:
                drawn = draw(task, DRAWN * options.actions, np.random.default_rng(0))
                is_valid = valid(task.scene, drawn)
                actions = drawn[is_valid][: options.actions]
                if not len(actions):
                    continue
                statuses = simulator.pairs([task.id] * len(actions), actions)
                rates.append((statuses == SOLVED).mean())
                solved.append((statuses == SOLVED).any())
                placed.append(is_valid.mean())
            if not rates:
                results.add(f"{setting}, fold {options.fold}: {name}", "none", note="no training task is alike")
                continue
            note = f"solved by one of {options.actions}: {100 * np.mean(solved):.0f} % of {len(rates)} tasks; "
            note += f"{100 * np.mean(placed):.0f} % of the actions can be placed"
            results.add(f"{setting}, fold {options.fold}: {name}", f"{100 * np.mean(rates):.1f} %", note=note)
    results.finish("phyre-transfer")


if __name__ == "__main__":
    main()
