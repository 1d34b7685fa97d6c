"""A Phy-Q agent that learns online: it tries the angles first that won earlier tasks. For `kills.py`."""

from collections.abc import Sequence

from tumble.phyq.agents.agent import Agent, AttemptState
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot

ANGLES = (10.0, 25.0, 40.0, 55.0, 70.0)


class AngleLearner(Agent):
    """Its next shot depends on all finished tasks, so a log that is resumed wrongly is continued wrongly."""

    learns_online = True

    def __init__(self) -> None:
        self.wins = dict.fromkeys(ANGLES, 0.0)

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        best_first = sorted(ANGLES, key=lambda angle: -self.wins[angle])
        return Shot(best_first[len(past) % len(ANGLES)])

    def learn(self, task: Task, past: Sequence[Attempt]) -> None:
        for attempt in past:
            for shot in attempt.shots:
                self.wins[shot.angle] += (1.0 if attempt.won else -0.1) / (1.0 + attempt.pigs_left)
