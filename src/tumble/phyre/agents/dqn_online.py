"""DQN-O: DQN that keeps learning from test tasks.

After each test task it does a few updates on its attempts there, solving and failing ones in equal parts if there are
both. Other test tasks that it has finished are mixed in, against forgetting.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tumble.learning.networks import CapturedStep, capturable_adam, deterministic
from tumble.phyre.agents import AgentError
from tumble.phyre.agents.agent import AttemptedAction
from tumble.phyre.agents.dqn import Dqn
from tumble.phyre.catalogue.task import Task
from tumble.phyre.models.training import LabelledActions, label_actions
from tumble.phyre.simulation.simulator import Simulator


@dataclass
class DqnOnline(Dqn):
    """Does a few updates after every finished test task."""

    updates_online: int = 5
    """Updates after each test task; with 0 it makes DQN's attempts."""
    learning_rate_online: float = 3e-5
    actions_online: int = 64
    """Attempts at each task that are drawn for an update."""
    recalled: int = 4
    """Other finished test tasks in each update."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, least in (("updates_online", 0), ("actions_online", 1), ("recalled", 0)):
            if getattr(self, name) < least:
                raise AgentError(f"{name} must be {least} or more, not {getattr(self, name)}")
        self.learns_online = self.updates_online > 0

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        super().train(tasks, simulator)
        self.training.optimizer = capturable_adam(
            self.network.parameters(), self.learning_rate_online, self.torch_device
        )
        self._update_online = CapturedStep(self.training.update, self.torch_device)
        self._generator = torch.Generator(self.torch_device).manual_seed(self.seed)
        self._finished: list[LabelledActions] = []

    def learn(self, task: Task, past: Sequence[AttemptedAction]) -> None:
        if not past:
            return
        latest = label_actions(self.see([task]), np.array([one.action for one in past]), [one.solved for one in past])
        with deterministic():  # in evaluation mode: one task is too small a sample for batch norm
            for _ in range(self.updates_online):
                self._update_online(*self._mixed_batch(latest))
        self._finished.append(latest)

    def _mixed_batch(self, latest: LabelledActions) -> list[Tensor]:
        """Inputs, actions and outcomes of attempts at the task that was just finished, and at others.

        They are the same for all members: [member, task, …].
        """
        parts = [latest.batch(1, self.actions_online, self._generator)]
        for _ in range(self.recalled if self._finished else 0):
            earlier = self._finished[self._random_index(len(self._finished))]
            parts.append(earlier.batch(1, self.actions_online, self._generator))
        mixed = [torch.cat([getattr(part, name) for part in parts]) for name in ("inputs", "actions", "solved")]
        return [one.expand(self.members, *one.shape) for one in mixed]

    def _random_index(self, count: int) -> int:
        return int(torch.randint(count, (), generator=self._generator, device=self.torch_device))
