"""Draws of agents that hang on the seed, the task, the attempt and the shot only."""

from tumble.draws import Draws
from tumble.phyq.agents.agent import Now


def draws_for(seed: int, now: Now) -> Draws:
    """The draws for one shot."""
    return Draws(f"{seed}/{now.task.id}/{now.attempt}/{now.shots}")
