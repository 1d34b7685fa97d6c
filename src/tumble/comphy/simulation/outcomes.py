"""Which pairs collide in a world, of which the videos don't tell it, and which collide in straight motion.

A pair is undetermined if it collides or not depending on what happens out of view, or on less than a camera can
measure: then simulations in which bodies act on each other only in view, or which start from states that differ by
PLACE, SPEED and TURN, disagree about it. In straight motion every body continues from where it was last seen,
through all others.
"""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion, multiply_quaternions, world_of_bodies, yaw_quaternions
from tumble.comphy.catalogue.video_set import Pair
from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    FRAMES_PER_SECOND,
    HALF_HEIGHTS,
    PLAIN,
    RADIUS,
    SHOWN_FRAMES,
    STEPS_PER_FRAME,
    TARGET_FRAMES,
)
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import APART_FRAMES, Event, Pairs, colliding_pairs, pairs_of
from tumble.comphy.simulation.simulator import InitialState, World, first_touches_of_objects, simulate_many
from tumble.draws import Draws

PLACE, SPEED, TURN = 0.006, 0.008, 0.015
"""Half ranges within which starts are varied: units (one is about 100 pixels), units per second, radians."""
VARIED = 3
"""Varied starts of each world."""
LAST_SEEN = SHOWN_FRAMES - 1 - APART_FRAMES
"""The frame from which the future is simulated: contacts at the end of the shown frames don't count as new then."""


def undetermined_pairs(worlds: Sequence[World], pairs: Sequence[Pairs], draws: Draws) -> list[Pairs]:
    """The pairs of each world whose collision the videos don't determine; `pairs` are those that collide."""
    return _differing(worlds, pairs, draws, SHOWN_FRAMES, 0)


def undetermined_future(bodies: tuple[Body, ...], motion: Motion, draws: Draws) -> Pairs:
    """The same for what follows the shown frames of a motion."""
    pairs = colliding_pairs(motion, SHOWN_FRAMES, TARGET_FRAMES)
    start, late = (InitialState.from_motion(motion, frame) for frame in (0, LAST_SEEN))
    (seen,) = simulate_many([(bodies, start)], TARGET_FRAMES, only_in_view=True)
    (differing,) = _differing([(bodies, late)], [pairs], draws, TARGET_FRAMES - LAST_SEEN, SHOWN_FRAMES - LAST_SEEN)
    return differing | (pairs ^ colliding_pairs(seen, SHOWN_FRAMES, TARGET_FRAMES))


def has_unseen_contact(motion: Motion) -> bool:
    """Whether two bodies touch while one of them is out of view."""
    return any(
        not motion.in_view[min(collision.step // STEPS_PER_FRAME, motion.frames - 1), list(collision.pair)].all()
        for collision in motion.collisions
    )


def _differing(worlds: Sequence[World], found: Sequence[Pairs], draws: Draws, frames: int, first: int) -> list[Pairs]:
    """Pairs about which the varied simulations of each world disagree, from a frame on."""
    varied = [(bodies, _vary(start, draws)) for bodies, start in worlds for _ in range(VARIED)]
    seen = simulate_many(worlds, frames, only_in_view=True)
    others = simulate_many(varied, frames)
    result = []
    for k, pairs in enumerate(found):
        differing: set[tuple[int, int]] = set()
        for motion in (seen[k], *others[k * VARIED : (k + 1) * VARIED]):
            differing |= pairs ^ colliding_pairs(motion, first, frames)
        result.append(frozenset(differing))
    return result


def _vary(start: InitialState, draws: Draws) -> InitialState:
    """A start that a camera can't tell from this one; bodies at rest stay at rest."""
    count = len(start.positions)
    shifts, changes = np.zeros((count, 3)), np.zeros((count, 3))
    shifts[:, :2] = [[draws.between(-PLACE, PLACE) for _ in range(2)] for _ in range(count)]
    changes[:, :2] = [[draws.between(-SPEED, SPEED) for _ in range(2)] for _ in range(count)]
    changes[(start.velocities == 0.0).all(axis=1)] = 0.0
    turns = yaw_quaternions(np.array([draws.between(-TURN, TURN) for _ in range(count)]))
    return InitialState(
        start.positions + shifts,
        multiply_quaternions(turns, start.orientations),
        start.velocities + changes,
        start.angular_velocities,
    )


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
