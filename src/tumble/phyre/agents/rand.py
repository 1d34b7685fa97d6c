"""RAND: random valid actions.

Independent draws for each task by default. The paper's RAND went through one fixed set of actions, the same for every
task; give `ranked`, the size of the set, for that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from tumble.phyre.agents.agent import NOTHING, Agent, Try
from tumble.phyre.simulation.actions import action_set, sample_valid
from tumble.phyre.tasks.task import MOST_ATTEMPTS, Task
from tumble.phyre.tasks.tier import TIERS


@dataclass
class Rand(Agent):
    """Its actions hang on the seed and the task's id only."""

    ranked: int = 0
    """Actions of the fixed set; 0 for independent draws."""
    action_set: int = 0
    """Which fixed set."""
    seed: int = 0

    def propose(self, task: Task, past: Sequence[Try]) -> np.ndarray:
        tier = TIERS[task.tier]
        if self.ranked:
            return NOTHING if past else action_set(tier, self.ranked, self.action_set)
        further = f"/{len(past)}" if past else ""
        digest = sha256(f"{self.seed}/{task.id}{further}".encode()).digest()
        rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
        return sample_valid(task.scene, tier, MOST_ATTEMPTS, rng)
