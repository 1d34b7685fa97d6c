"""What there is to see at one moment, or in the frames of an episode."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.phyq.observation.drawing import Painter
from tumble.phyq.observation.symbolic import symbolic_state
from tumble.phyq.observation.tensor import state_tensor
from tumble.phyq.observation.things import Thing, moved, things
from tumble.phyq.tasks.level import Level
from tumble.scene import Vec


@dataclass(frozen=True)
class View:
    """What is there at one moment."""

    things: tuple[Thing, ...]
    slingshot: Vec = Level.slingshot
    trail: np.ndarray | None = None
    """Points [n, 2] that the last bird has flown through, where they are known."""

    def picture(self) -> np.ndarray:
        """uint8 [480, 640, 3]: a screenshot."""
        return np.asarray(Painter(self.things, self.slingshot).paint()[0])

    def symbolic(
        self, labels: bool = False, platforms: bool = True, noise: np.random.Generator | None = None
    ) -> list[dict[str, Any]]:
        """The state in the published JSON form (see `symbolic_state`)."""
        return symbolic_state(self.things, self.slingshot, labels, noise, platforms, self.trail)

    def tensor(self, platforms: bool = True) -> np.ndarray:
        """uint8 [120, 160, 12]: which kind of thing is where (see `state_tensor`)."""
        return state_tensor(self.things, self.slingshot, platforms)


@dataclass(frozen=True)
class Motion:
    """How everything moved: one row of poses for each frame that was kept."""

    things: tuple[Thing, ...]
    """All that there ever is, with what may come of birds at its end."""
    slingshot: Vec
    seconds: np.ndarray
    """float [frames]: since the level was ready."""
    poses: np.ndarray
    """float [frames, things, (x, y, radians)], NaN where a thing is absent."""

    def view(self, frame: int) -> View:
        """One frame; how hurt things are is not known."""
        return View(moved(self.things, self.poses[frame]), self.slingshot)

    def pictures(self, frames: slice = slice(None)) -> np.ndarray:
        """uint8 [frames, 480, 640, 3]."""
        return Painter(self.things, self.slingshot).paint(self.poses[frames])


@dataclass(frozen=True)
class Event:
    """Something that happened; the ground is no thing."""

    seconds: float
    kind: str
    """release, tap, hit, death (of a pig or block), gone (a bird or egg) or end."""
    thing: Thing | None
    other: Thing | None
    speed: float
    """Of the approach, for a hit."""


def start(level: Level) -> View:
    """A level before the first shot."""
    return View(things(level), level.slingshot)
