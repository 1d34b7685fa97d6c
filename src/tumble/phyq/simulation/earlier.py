"""States of episodes some of whose shots have been played, from which longer sequences continue."""

from dataclasses import dataclass

import numpy as np

from tumble import engine
from tumble.engine.host.states import joined_states
from tumble.phyq.simulation.game import layout

FROM_START = -1
"""The state of an episode that is played from the start."""


@dataclass(frozen=True)
class Earlier:
    """Where each episode of a batch continues: `state_of` int [episodes] are indices of states, or FROM_START."""

    states: engine.States
    state_of: np.ndarray

    def take(self, rows: np.ndarray) -> "Earlier":
        """The states of some episodes."""
        return Earlier(self.states, self.state_of[rows])

    def shots_played(self) -> np.ndarray:
        """int [episodes]: the shots that have been played."""
        if not len(self.states):
            return np.zeros(len(self.state_of), int)
        return np.where(self.state_of < 0, 0, self.states.output_ints[self.state_of, layout.RELEASED])

    def after(self, settled: engine.States, settled_of: np.ndarray) -> tuple[engine.States, np.ndarray]:
        """All states to start from, and that of each episode; those from the start have the settled ones."""
        if not len(self.states):
            return settled, settled_of
        return joined_states(settled, self.states), np.where(
            self.state_of < 0, settled_of, len(settled) + self.state_of
        )
