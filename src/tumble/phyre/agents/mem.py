"""MEM: tries the actions of a fixed set, those first that solved the largest share of training tasks.

For tasks of a template that it was trained on it counts that template's training tasks only, for other tasks all
training tasks. MEM-O keeps learning: it also counts its attempts at finished test tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.catalogue.tasks_by_id import template_of
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED, SOLVED
from tumble.runs.participant import Given


@dataclass
class Memory:
    """How many tasks each action solved and failed at, both float [actions]."""

    solved: np.ndarray
    failed: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """float [actions]: solved / (solved + failed + 1)."""
        return np.asarray(self.solved / (self.solved + self.failed + 1.0))

    def ranking(self) -> np.ndarray:
        """int [actions]: the numbers of the actions, the best first; equal ones keep their order."""
        return np.argsort(-self.scores, kind="stable")


@dataclass
class Mem(Agent):
    """Ranks actions by their success on training tasks."""

    ranked: int = 1000
    """Actions in the set."""
    action_set: int = 0
    """The number of the set."""
    memories: dict[str, Memory] = field(default_factory=dict, init=False, repr=False)
    """By template; "" for all training tasks together."""
    repeatable = True

    def given(self) -> Given:
        return Given(
            tasks=("template",),
            training=("simulated actions",),
            actions_per_task=self.ranked,
            learns_online=self.learns_online,
        )

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)
        ids = [task.id for task in tasks]
        statuses = simulator.sweep(self.actions, ids)
        rows_of: dict[str, list[int]] = {"": list(range(len(ids)))}
        for row, task_id in enumerate(ids):
            rows_of.setdefault(template_of(task_id), []).append(row)
        for template, rows in rows_of.items():
            part = statuses[rows]
            solved, failed = ((part == status).sum(axis=0).astype(float) for status in (SOLVED, NOT_SOLVED))
            self.memories[template] = Memory(solved, failed)

    def memory_of(self, task: Task) -> Memory:
        """The memory that ranks actions for a task."""
        return self.memories.get(template_of(task.id), self.memories[""])

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        return NO_ACTIONS if past else self.actions[self.memory_of(task).ranking()]


@dataclass
class MemOnline(Mem):
    """Counts each attempt at a test task as `weight` training tasks."""

    weight: float = 10.0
    learns_online = True

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self._number = {action.tobytes(): k for k, action in enumerate(self.actions)}

    def learn(self, task: Task, past: Sequence[AttemptedAction]) -> None:
        memory = self.memory_of(task)
        for attempted in past:
            counts = memory.solved if attempted.solved else memory.failed
            counts[self._number[attempted.action.tobytes()]] += self.weight
