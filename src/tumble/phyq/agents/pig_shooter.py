"""Pig Shooter: shoots at the centre of a pig, as if nothing were in between."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.agents.agent import Agent, Now
from tumble.phyq.agents.chance import draws_for
from tumble.phyq.simulation.attempt import Try
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.trajectory import releases_to

OUT_OF_REACH_ANGLE = 43.0
"""Shot at pigs that no shot reaches: about as far as a bird flies."""
TAPS = {"yellow": (0.65, 0.89), "white": (0.5, 0.69), "blue": (0.65, 0.84)}
"""Share of the flight at which birds are tapped, from and to; red and black ones are not."""


@dataclass
class PigShooter(Agent):
    """As published it draws one of the pigs, and the low or the high trajectory."""

    pig: str = "random"
    """random, or first."""
    trajectory: str = "random"
    """random, low or high."""
    seed: int = 0
    looks_back = False

    def __post_init__(self) -> None:
        if self.pig not in ("random", "first"):
            raise ValueError(f"pig must be random or first, not {self.pig!r}")
        if self.trajectory not in ("random", "low", "high"):
            raise ValueError(f"trajectory must be random, low or high, not {self.trajectory!r}")

    def propose(self, task: Task, past: Sequence[Try], now: Now) -> Shot:
        draws = draws_for(self.seed, now)
        pigs = [thing for thing in now.things if thing.kind == "pig"]
        pig = draws.one_of(pigs) if self.pig == "random" else pigs[0]
        releases = releases_to((pig.x, pig.y), rest=task.level.rest_point)
        low_or_high = draws.one_of((0, -1)) if self.trajectory == "random" else {"low": 0, "high": -1}[self.trajectory]
        angle = releases[low_or_high].angle if releases else OUT_OF_REACH_ANGLE
        taps = TAPS.get(now.birds[0])
        return Shot(angle, tap_share=draws.between(*taps) if taps else None)
