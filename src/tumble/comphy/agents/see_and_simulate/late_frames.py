"""Fits some shown frames again, from a state in which bodies may spin: what follows is simulated from it."""

import numpy as np

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem
from tumble.comphy.agents.see_and_simulate.free_flight import PARAMETERS, Guess, guess_starts
from tumble.comphy.agents.see_and_simulate.search import Search
from tumble.comphy.catalogue.body import Motion, yaw_quaternions
from tumble.comphy.catalogue.world import ALL_SHAPES, HALF_HEIGHTS, RADIUS
from tumble.comphy.simulation.simulator import InitialState

SPHERE = ALL_SHAPES.index("sphere")


def refit_frames(problem: Problem, fit: Fits, motion: Motion, first: int, last: int) -> InitialState:
    """The state of the bodies at a frame, fitted to the measurements from there on, before another frame.

    Two fits are made, from the state in a simulated motion and from free flight since that frame; the better counts.
    """
    measured = problem.measured.between(first, last)
    simulated = _state(motion, first)
    slips = _slips(motion, measured.shapes[0], first)
    own = guess_starts(measured)
    seen = measured.seen[0].sum(axis=0) >= MIN_SEEN
    free = np.where(seen[:, None], own.start[0], simulated)
    starts = np.stack([simulated, free])
    size = len(simulated)
    frames = measured.weights.shape[1]
    guess = Guess(
        simulated[None],
        np.zeros((1, frames + 1, size, PARAMETERS, PARAMETERS)),
        np.zeros((1, size), int),
        problem.guess.noise,
        problem.guess.yaw_error,
    )
    rows = np.zeros(2, int)
    spins = np.stack([slips, np.where(seen[:, None], 0.0, slips)])
    fits = Fits(rows, fit.masses[rows], fit.charges[rows], starts, measured.frames[rows], spins)
    search = Search(Problem(measured, guess, problem.device), fits).run()
    best = search.fits.take(np.array([int(search.curves.sum(axis=1).argmin())]))
    return _initial_state(best, measured.shapes[0])


MIN_SEEN = 6
"""Frames in which a body must be seen for a start from free flight."""


def _state(motion: Motion, frame: int) -> np.ndarray:
    """[body, PARAMETERS]: of a motion at a frame."""
    real, up = motion.orientations[frame, :, 0], motion.orientations[frame, :, 3]
    yaws = 2.0 * np.arctan2(up, real)
    return np.column_stack([motion.positions[frame, :, :2], motion.velocities[frame, :, :2], yaws])


def _slips(motion: Motion, shapes: np.ndarray, frame: int) -> np.ndarray:
    """[body, 3]: angular velocities beyond those of rolling."""
    return np.asarray(motion.angular_velocities[frame] - _rolling(motion.velocities[frame, :, :2], shapes))


def _rolling(velocities: np.ndarray, shapes: np.ndarray) -> np.ndarray:
    """[body, 3]: angular velocities of rolling spheres; 0 for other shapes."""
    per_speed = (shapes == SPHERE) / RADIUS
    return np.column_stack([-velocities[:, 1] * per_speed, velocities[:, 0] * per_speed, np.zeros(len(shapes))])


def _initial_state(fit: Fits, shapes: np.ndarray) -> InitialState:
    start = fit.start[0]
    assert fit.spins is not None
    heights = np.array([HALF_HEIGHTS[ALL_SHAPES[shape]] for shape in shapes])
    flat = np.zeros(len(start))
    return InitialState(
        np.column_stack([start[:, :2], heights]),
        yaw_quaternions(start[:, 4]),
        np.column_stack([start[:, 2:4], flat]),
        _rolling(start[:, 2:4], shapes) + fit.spins[0],
    )
