"""OPTIMAL: an oracle that knows which actions of a set solve a task; the best that ranking the set can do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.phyre.agents.agent import NOTHING, Agent, Try
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.phyre.tasks.task import Task


@dataclass
class Optimal(Agent):
    """Not an agent to compare with: it is shown the solutions of its test tasks."""

    ranked: int = 1000
    action_set: int = 0
    is_shown_solutions = True

    def show_solutions(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self.actions = action_set(simulator.tier, self.ranked, self.action_set)

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray:
        if past:
            return NOTHING
        statuses = self._simulator.sweep(self.actions, [task.id], lambda _: None)[0]
        return self.actions[np.argsort(statuses != SOLVED, kind="stable")]
