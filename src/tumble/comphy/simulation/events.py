"""What happens in a video, defined in one place for simulated, predicted and published motion alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, STEPS_PER_FRAME
from tumble.comphy.tasks.motion import Collision, Motion

EventKind = Literal["in", "out", "collision", "attraction", "repulsion"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
Direction = Literal["left", "right", "up", "down"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

APART_FRAMES = 10
"""Frames that two bodies must have been apart before they can collide anew: attracted pairs chatter."""
MOVING_SPEED = 0.1
"""Units per second in the plane above which a body moves; about a quarter of a pixel in a frame."""
DIRECTION_WINDOW = 42.0
"""Degrees that a way in the picture may be off left, right, up or down and still be called so."""
DIRECTION_SHARE = 0.5
"""Of the frames of a while, for it to have a direction."""
CHARGE_CONSTANT = 0.138
"""Acceleration of a body of mass 1 with charge 1 by another charge at distance 1."""
CHARGE_REACH = 1.2
"""Distance below which charge is called attraction or repulsion, if it also overcomes friction."""
FRICTION_DECELERATION = {"sphere": 0.0, "cube": 0.240, "cylinder": 0.232}
"""What friction with the table takes from each shape's speed, per second."""


@dataclass(frozen=True)
class Event:
    """Something that happens to one body (in, out) or to two (first < second), from a frame on."""

    kind: EventKind
    frame: int
    bodies: tuple[int, ...]


def pairs_of(bodies: int) -> list[tuple[int, int]]:
    """All pairs (first < second) of so many bodies."""
    return [(one, other) for one in range(bodies) for other in range(one + 1, bodies)]


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
    return np.asarray(np.hypot(motion.velocities[..., 0], motion.velocities[..., 1]) > MOVING_SPEED)


def events_of(bodies: tuple[Body, ...], motion: Motion, first: int, last: int) -> tuple[Event, ...]:
    """All events of the frames first <= frame < last, by frame, then kind and bodies; only what the camera sees.

    A body comes in (or goes out) in the first frame in which the camera does (or does not) see it, unless that is
    the video's first. A pair collides once until it has been apart for a while, and so it is with attraction.
    """
    found = [*_crossings(motion), *_collisions(motion), *_attractions(bodies, motion)]
    within = [event for event in found if first <= event.frame < last]
    return tuple(sorted(within, key=lambda event: (event.frame, EVENT_KINDS.index(event.kind), event.bodies)))


def _crossings(motion: Motion) -> list[Event]:
    """Where bodies come into view and leave it."""
    change = np.diff(motion.inside.astype(int), axis=0)
    return [
        Event("in" if change[before, body] > 0 else "out", int(before) + 1, (int(body),))
        for before, body in np.argwhere(change)
    ]


def _collisions(motion: Motion) -> list[Event]:
    """Collisions of bodies that are both seen."""
    found = []
    for collision in motion.collisions:
        frame = collision.step // STEPS_PER_FRAME
        if frame < motion.frames and motion.inside[frame, list(collision.pair)].all():
            found.append(Event("collision", frame, collision.pair))
    return found


def _attractions(bodies: tuple[Body, ...], motion: Motion) -> list[Event]:
    """Where charge begins to tell."""
    found = []
    for one, other in pairs_of(len(bodies)):
        product = bodies[one].charge * bodies[other].charge
        if product:
            kind: EventKind = "attraction" if product < 0 else "repulsion"
            tells = charge_tells(bodies, motion, one, other)
            found += [Event(kind, frame, (one, other)) for frame in _onsets(tells)]
    return found


def charge_tells(bodies: tuple[Body, ...], motion: Motion, one: int, other: int) -> np.ndarray:
    """bool [frame]: whether a charged pair is near, in view, and moves at least one of the two against friction."""
    distance = distances(motion, one, other)
    lightest = [FRICTION_DECELERATION[bodies[k].shape] * bodies[k].mass for k in (one, other)]
    overcomes = CHARGE_CONSTANT / np.maximum(distance, 1e-9) ** 2 > min(lightest)
    return np.asarray((distance < CHARGE_REACH) & overcomes & motion.inside[:, one] & motion.inside[:, other])


def distances(motion: Motion, one: int, other: int) -> np.ndarray:
    """[frame]: how far apart two bodies' middles are in the plane."""
    apart = motion.positions[:, other, :2] - motion.positions[:, one, :2]
    return np.asarray(np.hypot(apart[:, 0], apart[:, 1]))


def _onsets(holds: np.ndarray) -> list[int]:
    """Frames from which something holds that did not hold in the APART_FRAMES frames before."""
    frames = np.flatnonzero(holds)
    before = np.diff(frames, prepend=-(10**9))
    return [int(frame) for frame in frames[before > APART_FRAMES]]


def direction(motion: Motion, body: int, first: int, last: int) -> Direction | None:
    """Where a body goes in the picture in the frames first <= frame < last; None where that is not clear.

    Clear is a direction that the body has in at least half of the frames. It has none while it stands, is out of view
    or goes too near a diagonal.
    """
    codes = _directions(motion, body)[first:last]
    counts = [int((codes == code).sum()) for code in range(len(DIRECTIONS))]
    best = int(np.argmax(counts))
    return DIRECTIONS[best] if counts[best] >= DIRECTION_SHARE * len(codes) and counts[best] else None


def _directions(motion: Motion, body: int) -> np.ndarray:
    """int [frame]: the place in DIRECTIONS of a body's way in the picture, or -1."""
    here = motion.positions[:, body]
    there = here + motion.velocities[:, body] / FRAMES_PER_SECOND
    way = (CAMERA.project(there) - CAMERA.project(here))[:, :2] * (CAMERA.aspect, 1.0)
    axes = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])
    aligned = way @ axes.T / np.maximum(np.hypot(way[:, 0], way[:, 1]), 1e-12)[:, None]
    clear = aligned.max(axis=1) >= np.cos(np.radians(DIRECTION_WINDOW))
    return np.where(clear & moving(motion)[:, body] & motion.inside[:, body], aligned.argmax(axis=1), -1)
