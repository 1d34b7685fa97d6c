"""OPTIMAL: an oracle that knows which actions of a set solve a task; the upper bound of ranking that set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.runs.participant import Given


@dataclass
class Optimal(Agent):
    """Not an agent to compare with: it sees the solutions of its test tasks."""

    ranked: int = 1000
    """Actions in the set."""
    action_set: int = 0
    """The number of the set."""
    is_shown_solutions = True
    repeatable = True

    def given(self) -> Given:
        return Given(tasks=("solutions",))

    def show_solutions(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        if past:
            return NO_ACTIONS
        statuses = self._simulator.sweep(self.actions, [task.id], lambda _: None)[0]
        return self.actions[np.argsort(statuses != SOLVED, kind="stable")]
