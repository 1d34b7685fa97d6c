"""The symbolic scene that programs run on: bodies, motion, and events that happen, will happen and would happen.

The scene of a set is made from the ground truth; an agent may make its own from what it inferred and predicted.
Operators run in a context: the scene, and what follows from its motion.

At a time, a body is *moving* if it is in view and faster than `Thresholds.moving_speed`, and *stationary* if it is
in view and not moving. Without a time it is *moving* if it is moving in at least one shown frame, and *stationary*
if it is in view in at least one shown frame and moving in none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.task import ERROR
from tumble.comphy.catalogue.video_set import CHANGES, Alteration, VideoSet
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.questions.program import CHANGE_PREFIX, NULL
from tumble.comphy.simulation.events import (
    DIRECTION_WINDOW,
    MOVING_SPEED,
    Event,
    direction,
    events_of,
    is_moving,
    set_interactions,
)


@dataclass(frozen=True, eq=False)
class SymbolicScene:
    """Everything that a program can read."""

    bodies: tuple[Body, ...]
    motion: Motion
    """Of the target; frames after the shown ones may be missing or predicted."""
    shown_events: tuple[Event, ...]
    """In the shown frames, by frame."""
    future_events: tuple[Event, ...]
    """After the shown frames."""
    altered_events: Mapping[Alteration, tuple[Event, ...]]
    """In the shown frames, for each counterfactual change."""
    interacting_pairs: frozenset[tuple[int, int]] = frozenset()
    """Pairs (first < second) that interact in the target or a reference: only these are compared in questions."""
    undetermined: Mapping[Alteration | None, frozenset[tuple[int, int]]] = field(default_factory=dict)
    """Pairs that are not asked about, as in `VideoSet`."""


def symbolic_scene(videos: VideoSet) -> SymbolicScene:
    """The true scene of a set."""
    return SymbolicScene(
        bodies=videos.bodies,
        motion=videos.target,
        shown_events=events_of(videos.bodies, videos.target, 0, SHOWN_FRAMES),
        future_events=events_of(videos.bodies, videos.target, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events={
            change: events_of(change.apply(videos.bodies), motion, 0, SHOWN_FRAMES)
            for change, motion in videos.altered.items()
        },
        undetermined=videos.undetermined,
        interacting_pairs=set_interactions(videos),
    )


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
