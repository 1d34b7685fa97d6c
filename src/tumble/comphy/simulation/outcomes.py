"""Which pairs collide in a world, and of which pairs the videos don't tell it.

A pair is undetermined if it collides or not depending on what happens out of view, or on less than a camera can
measure: then simulations in which bodies act on each other only in view, or which start from states that differ by
PLACE, SPEED and TURN, disagree about it.
"""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.simulation.events import APART_FRAMES
from tumble.comphy.simulation.interactions import Pairs, colliding_pairs
from tumble.comphy.simulation.rotations import multiply, yaw_quaternions
from tumble.comphy.simulation.simulator import InitialState, World, simulate_many
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
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
        multiply(turns, start.orientations),
        start.velocities + changes,
        start.angular_velocities,
    )
