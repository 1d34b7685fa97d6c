"""What an agent is.

First it may train. Then it gets test tasks, and for each it is asked for actions until the task is solved or its
attempts are used up. A file of one's own with such a class works everywhere:

    class MyAgent(Agent):
        def propose(self, task, past):
            return sample_valid(task.scene, TIERS[task.tier], 10, np.random.default_rng(len(past)))
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.tasks.task import Task

NOTHING = np.zeros((0, 0))
"""What an agent proposes that gives up; None does as well."""


@dataclass(frozen=True)
class Try:
    """An action that was attempted, and what came of it."""

    action: np.ndarray
    attempt: Attempt

    @property
    def solved(self) -> bool:
        return self.attempt.solved


class Agent:
    """Override `propose`, and of the others what is needed."""

    wants: tuple[str, ...] = ()
    """What it wants to see of its attempts: "observations", "states", … (`attempt.WANTS`), and with any of these the
    number of steps; without, only the status."""
    learns_online: bool = False
    """Whether it learns from test tasks; they then come one after the other, in its order."""
    is_shown_solutions: bool = False
    """Only for oracles: whether `show_solutions` hands it a simulator of its test tasks."""

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Learns from training tasks, with as many attempts as it likes."""

    def order(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """The order in which it attempts test tasks."""
        return tasks

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray | None:
        """Actions [n, numbers] to try next, the best first; asked again when they are used up. None gives the task up.

        Invalid ones are passed over and cost nothing.
        """
        raise NotImplementedError

    def learn(self, task: Task, past: Sequence[Try]) -> None:
        """Learns from a test task that is finished, solved or not; only where `learns_online`."""

    def show_solutions(self, simulator: Simulator) -> None:
        """For oracles only."""
