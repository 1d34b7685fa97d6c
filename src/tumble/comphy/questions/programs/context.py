"""The context in which operators run: a symbolic scene, and what follows from its motion.

At a time, a body is *moving* if it is in view and faster than `Thresholds.moving_speed`, and *stationary* if it is in
view and not moving. Without a time it is *moving* if it is moving in at least one shown frame, and *stationary* if it
is in view in at least one shown frame and moving in none.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tumble.comphy.questions.programs.program import CHANGE_PREFIX, NULL
from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import DIRECTION_WINDOW, MOVING_SPEED, Event, direction, is_moving
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.question import ERROR
from tumble.comphy.tasks.video_set import CHANGES, Alteration

VISIBLE_KINDS = ("in", "out", "collision")
"""Kinds of events that programs can read; attraction and repulsion have to be inferred."""


@dataclass(frozen=True)
class ProgramEvent:
    """An event as programs read it; a possible event has no frame."""

    kind: str
    frame: int | None
    bodies: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[str, tuple[int, ...]]:
        """Its kind and bodies, without the frame."""
        return self.kind, self.bodies


@dataclass(frozen=True)
class Thresholds:
    """How motion is read."""

    moving_speed: float = MOVING_SPEED
    """Units per second above which a body is moving."""
    direction_window: float = DIRECTION_WINDOW
    """Degrees by which motion in a direction may deviate from it."""
    delay: int = 0
    """Frames by which motion at a time is read later (or earlier, if negative), as far as the body is in view then."""


AS_DEFINED = Thresholds()
"""Those of `simulation.events`."""


class ProgramContext:
    """A scene as operators read it; what follows from the motion is computed once."""

    def __init__(self, scene: SymbolicScene, thresholds: Thresholds = AS_DEFINED) -> None:
        self.scene = scene
        self.thresholds = thresholds

    @cached_property
    def all_bodies(self) -> tuple[int, ...]:
        """Indices of all bodies."""
        return tuple(range(len(self.scene.bodies)))

    @cached_property
    def events(self) -> tuple[ProgramEvent, ...]:
        """The events of the shown frames, between "start" and "end"."""
        return ProgramEvent("start", 0), *_visible(self.scene.shown_events), ProgramEvent("end", SHOWN_FRAMES)

    @cached_property
    def future_events(self) -> tuple[ProgramEvent, ...]:
        """The events after the shown frames."""
        return _visible(self.scene.future_events)

    @cached_property
    def possible_events(self) -> tuple[ProgramEvent, ...]:
        """A collision of every pair."""
        return tuple(
            ProgramEvent("collision", None, (one, other))
            for one in self.all_bodies
            for other in self.all_bodies[one + 1 :]
        )

    @cached_property
    def in_view(self) -> np.ndarray:
        """bool [shown frame, body]."""
        return np.asarray(self.scene.motion.in_view[:SHOWN_FRAMES])

    @cached_property
    def moving(self) -> np.ndarray:
        """bool [shown frame, body]: in view and moving."""
        return np.asarray(is_moving(self.scene.motion, self.thresholds.moving_speed)[:SHOWN_FRAMES] & self.in_view)

    def altered_events(self, body: int, change: str) -> tuple[ProgramEvent, ...] | str:
        """The events after a counterfactual change; an error if the body can't be changed in this way."""
        kind = next(known for known in CHANGES if CHANGE_PREFIX + known == change)
        events = self.scene.altered_events.get(Alteration(body, kind))
        return ERROR if events is None else _visible(events)

    def direction(self, body: int, frame: Any) -> str:
        """The direction in which a body moves in the picture in a frame, or over the whole video if that is NULL."""
        if frame == NULL:
            first, last = 0, SHOWN_FRAMES
        elif self.visible_in(frame)[body]:
            first = int(self._read_frames(frame)[body])
            last = first + 1
        else:
            return ERROR
        limits = self.thresholds.moving_speed, self.thresholds.direction_window
        return direction(self.scene.motion, body, first, last, *limits) or ERROR

    def moving_in(self, frame: Any) -> np.ndarray:
        """bool [body]: in view and moving in a frame, or in any frame if that is NULL."""
        if frame == NULL:
            return np.asarray(self.moving.any(axis=0))
        return np.asarray(self.moving[self._read_frames(frame), self.all_bodies] & self.visible_in(frame))

    def visible_in(self, frame: Any) -> np.ndarray:
        """bool [body]: in view in a frame, or in any frame if that is NULL."""
        return np.asarray(self.in_view.any(axis=0) if frame == NULL else self.in_view[shown_frame(frame)])

    def _read_frames(self, frame: int) -> np.ndarray:
        """int [body]: the frame in which the motion of each body is read."""
        exact = shown_frame(frame)
        delayed = min(max(exact + self.thresholds.delay, 0), SHOWN_FRAMES - 1)
        return np.where(self.in_view[delayed], delayed, exact)


def shown_frame(frame: int) -> int:
    """The frame itself, or the last shown one: the event "end" comes after it."""
    return min(frame, SHOWN_FRAMES - 1)


def _visible(events: Iterable[Event]) -> tuple[ProgramEvent, ...]:
    return tuple(ProgramEvent(event.kind, event.frame, event.bodies) for event in events if event.kind in VISIBLE_KINDS)
