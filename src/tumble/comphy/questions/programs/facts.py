"""What the operators of programs look at: a story, and what follows from its motion."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tumble.comphy.questions.programs.program import CHANGE_PREFIX, NULL
from tumble.comphy.questions.programs.story import Story
from tumble.comphy.simulation.events import Event, direction, moving
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.video_set import CHANGES, Alteration

ERROR = "error"
VISIBLE = ("in", "out", "collision")
"""Kinds of events that programs see; forces have to be inferred."""


@dataclass(frozen=True)
class Happening:
    """An event as programs see it; a possible one has no frame."""

    kind: str
    frame: int | None
    bodies: tuple[int, ...] = ()

    @property
    def what(self) -> tuple[str, tuple[int, ...]]:
        """What happens to whom, whenever it is."""
        return self.kind, self.bodies


class World:
    """A story as the operators see it; what follows from the motion is worked out once."""

    def __init__(self, story: Story) -> None:
        self.story = story

    @cached_property
    def everyone(self) -> tuple[int, ...]:
        """All bodies."""
        return tuple(range(len(self.story.bodies)))

    @cached_property
    def events(self) -> tuple[Happening, ...]:
        """The shown events, between the start and the end."""
        return Happening("start", 0), *_visible(self.story.shown), Happening("end", SHOWN_FRAMES)

    @cached_property
    def unseen(self) -> tuple[Happening, ...]:
        """The events after them."""
        return _visible(self.story.unseen)

    @cached_property
    def possible(self) -> tuple[Happening, ...]:
        """A collision of every pair."""
        return tuple(
            Happening("collision", None, (one, other)) for one in self.everyone for other in self.everyone[one + 1 :]
        )

    @cached_property
    def inside(self) -> np.ndarray:
        """bool [shown frame, body]."""
        return self.story.motion.inside[:SHOWN_FRAMES]

    @cached_property
    def moving(self) -> np.ndarray:
        """bool [shown frame, body]: seen to move."""
        return np.asarray(moving(self.story.motion)[:SHOWN_FRAMES] & self.inside)

    def altered(self, body: int, change: str) -> tuple[Happening, ...] | str:
        """The events if a body were different; an error if that can't be asked of it."""
        kind = next(own for own in CHANGES if CHANGE_PREFIX + own == change)
        events = self.story.altered.get(Alteration(body, kind))
        return ERROR if events is None else _visible(events)

    def direction(self, body: int, frame: Any) -> str:
        """Which way a body moves in the picture in a frame, or on the whole where there is none."""
        first, last = (0, SHOWN_FRAMES) if frame == NULL else (shown_frame(frame), shown_frame(frame) + 1)
        return direction(self.story.motion, body, first, last) or ERROR

    def moves(self, frame: Any) -> np.ndarray:
        """bool [body]: seen to move in a frame, or in any where there is none."""
        return np.asarray(self.moving.any(axis=0) if frame == NULL else self.moving[shown_frame(frame)])

    def seen(self, frame: Any) -> np.ndarray:
        """bool [body]: in the picture in a frame, or in any where there is none."""
        return np.asarray(self.inside.any(axis=0) if frame == NULL else self.inside[shown_frame(frame)])


def shown_frame(frame: int) -> int:
    """The frame itself, or the last that is shown: the end comes after it."""
    return min(frame, SHOWN_FRAMES - 1)


def _visible(events: Iterable[Event]) -> tuple[Happening, ...]:
    return tuple(Happening(event.kind, event.frame, event.bodies) for event in events if event.kind in VISIBLE)
