"""The base class of agents.

An agent may train first. Then it gets test tasks, and for each it proposes actions until the task is solved or its
attempts are used up. A class in a user's file works everywhere:

>>> from tumble.phyre.simulation.actions import fixed_set
>>> from tumble.phyre.catalogue.tasks_by_id import task
>>> from tumble.phyre.catalogue.task import TIERS
>>> class TenActions(Agent):
...     def propose(self, task, past):
...         return NO_ACTIONS if past else fixed_set(TIERS[task.tier], 10)
>>> TenActions().propose(task("00000:000"), past=()).shape
(10, 3)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.runs.participant import BaseAgent, Given, OfAttempts

NO_ACTIONS = np.zeros((0, 0))
"""What an agent proposes to give up a task; None has the same effect."""

SEEN_OF_ATTEMPTS: dict[str, OfAttempts] = {
    "observations": "pictures",
    "states": "states",
    "trajectories": "states",
    "events": "contacts",
}
"""What the fields of an attempt show, by name."""


@dataclass(frozen=True)
class AttemptedAction:
    """An action [numbers], and the result of the attempt."""

    action: np.ndarray
    attempt: Attempt

    @property
    def solved(self) -> bool:
        return self.attempt.solved


class Agent(BaseAgent[Task, Sequence[AttemptedAction]]):
    """Subclasses override `propose`, and other methods as needed."""

    wants: tuple[str, ...] = ()
    """The fields of its attempts that it gets: "observations", "states", … (`attempt.WANTS`), and with any of these
    the number of steps; without, only the status."""
    is_shown_solutions: bool = False
    """Only for oracles: whether `show_solutions` is called with a simulator of the test tasks."""

    def given(self) -> Given:
        seen = [word for field, word in SEEN_OF_ATTEMPTS.items() if field in self.wants]
        oracle: tuple[Literal["solutions"], ...] = ("solutions",) if self.is_shown_solutions else ()
        return Given(
            tasks=("template", "shapes and states", *oracle),
            attempts=("status", *dict.fromkeys(seen)),
            training=() if type(self).train is Agent.train else ("simulated actions",),
            learns_online=self.learns_online,
            declared=False,
        )

    def train(self, tasks: Sequence[Task], simulator: Simulator) -> None:
        """Learns from training tasks; the number of attempts is not limited."""

    def prepare(self, tasks: Sequence[Task], pasts: Sequence[Sequence[AttemptedAction]]) -> None:
        """Called with all tasks for which `propose` is called next, so that a network can run on them together.

        What is proposed must not depend on it.
        """

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray | None:
        """The next actions [n, numbers], the best first; called again when they are used up. None gives the task up.

        `past` has all earlier attempts at the task. Invalid actions are skipped and cost nothing.
        """
        raise NotImplementedError

    def show_solutions(self, simulator: Simulator) -> None:
        """Gives an oracle a simulator of its test tasks."""
