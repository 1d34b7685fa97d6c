"""Random: lets the bird go at a random point left of the sling, and taps somewhere on its way.

The paper draws the point from a box of pixels, 10 to 100 left of the sling and up to 100 above or below it. The sling
stretches by 18 pixels, so that nearly every shot has full power, and the direction is what is random.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.agents.agent import Agent, Now
from tumble.phyq.agents.chance import draws_for
from tumble.phyq.observation.camera import PIXELS_PER_UNIT
from tumble.phyq.simulation.attempt import Try
from tumble.phyq.simulation.shots import Shot, shot_from
from tumble.phyq.tasks.task import Task

LEFT, RIGHT, HEIGHT = -100.0, -10.0, 100.0
"""Pixels of the box about the bird on the sling."""
TAP = (0.5, 0.8)
"""Share of the flight at which a bird with a power is tapped."""


@dataclass
class RandomShots(Agent):
    """The paper gives it 50 attempts at each task."""

    seed: int = 0
    looks_back = False

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Shot:
        draws = draws_for(self.seed, now)
        x, y = draws.between(LEFT, RIGHT), draws.between(-HEIGHT, HEIGHT)
        tap = None if now.birds[0] == "red" else draws.between(*TAP)
        point = (x / PIXELS_PER_UNIT, y / PIXELS_PER_UNIT)
        return shot_from(point, rest=(0.0, 0.0), tap_share=tap)
