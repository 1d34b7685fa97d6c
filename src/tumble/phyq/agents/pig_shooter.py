"""Pig Shooter: shoots at the centre of a pig, regardless of obstacles."""

from collections.abc import Sequence
from dataclasses import dataclass

from tumble.phyq.agents.agent import Agent, AttemptState, SettingError
from tumble.phyq.agents.draws import draws_for
from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.task import Task
from tumble.phyq.tasks.trajectory import releases_to

OUT_OF_REACH_ANGLE = 43.0
"""The angle for pigs that are out of reach, about that of the longest flight."""
TAPS = {"yellow": (0.65, 0.89), "white": (0.5, 0.69), "blue": (0.65, 0.84)}
"""The range of taps as shares of the flight; red and black birds are not tapped."""


@dataclass
class PigShooter(Agent):
    """The published agent picks a random pig, and the low or the high trajectory at random."""

    pig: str = "random"
    """random or first."""
    trajectory: str = "random"
    """random, low or high."""
    seed: int = 0
    uses_past = False

    def __post_init__(self) -> None:
        if self.pig not in ("random", "first"):
            raise SettingError(f"pig must be random or first, not {self.pig!r}")
        if self.trajectory not in ("random", "low", "high"):
            raise SettingError(f"trajectory must be random, low or high, not {self.trajectory!r}")

    def propose(self, task: Task, past: Sequence[Attempt], state: AttemptState) -> Shot:
        draws = draws_for(self.seed, state)
        pigs = [obj for obj in state.objects if obj.kind == "pig"]
        pig = draws.one_of(pigs) if self.pig == "random" else pigs[0]
        releases = releases_to((pig.x, pig.y), rest=task.level.rest_point)
        low_or_high = draws.one_of((0, -1)) if self.trajectory == "random" else {"low": 0, "high": -1}[self.trajectory]
        angle = releases[low_or_high].angle if releases else OUT_OF_REACH_ANGLE
        taps = TAPS.get(state.birds[0])
        return Shot(angle, tap_share=draws.between(*taps) if taps else None)
