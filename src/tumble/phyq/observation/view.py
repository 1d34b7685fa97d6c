"""What is seen at one moment, and in the frames of an episode."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.phyq.catalogue.level import Level
from tumble.phyq.observation.batch import screenshot_of
from tumble.phyq.observation.drawing import Painter
from tumble.phyq.observation.illustration import WIDTH, illustrated
from tumble.phyq.observation.objects import GameObject, moved, objects_of
from tumble.phyq.observation.symbolic import state_tensor, symbolic_state
from tumble.scene import Vec


@dataclass(frozen=True)
class View:
    """What is seen at one moment."""

    objects: tuple[GameObject, ...]
    slingshot: Vec = Level.slingshot
    trail: np.ndarray | None = None
    """Positions [n, 2] of the last bird during its flight, where they were kept."""

    def picture(self) -> np.ndarray:
        """A screenshot for agents, with the published camera: uint8 [480, 640, 3]."""
        return screenshot_of(self.objects, self.slingshot)

    def illustration(self, width: int = WIDTH, zoom: float = 1.0) -> np.ndarray:
        """A picture for people: uint8 [height, width, 3], 16:9, with a camera that fits the level."""
        return illustrated(self.objects, self.slingshot, width, zoom, self.trail)

    def symbolic(
        self, labels: bool = False, platforms: bool = True, noise: np.random.Generator | None = None
    ) -> list[dict[str, Any]]:
        """The state in the published JSON form (see `symbolic_state`)."""
        return symbolic_state(self.objects, self.slingshot, labels, noise, platforms, self.trail)

    def tensor(self, platforms: bool = True) -> np.ndarray:
        """Cells covered by each kind of object: uint8 [120, 160, 12] (see `state_tensor`)."""
        return state_tensor(self.objects, self.slingshot, platforms)


@dataclass(frozen=True)
class Motion:
    """The motion of all objects: their poses in each frame that was kept."""

    objects: tuple[GameObject, ...]
    """All objects of the episode; split birds and eggs come last."""
    slingshot: Vec
    seconds: np.ndarray
    """float [frames]: time since the level was ready."""
    poses: np.ndarray
    """float [frames, objects, (x, y, radians)], NaN where an object is absent."""

    def view(self, frame: int) -> View:
        """One frame, in which all objects have full life."""
        return View(moved(self.objects, self.poses[frame]), self.slingshot)

    def pictures(self, frames: slice = slice(None)) -> np.ndarray:
        """Screenshots: uint8 [frames, 480, 640, 3]."""
        return Painter(self.objects, self.slingshot).paint(self.poses[frames])


@dataclass(frozen=True)
class Event:
    """An event of an episode; an object is None where it is the ground."""

    seconds: float
    kind: str
    """release, tap, hit, death (of a pig or block), gone (a bird or egg was removed) or end."""
    object: GameObject | None
    other: GameObject | None
    speed: float
    """Approach speed of a hit."""


def start(level: Level) -> View:
    """The view of a level before the first shot.

    >>> from tumble.phyq.catalogue.tasks import task
    >>> view = start(task("6.4:003").level)
    >>> view.objects[0].kind, view.tensor().shape
    ('pig', (120, 160, 12))
    """
    return View(objects_of(level), level.slingshot)
