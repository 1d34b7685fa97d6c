"""Events of a video, defined in one place for simulated, predicted and published motion; and interactions of a set.

Interactions are which pairs of bodies collide, attract or repel each other in the videos.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.catalogue.video_set import Pair, Reference, VideoSet
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.laws import CHARGE_CONSTANT, deceleration

EventKind = Literal["in", "out", "collision", "attraction", "repulsion"]
EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
Direction = Literal["left", "right", "up", "down"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

APART_FRAMES = 10
"""Frames that two bodies must be apart before they can collide again: contacts of attracted pairs chatter."""
MOVING_SPEED = 0.1
"""Units per second in the plane above which a body counts as moving: about a quarter of a pixel per frame."""
DIRECTION_WINDOW = 42.0
"""Largest angle in degrees between motion in the picture and the direction that it is named after."""
DIRECTION_SHARE = 0.5
"""Share of an interval's frames in which a body must move in a direction, for that to be its direction."""
CHARGE_RANGE = 1.2
"""Distance below which a charged pair attracts or repels each other, if the force also overcomes friction."""


@dataclass(frozen=True)
class Event:
    """Something that happens to one body (in, out) or to two (first < second), from a frame on.

    "in" and "out": a body comes into view or leaves it.
    """

    kind: EventKind
    frame: int
    bodies: tuple[int, ...]


def pairs_of(bodies: int) -> list[tuple[int, int]]:
    """All pairs (first < second) of a number of bodies.

    >>> pairs_of(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [(first, second) for first in range(bodies) for second in range(first + 1, bodies)]


def debounced_collisions(contacts: Sequence[tuple[int, int, int]]) -> tuple[Collision, ...]:
    """Collisions from all contacts (step, first, second), sorted by step.

    Contacts of a pair that has not been apart for APART_FRAMES belong to one collision.

    >>> debounced_collisions([(5, 0, 1), (100, 0, 1), (300, 0, 1)])
    (Collision(step=5, first=0, second=1), Collision(step=300, first=0, second=1))
    """
    last_contact: dict[tuple[int, int], int] = {}
    collisions = []
    for step, one, other in contacts:
        pair = min(one, other), max(one, other)
        if step - last_contact.get(pair, -(10**9)) > APART_FRAMES * STEPS_PER_FRAME:
            collisions.append(Collision(step, *pair))
        last_contact[pair] = step
    return tuple(collisions)


def is_moving(motion: Motion, speed: float = MOVING_SPEED) -> np.ndarray:
    """bool [frame, body]: whether a body moves faster than a speed in the plane."""
    return np.asarray(np.hypot(motion.velocities[..., 0], motion.velocities[..., 1]) > speed)


def events_of(bodies: tuple[Body, ...], motion: Motion, first: int, last: int) -> tuple[Event, ...]:
    """All events in view in the frames first <= frame < last, sorted by frame, then kind and bodies.

    A body comes in (or goes out) in the first frame in which the camera does (or does not) see it, unless that is the
    video's first frame. Collisions, attractions and repulsions of a pair are debounced by APART_FRAMES.
    """
    events = [*_crossings(motion), *collision_events(motion), *_attractions(bodies, motion)]
    within = [event for event in events if first <= event.frame < last]
    return tuple(sorted(within, key=lambda event: (event.frame, EVENT_KINDS.index(event.kind), event.bodies)))


def _crossings(motion: Motion) -> list[Event]:
    """Bodies that come into view or leave it."""
    change = np.diff(motion.in_view.astype(int), axis=0)
    return [
        Event("in" if change[before, body] > 0 else "out", int(before) + 1, (int(body),))
        for before, body in np.argwhere(change)
    ]


def collision_events(motion: Motion) -> list[Event]:
    """Collisions of bodies that are both in view."""
    events = []
    for collision in motion.collisions:
        frame = collision.step // STEPS_PER_FRAME
        if frame < motion.frames and motion.in_view[frame, list(collision.pair)].all():
            events.append(Event("collision", frame, collision.pair))
    return events


def _attractions(bodies: tuple[Body, ...], motion: Motion) -> list[Event]:
    """Attractions and repulsions, from the frame in which charge begins to act."""
    events = []
    for one, other in pairs_of(len(bodies)):
        product = bodies[one].charge * bodies[other].charge
        if product:
            kind: EventKind = "attraction" if product < 0 else "repulsion"
            acts = charge_acts(bodies, motion, one, other)
            events += [Event(kind, frame, (one, other)) for frame in _onsets(acts)]
    return events


def charge_acts(bodies: tuple[Body, ...], motion: Motion, one: int, other: int) -> np.ndarray:
    """bool [frame]: whether a charged pair is near, in view, and its force overcomes the friction of one body."""
    distance = pair_distances(motion, one, other)
    frictions = [deceleration(bodies[k].shape)[0] * bodies[k].mass for k in (one, other)]
    overcomes = CHARGE_CONSTANT / np.maximum(distance, 1e-9) ** 2 > min(frictions)
    return np.asarray((distance < CHARGE_RANGE) & overcomes & motion.in_view[:, one] & motion.in_view[:, other])


def pair_distances(motion: Motion, one: int, other: int) -> np.ndarray:
    """[frame]: distance of two bodies' centres in the plane."""
    offsets = motion.positions[:, other, :2] - motion.positions[:, one, :2]
    return np.asarray(np.hypot(offsets[:, 0], offsets[:, 1]))


def _onsets(holds: np.ndarray) -> list[int]:
    """Frames in which a condition begins to hold that did not hold in the APART_FRAMES frames before."""
    frames = np.flatnonzero(holds)
    gaps = np.diff(frames, prepend=-(10**9))
    return [int(frame) for frame in frames[gaps > APART_FRAMES]]


def direction(
    motion: Motion,
    body: int,
    first: int,
    last: int,
    speed: float = MOVING_SPEED,
    window: float = DIRECTION_WINDOW,
) -> Direction | None:
    """The direction in which a body moves in the picture in the frames first <= frame < last, or None.

    It is the direction that the body has in at least half of the frames. In a frame in which it is slower than `speed`,
    is out of view or moves more than `window` degrees away from all four directions, it has none.
    """
    codes = _directions(motion, body, speed, window)[first:last]
    counts = [int((codes == code).sum()) for code in range(len(DIRECTIONS))]
    best = int(np.argmax(counts))
    return DIRECTIONS[best] if counts[best] >= DIRECTION_SHARE * len(codes) and counts[best] else None


def _directions(motion: Motion, body: int, speed: float, window: float) -> np.ndarray:
    """int [frame]: index in DIRECTIONS of a body's direction in the picture, or -1."""
    here = motion.positions[:, body]
    there = here + motion.velocities[:, body] / FRAMES_PER_SECOND
    step = (CAMERA.project(there) - CAMERA.project(here))[:, :2] * (CAMERA.aspect, 1.0)
    axes = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)])
    cosines = step @ axes.T / np.maximum(np.hypot(step[:, 0], step[:, 1]), 1e-12)[:, None]
    is_clear = cosines.max(axis=1) >= np.cos(np.radians(window))
    return np.where(is_clear & is_moving(motion, speed)[:, body] & motion.in_view[:, body], cosines.argmax(axis=1), -1)


Pairs = frozenset[Pair]
INTERACTIONS: tuple[EventKind, ...] = ("collision", "attraction", "repulsion")


def colliding_pairs(motion: Motion, first: int = 0, last: int = SHOWN_FRAMES) -> Pairs:
    """Pairs that collide in view in the frames first <= frame < last."""
    events = collision_events(motion)
    return frozenset((event.bodies[0], event.bodies[1]) for event in events if first <= event.frame < last)


def interacting_pairs(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Pairs that collide, attract or repel each other in view in the shown frames."""
    events = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return frozenset((event.bodies[0], event.bodies[1]) for event in events if event.kind in INTERACTIONS)


def set_interactions(videos: VideoSet) -> Pairs:
    """Pairs of a set's bodies that interact in the target's shown frames or in a reference."""
    return interactions_in(videos.bodies, videos.target, videos.references)


def interactions_in(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> Pairs:
    """The same for a target and references that are not a set yet."""
    pairs = set(interacting_pairs(bodies, target))
    for reference in references:
        in_reference = interacting_pairs(reference_bodies(bodies, reference), reference.motion)
        pairs |= to_set_indices(reference, in_reference)
    return frozenset(pairs)


def reference_bodies(bodies: tuple[Body, ...], reference: Reference) -> tuple[Body, ...]:
    """A reference's bodies, in the order of its motion."""
    return tuple(bodies[k] for k in reference.members)


def to_set_indices(reference: Reference, pairs: Pairs) -> Pairs:
    """Pairs of columns of a reference's motion as pairs of the set's bodies."""
    members = reference.members
    return frozenset((min(members[i], members[j]), max(members[i], members[j])) for i, j in pairs)
