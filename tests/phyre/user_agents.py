"""Files that define an agent, as users write them."""

from pathlib import Path

USER_AGENT = """
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from tumble.phyre.simulation.actions import sample_valid
from tumble.phyre.agents.agent import Agent
from tumble.phyre.catalogue.task import TIERS
{above}

@dataclass
class Mine(Agent):
    spread: float = 0.5

    def train(self, tasks, simulator):
        {train}

    def propose(self, task, past):
        {propose}

class NoAgent:
    pass

class Silent(Agent):
    pass
"""
DRAW = "return sample_valid(task.scene, TIERS[task.tier], 2, np.random.default_rng(len(past)))"


def user_agent(folder: Path, above: str = "", train: str = "pass", propose: str = DRAW, name: str = "my_agent") -> str:
    path = folder / f"{name}.py"
    path.write_text(USER_AGENT.format(above=above, train=train, propose=propose))
    return f"{path}:Mine"
