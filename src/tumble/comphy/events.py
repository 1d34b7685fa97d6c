"""What happens in a video, defined in one place for simulated, predicted and published motion alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tumble.comphy.bodies import Body
from tumble.comphy.constants import STEPS_PER_FRAME
from tumble.comphy.motion import Collision, Motion

EventKind = Literal["in", "out", "collision", "attraction", "repulsion"]
APART_FRAMES = 10
"""Frames that two bodies must have been apart before they can collide anew: attracted pairs chatter."""


@dataclass(frozen=True)
class Event:
    """Something that happens to one body (in, out) or to two (first < second), from a frame on."""

    kind: EventKind
    frame: int
    bodies: tuple[int, ...]


def collisions_of(touches: Sequence[tuple[int, int, int]]) -> tuple[Collision, ...]:
    """Collisions from all (step, first, second) at which two bodies touch, in the order of their steps."""
    last: dict[tuple[int, int], int] = {}
    found = []
    for step, one, other in touches:
        pair = min(one, other), max(one, other)
        if step - last.get(pair, -(10**9)) > APART_FRAMES * STEPS_PER_FRAME:
            found.append(Collision(step, *pair))
        last[pair] = step
    return tuple(found)


def moving(motion: Motion) -> np.ndarray:
    """bool [frame, body]: whether a body moves."""
    raise NotImplementedError


def events_of(bodies: tuple[Body, ...], motion: Motion, first: int, last: int) -> tuple[Event, ...]:
    """All events of the frames first <= frame < last, by frame, then kind and bodies; only what the camera sees."""
    raise NotImplementedError
