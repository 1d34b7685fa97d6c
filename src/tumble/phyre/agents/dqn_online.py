"""DQN-O: DQN that goes on learning from the test tasks that it has finished.

After each it does a few updates on what it tried there, solving and failing attempts in equal parts where it had both.
Other tasks can be mixed in: finished ones, so that what they taught is not forgotten, and training tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from tumble.phyre.agents import hardware
from tumble.phyre.agents.agent import Try
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.agents.labels import Batch, Labels, labels_of, labels_of_tries
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task


@dataclass
class DqnOnline(Dqn):
    """Learns a little from every finished test task."""

    updates_online: int = 5
    """Updates after each test task."""
    learning_rate_online: float = 3e-5
    actions_online: int = 64
    """Attempts at each task that are drawn for an update."""
    recalled: int = 4
    """Other finished test tasks that take part in each update."""
    replayed: int = 0
    """Training tasks that do."""
    learns_online = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("updates_online", 0), ("actions_online", 1), ("recalled", 0), ("replayed", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} must be {least} or more, not {getattr(self, name)}")

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self._optimizer = torch.optim.Adam(self.network.parameters(), self.learning_rate_online)
        self._generator = torch.Generator(self.place).manual_seed(self.seed)
        self._training = labels_of(tasks, simulator, self.trained_on, self.place) if self.replayed else None
        self._finished: list[Labels] = []

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        if not past:
            return
        latest = labels_of_tries(task, past, self.place)
        with hardware.repeatable():  # and in the mode of evaluation: one task is no sample to norm channels by
            for _ in range(self.updates_online):
                self._update(self._optimizer, self._mixed(latest))
        self._finished.append(latest)

    def _mixed(self, latest: Labels) -> Batch:
        """Attempts at the task that was just finished, and at others."""
        parts = [latest.batch(1, self.actions_online, self.balanced, self._generator)]
        for _ in range(self.recalled if self._finished else 0):
            earlier = self._finished[self._below(len(self._finished))]
            parts.append(earlier.batch(1, self.actions_online, self.balanced, self._generator))
        if self._training is not None:
            parts.append(self._training.batch(self.replayed, self.actions_online, self.balanced, self._generator))
        pictures, actions, solved = (
            torch.cat([getattr(part, name) for part in parts]) for name in ("pictures", "actions", "solved")
        )
        return Batch(pictures, actions, solved)

    def _below(self, count: int) -> int:
        return int(torch.randint(count, (), generator=self._generator, device=self.place))
