"""A DQN so small that tests can train it, and a fake simulator that tells left from right."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from run_headers import header_of

from tumble import engine, phyre
from tumble.phyre.agents.agent import Agent
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.evaluation import evaluate
from tumble.phyre.evaluation.evaluate import attempt_all
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.runs.log import open_log

LEFT, RIGHT = "00001:000", "00009:000"
"""Tasks that look different; here the first is solved by balls on the left, the second by balls on the right."""
CPU = torch.device("cpu")
TINY: dict[str, Any] = {
    "updates": 10,
    "tasks_per_batch": 4,
    "actions_per_task": 8,
    "learning_rate": 3e-3,
    "trained_on": 200,
    "mirrored": False,
    "side": 64,
    "width": 0.125,
    "ranked": 200,
    "refined": 0,
    "device": "cpu",
}


class SideSimulator:
    """A fake simulator: whether an action solves depends only on the side of its ball."""

    tier = phyre.TIERS["B"]
    options = engine.Options()

    def sweep(self, actions: object, task_ids: Sequence[str]) -> np.ndarray:
        on_left = np.asarray(actions)[:, 0] < 0.5
        return np.array([np.where(on_left == (task_id == LEFT), SOLVED, NOT_SOLVED) for task_id in task_ids], np.int8)

    def pairs(self, task_ids: Sequence[str], actions: np.ndarray) -> np.ndarray:
        on_left = actions[:, 0] < 0.5
        return np.where(on_left == (np.array(task_ids) == LEFT), SOLVED, NOT_SOLVED).astype(np.int8)


class UnusedSimulator(SideSimulator):
    """A simulator that must not be called."""

    def sweep(self, actions: object, task_ids: Sequence[str]) -> np.ndarray:
        raise AssertionError("simulated although there was no need")


def attempted(
    agent: Agent, tasks: list[phyre.Task], max_open: int, attempts: int, folder: Path, patch: pytest.MonkeyPatch
) -> list[list[tuple[float, ...]]]:
    """The actions of an agent's attempts at each task, of which up to `max_open` are attempted together."""
    patch.setattr(evaluate, "MAX_OPEN_TASKS", max_open)
    with open_log(folder / f"{max_open}.jsonl", header_of()) as log:
        attempt_all(agent, tasks, phyre.Simulator(tasks), log, attempts=attempts)
    return [[tuple(row["action"]) for row in log.tasks[task.id]] for task in tasks]


def losses(agent: Dqn) -> list[tuple[int, float]]:
    """The curve of an agent's training: (update, mean loss since the point before)."""
    return agent.training.progress.curve["loss"]


def trained(tasks: list[phyre.Task], kind: type[Dqn] = Dqn, **settings: Any) -> Any:
    agent = kind(**{**TINY, **settings})
    agent.train(tasks, SideSimulator())  # type: ignore[arg-type]
    return agent


def attempts_of_both(
    agents: tuple[Agent, Agent], tasks: list[phyre.Task], attempts: int, folder: Path, patch: pytest.MonkeyPatch
) -> list[list[list[tuple[float, ...]]]]:
    """The actions of two agents, with a folder each for their logs."""
    made = []
    for number, agent in enumerate(agents):
        (folder / str(number)).mkdir()
        made.append(attempted(agent, tasks, len(tasks), attempts, folder / str(number), patch))
    return made
