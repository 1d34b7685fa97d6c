"""The agents of docs/guides/tutorial.md propose valid, varied actions, and solve more than random actions do."""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tumble import phyre
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.benchmark import PHYRE
from tumble.phyre.catalogue.tasks_by_id import published_tasks
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.shipped_sweeps import shipped_store, simulator_with_store

FILE = Path(__file__).resolve().parents[3] / "docs" / "examples" / "push_agent.py"
CLASSES = ("Column", "FarSide", "Relative", "Varied")
TRIED = 10


@cache
def trained(name: str) -> Any:
    """An agent of the file, trained on five tasks of each training template of fold 0."""
    spec = importlib.util.spec_from_file_location("push_agent", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    agent = getattr(module, name)()
    ids = phyre.fold("ball_cross_template", 0, phyre.task_ids("B")).train_for_test[::20]
    tasks = [published_tasks("B")[task_id] for task_id in ids]
    agent.train(tasks, simulator_with_store(tasks, "B"))
    return agent


def tasks_to_test() -> list[phyre.Task]:
    ids = phyre.fold("ball_cross_template", 0, phyre.task_ids("B")).test
    return [published_tasks("B")[task_id] for task_id in ids[::25]]


@pytest.mark.parametrize("name", CLASSES)
def test_first_proposals_are_valid_and_solve_more_than_random_actions(name: str) -> None:
    agent, tasks = trained(name), tasks_to_test()
    proposed = [agent.propose(task, ())[:TRIED] for task in tasks]
    assert all(phyre.actions.valid(task.scene, actions).all() for task, actions in zip(tasks, proposed, strict=True))
    simulator = phyre.Simulator(tasks, "B")
    ids = [task.id for task in tasks for _ in range(TRIED)]
    statuses = simulator.pairs(ids, np.concatenate(proposed), progress=lambda _: None).reshape(-1, TRIED)
    random = shipped_store("B").statuses([task.id for task in tasks])
    chance = (random == 1).sum(axis=1) / (random != 0).sum(axis=1)
    expected = (1.0 - (1.0 - chance) ** TRIED).mean()
    assert (statuses == 1).any(axis=1).mean() > 2.0 * expected


@pytest.mark.parametrize("name", ["Column", "FarSide", "Varied"])
def test_later_proposals_are_new_and_repeatable(name: str) -> None:
    agent, task = trained(name), tasks_to_test()[0]
    first = agent.propose(task, ())
    past = tuple(AttemptedAction(action, Attempt(-1)) for action in first)
    second = agent.propose(task, past)
    assert phyre.actions.valid(task.scene, second).all()
    assert not (first[:, None] == second[None]).all(axis=2).any()
    assert np.array_equal(second, agent.propose(task, past))


@pytest.mark.slow
def test_the_last_agent_is_better_than_mem(tmp_path: Path) -> None:
    spec = PHYRE.spec(f"{FILE}:Varied", "ball_cross_template", fold=0, attempts=10)
    result = PHYRE.result(PHYRE.run(spec, tmp_path))
    assert result.success(10) > 40.0  # MEM: 17.8
