"""Random draws of agents, which depend only on the seed, the task, the attempt and the shot."""

from tumble.draws import Draws
from tumble.phyq.agents.agent import AttemptState


def draws_for(seed: int, state: AttemptState) -> Draws:
    """The draws for the next shot."""
    return Draws(f"{seed}/{state.task.id}/{state.attempt}/{state.shots}")
