"""RAND: random valid actions.

By default every task gets independent draws. The paper's RAND goes through one fixed set of actions, the same for every
task; `ranked`, the size of the set, selects that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from tumble.phyre.agents.agent import NO_ACTIONS, Agent, AttemptedAction
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, TIERS, Task
from tumble.phyre.simulation.actions import action_set, sample_valid
from tumble.runs.participant import Given


@dataclass
class Rand(Agent):
    """Proposes actions that depend only on the seed, the task's id and the number of attempts."""

    ranked: int = 0
    """Actions in the fixed set; 0 for independent draws."""
    action_set: int = 0
    """The number of the fixed set."""
    seed: int = 0
    repeatable = True

    def given(self) -> Given:
        return Given()

    def propose(self, task: Task, past: Sequence[AttemptedAction]) -> np.ndarray:
        tier = TIERS[task.tier]
        if self.ranked:
            return NO_ACTIONS if past else action_set(tier, self.ranked, self.action_set)
        suffix = f"/{len(past)}" if past else ""
        digest = sha256(f"{self.seed}/{task.id}{suffix}".encode()).digest()
        rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
        return sample_valid(task.scene, tier, MAX_ATTEMPTS, rng)
