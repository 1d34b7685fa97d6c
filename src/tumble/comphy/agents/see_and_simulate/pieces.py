"""A motion in pieces: where a simulation leaves the measurements, it continues from a state fitted to them.

What happens in the shown frames can be seen, even if no start is found from which a simulation follows all of it.
"""

from dataclasses import replace

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem, squares_of
from tumble.comphy.agents.see_and_simulate.free_flight import CAUCHY
from tumble.comphy.agents.see_and_simulate.late_frames import refit_frames
from tumble.comphy.agents.see_and_simulate.measured import nearest_turns
from tumble.comphy.agents.see_and_simulate.picture import pixels_of
from tumble.comphy.agents.see_and_simulate.search import WINDOW, window_misfits
from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.catalogue.world import SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.simulation.simulator import simulate

MAX_MISFIT = 4.0
"""Mean square of a body's deviations in a window above which a motion has left the measurements."""
EARLIER = WINDOW + 2
"""Frames before that in which the next piece begins."""
SHORTEST, FITTED = 14, 36
"""Frames of a piece before the next one, at least; and frames to which its state is fitted."""
OVERLAP = 3
"""Frames of a piece that are not used: bodies that touch at its start would collide anew."""
APART = 8
"""Frames within which two collisions of a pair in different pieces are one."""
MOST_PIECES = 4


def followed(problem: Problem, fit: Fits, bodies: tuple[Body, ...], motion: Motion) -> tuple[Motion, np.ndarray]:
    """A motion of the target that follows the measurements in pieces, if there is any such; and its misfits [frame]."""
    misfits, begin = _misfits(problem, motion), 0
    for _ in range(MOST_PIECES):
        left = np.flatnonzero(misfits[begin + SHORTEST :] > MAX_MISFIT)
        if not len(left):
            break
        begin = max(begin + SHORTEST + int(left[0]) - EARLIER, begin + SHORTEST)
        last = min(begin + FITTED, SHOWN_FRAMES)
        if last - begin < SHORTEST:
            break
        tried = continued(problem, fit, bodies, motion, (begin, last), begin + OVERLAP)
        own = _misfits(problem, tried)
        if np.minimum(own[begin:last], MAX_MISFIT).mean() < np.minimum(misfits[begin:last], MAX_MISFIT).mean():
            motion, misfits = tried, own
    return motion, misfits


def continued(
    problem: Problem, fit: Fits, bodies: tuple[Body, ...], motion: Motion, fitted: tuple[int, int], joint: int
) -> Motion:
    """The motion up to the frame `joint`, then as simulated from a state that is fitted to some frames."""
    first, last = fitted
    start = refit_frames(problem, fit, motion, first, last)
    later = simulate(bodies, start, TARGET_FRAMES - first)
    before = [collision for collision in motion.collisions if collision.step < joint * STEPS_PER_FRAME]
    recent = {c.pair for c in before if c.step >= (joint - APART) * STEPS_PER_FRAME}
    after = [
        Collision(collision.step + first * STEPS_PER_FRAME, *collision.pair)
        for collision in later.collisions
        if collision.step >= (joint - first) * STEPS_PER_FRAME
        and not (joint < SHOWN_FRAMES and collision.pair in recent and _frame(collision) + first < joint + APART)
    ]

    def both(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.concatenate([one[:joint], other[joint - first :]])

    return replace(
        motion,
        positions=both(motion.positions, later.positions),
        orientations=both(motion.orientations, later.orientations),
        velocities=both(motion.velocities, later.velocities),
        angular_velocities=both(motion.angular_velocities, later.angular_velocities),
        in_view=both(motion.in_view, later.in_view),
        collisions=(*before, *after),
    )


def _frame(collision: Collision) -> int:
    return collision.step // STEPS_PER_FRAME


def _misfits(problem: Problem, motion: Motion) -> np.ndarray:
    """float64 [shown frame]: mean squares of the worst body's deviations from the target, in windows."""
    measured = problem.measured
    frames = measured.weights.shape[1]
    deviations = np.empty((1, frames, motion.bodies, 3))
    centres = pixels_of(motion.positions[:frames, :, :2])
    deviations[0, ..., :2] = (centres - measured.centres[0]) * measured.weights[0][..., None]
    orientations = motion.orientations[:frames]
    yaws = 2.0 * np.arctan2(orientations[..., 3], orientations[..., 0])
    deviations[0, ..., 2] = nearest_turns(yaws - measured.yaws[0], measured.turns[0]) * measured.yaw_weights[0]
    costs = (CAUCHY**2 * np.log1p(squares_of(deviations) / CAUCHY**2)).sum(axis=-1)
    return np.asarray(window_misfits(measured, np.zeros(1, int), costs)[0])
