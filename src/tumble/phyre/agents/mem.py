"""MEM: tries the actions of a fixed set in the order of how many training tasks each solved.

Within templates it ranks for each template by that template's training tasks; templates that it did not train on get
the ranking over all training tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.agents.agent import NOTHING, Agent, Try
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.phyre.tasks.splits import template_of
from tumble.phyre.tasks.task import Task


@dataclass
class Memory:
    """How often each action solved and failed."""

    solved: np.ndarray
    failed: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        return np.asarray(self.solved / (self.solved + self.failed + 1.0))

    def best_first(self) -> np.ndarray:
        """Numbers of the actions; equal ones keep their order."""
        return np.argsort(-self.scores, kind="stable")


@dataclass
class Mem(Agent):
    """Ranks by memory of training tasks."""

    ranked: int = 1000
    """Actions in the set."""
    action_set: int = 0
    """Which set."""
    memories: dict[str, Memory] = field(default_factory=dict, init=False, repr=False)
    """By template; "" for all training tasks together."""

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)
        ids = [task.id for task in tasks]
        statuses = simulator.sweep(self.actions, ids)
        members: dict[str, list[int]] = {"": list(range(len(ids)))}
        for row, task_id in enumerate(ids):
            members.setdefault(template_of(task_id), []).append(row)
        for key, rows in members.items():
            own = statuses[rows]
            solved, failed = ((own == status).sum(axis=0).astype(float) for status in (SOLVED, NOT_SOLVED))
            self.memories[key] = Memory(solved, failed)

    def memory_of(self, task: Task) -> Memory:
        """What it goes by in a task."""
        return self.memories.get(template_of(task.id), self.memories[""])

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray:
        return NOTHING if past else self.actions[self.memory_of(task).best_first()]
