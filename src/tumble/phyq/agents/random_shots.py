"""Random: releases the bird at a random point left of the slingshot, with a random tap.

The paper draws the point from a box of pixels, 10 to 100 left of the slingshot and up to 100 above or below it. The
slingshot stretches by 18 pixels, so nearly every shot has full stretch and a random direction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.agents.agent import Agent, AttemptState, draws_for
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.observation.camera import PIXELS_PER_UNIT
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot, shot_from
from tumble.runs.participant import Given

LEFT, RIGHT, HEIGHT = -100.0, -10.0, 100.0
"""The box of release points in pixels, relative to the rest point."""
TAP = (0.5, 0.8)
"""The range of the tap of a bird with a power, as a share of the flight."""


@dataclass
class RandomShots(Agent):
    """The paper's random agent, which has 50 attempts at each task."""

    seed: int = 0
    uses_past = False
    repeatable = True

    def given(self) -> Given:
        return Given()

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        draws = draws_for(self.seed, state)
        x, y = draws.between(LEFT, RIGHT), draws.between(-HEIGHT, HEIGHT)
        tap = None if state.birds[0] == "red" else draws.between(*TAP)
        point = (x / PIXELS_PER_UNIT, y / PIXELS_PER_UNIT)
        return shot_from(point, rest=(0.0, 0.0), tap_share=tap)
