"""What can be seen of a set: how its bodies look, and their tracks, boxes and pictures while they are in view.

It holds copies without masses, charges, frames after the shown ones and states of bodies out of view.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import STEPS_PER_FRAME
from tumble.comphy.tasks.motion import Motion


class Appearance(NamedTuple):
    """The visible attributes of a body."""

    color: str
    material: str
    shape: str


@dataclass(frozen=True, eq=False)
class SeenVideo:
    """What can be seen in a video."""

    members: tuple[int, ...]
    """Indices of the set's bodies; the columns of track and boxes are in this order."""
    track: Motion
    """NaN where a body is not in view; collisions in view only."""
    read_boxes: Callable[[], np.ndarray] = field(repr=False)
    read_frames: Callable[[], np.ndarray] = field(repr=False)

    @cached_property
    def boxes(self) -> np.ndarray:
        """float32 [frame, body, 4]: centre x and y, width and height, each from 0 to 1; -1 for an invisible body."""
        return self.read_boxes()

    def frames(self) -> np.ndarray:
        """uint8 [frame, height, width, 3]: the pictures; an error if the dataset has none."""
        return self.read_frames()


References = tuple[SeenVideo, ...]


@dataclass(frozen=True, eq=False)
class Observation:
    """What can be seen of a set."""

    appearances: tuple[Appearance, ...]
    """Of each body of the set."""
    target: SeenVideo
    """The shown frames only."""
    read_references: Callable[[], References] = field(repr=False)
    forms: tuple[int, ...] = ()
    """Of each body of the set: which variation of its shape it is; empty in the plain world, where all are alike."""

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """Light and neutral bodies that look like those of the set."""
        forms = self.forms or (0,) * len(self.appearances)
        return tuple(Body(*look, form=form) for look, form in zip(self.appearances, forms, strict=True))

    @cached_property
    def references(self) -> References:
        """The references, read when they are first asked for; none if the dataset has no annotations of them."""
        return self.read_references()

    def reading_by(self, load: Callable[[Callable[[], References]], References]) -> "Observation":
        """The same observation, which reads references by `load`."""
        return replace(self, read_references=partial(load, self.read_references))


def seen_track(motion: Motion, frames: int) -> Motion:
    """A copy of a motion's first frames with what is in view: NaN for bodies that are not, collisions in view."""
    in_view = motion.in_view[:frames].copy()
    seen = in_view[..., None]
    return Motion(
        np.where(seen, motion.positions[:frames], np.nan),
        np.where(seen, motion.orientations[:frames], np.nan),
        np.where(seen, motion.velocities[:frames], np.nan),
        np.where(seen, motion.angular_velocities[:frames], np.nan),
        in_view,
        tuple(
            collision
            for collision in motion.collisions
            if collision.step // STEPS_PER_FRAME < len(in_view)
            and in_view[collision.step // STEPS_PER_FRAME, list(collision.pair)].all()
        ),
    )
