"""A DQN so small that tests can train it, and a fake simulator that tells left from right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from tumble import phyre
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED

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
    "hidden": (32,),
    "side": 64,
    "width": 0.125,
    "ranked": 200,
    "refined": 0,
    "device": "cpu",
    "log_every": 5,
}


class SideSimulator:
    """A fake simulator: whether an action solves depends only on the side of its ball."""

    tier = phyre.TIERS["B"]

    def sweep(self, actions: object, task_ids: Sequence[str]) -> np.ndarray:
        on_left = np.asarray(actions)[:, 0] < 0.5
        return np.array([np.where(on_left == (task_id == LEFT), SOLVED, NOT_SOLVED) for task_id in task_ids], np.int8)


class UnusedSimulator(SideSimulator):
    """A simulator that must not be called."""

    def sweep(self, actions: object, task_ids: Sequence[str]) -> np.ndarray:
        raise AssertionError("simulated although there was no need")


def trained(tasks: list[phyre.Task], kind: type[Dqn] = Dqn, **settings: Any) -> Any:
    agent = kind(**{**TINY, **settings})
    agent.train(tasks, SideSimulator())  # type: ignore[arg-type]
    return agent
