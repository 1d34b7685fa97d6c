"""Straight motion: what collides if every body continues from where it was last seen, through all others."""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import Event, pairs_of
from tumble.comphy.simulation.interactions import Pairs
from tumble.comphy.simulation.object_paths import first_touches_of_objects
from tumble.comphy.tasks.body import Body, world_of_bodies
from tumble.comphy.tasks.constants import (
    CUBE_HALF_SIZE,
    FRAMES_PER_SECOND,
    HALF_HEIGHTS,
    RADIUS,
    SHOWN_FRAMES,
    STEPS_PER_FRAME,
    TARGET_FRAMES,
)
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Pair
from tumble.comphy.tasks.world import PLAIN


def straight_pairs(
    bodies: Sequence[Body], motion: Motion, first: int = SHOWN_FRAMES, last: int = TARGET_FRAMES
) -> Pairs:
    """Pairs that collide in view in the frames first <= frame < last, as `straight_collisions` gives them."""
    return frozenset((event.bodies[0], event.bodies[1]) for event in straight_collisions(bodies, motion, first, last))


def straight_collisions(
    bodies: Sequence[Body], motion: Motion, first: int = SHOWN_FRAMES, last: int = TARGET_FRAMES
) -> tuple[Event, ...]:
    """Collisions in view in the frames first <= frame < last, by frame, if bodies keep their last seen velocity.

    Of the motion only states in view before `first` are used. Bodies pass through each other: each pair collides at
    most once, and not if its bodies touch in the frame before `first` already. A body that was never seen collides
    with nothing. Masses and charges of the bodies have no effect.
    """
    shapes = tuple(body.shape for body in bodies)
    shown = np.asarray(motion.in_view[:first])
    seen = np.asarray(shown.any(axis=0))
    frames = np.where(seen, len(shown) - 1 - shown[::-1].argmax(axis=0), 0)
    columns = np.arange(len(shapes))
    places = np.where(seen[:, None], motion.positions[frames, columns, :2], np.nan)
    velocities = motion.velocities[frames, columns, :2]
    real, _, _, up = motion.orientations[frames, columns].T
    headings = 2.0 * np.arctan2(up, real)

    steps = np.arange((first - 1) * STEPS_PER_FRAME, last * STEPS_PER_FRAME)
    seconds = (steps[:, None] / STEPS_PER_FRAME - frames) / FRAMES_PER_SECOND
    paths = places + seconds[..., None] * velocities
    heights = np.broadcast_to([HALF_HEIGHTS[shape] for shape in shapes], paths.shape[:2])
    in_view = CAMERA.sees(np.concatenate([paths, heights[..., None]], axis=-1)[::STEPS_PER_FRAME])
    first_touches = _first_touches if world_of_bodies(bodies) is PLAIN else first_touches_of_objects
    events = []
    for (one, other), onset in first_touches(bodies, paths, headings).items():
        frame = onset // STEPS_PER_FRAME
        if frame > 0 and in_view[frame, [one, other]].all():
            events.append(Event("collision", first - 1 + frame, (one, other)))
    return tuple(sorted(events, key=lambda event: (event.frame, event.bodies)))


def _first_touches(bodies: Sequence[Body], paths: np.ndarray, headings: np.ndarray) -> dict[Pair, int]:
    """The pairs that touch on their paths [step, body, 2], with the first step in which they do."""
    found = {}
    for one, other in pairs_of(len(bodies)):
        offsets = paths[:, other] - paths[:, one]
        touching = footprints_overlap((bodies[one], bodies[other]), offsets, (headings[one], headings[other]))
        if touching.any():
            found[one, other] = int(touching.argmax())
    return found


def footprints_overlap(bodies: tuple[Body, Body], offsets: np.ndarray, headings: tuple[float, float]) -> np.ndarray:
    """bool [...]: whether two plain bodies touch, seen from above, with the second at offsets [..., 2] from the first.

    >>> bodies = Body("red", "metal", "cube"), Body("red", "metal", "sphere")
    >>> footprints_overlap(bodies, np.array([[0.39, 0.0], [0.35, 0.35]]), (0.0, 0.0)).tolist()
    [True, False]
    """
    cubes = [heading for body, heading in zip(bodies, headings, strict=True) if body.shape == "cube"]
    if not cubes:
        return np.asarray(np.hypot(offsets[..., 0], offsets[..., 1]) < 2.0 * RADIUS)
    distances = [np.abs(_turned(offsets, heading)) for heading in cubes]
    if len(cubes) == 1:
        beyond = np.maximum(distances[0] - CUBE_HALF_SIZE, 0.0)
        return np.asarray(np.hypot(beyond[..., 0], beyond[..., 1]) < RADIUS)
    turn = cubes[1] - cubes[0]
    reach = CUBE_HALF_SIZE * (1.0 + abs(np.cos(turn)) + abs(np.sin(turn)))
    return np.asarray((distances[0] < reach).all(axis=-1) & (distances[1] < reach).all(axis=-1))


def _turned(offsets: np.ndarray, heading: float) -> np.ndarray:
    """Offsets [..., 2] in the axes of a body with a heading."""
    cosine, sine = np.cos(heading), np.sin(heading)
    x, y = offsets[..., 0], offsets[..., 1]
    return np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1)
