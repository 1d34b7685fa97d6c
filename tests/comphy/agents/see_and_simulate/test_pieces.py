"""A simulation that leaves the measurements goes on from a state that is fitted to them."""

import numpy as np
import pytest
from div_set import BODIES

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem, guess_starts
from tumble.comphy.agents.see_and_simulate.measure import measure
from tumble.comphy.agents.see_and_simulate.scene import MAX_PIECE_MISFIT, motion_in_pieces
from tumble.comphy.catalogue.body import Motion
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.catalogue.world import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.models.perceiver.perception import PerceivedVideo
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.simulator import InitialState, simulate

PLACES = np.array([[-0.5, -1.0], [1.2, 1.0], [-1.5, 1.5]])
YAWS = np.array([0.3, 1.0, 0.0])


def moved(speed: float) -> Motion:
    """The first body slides, the others rest."""
    velocities = np.array([[speed, 0.0], [0.0, 0.0], [0.0, 0.0]])
    return simulate(BODIES, InitialState.on_table(BODIES, PLACES, YAWS, velocities), TARGET_FRAMES)


@pytest.mark.slow
def test_frames_that_deviate_are_fitted_again() -> None:
    true, wrong = moved(0.5), moved(0.8)
    seen = np.ones((SHOWN_FRAMES, 3), bool)
    centres = CAMERA.project(true.positions[:SHOWN_FRAMES])[..., :2]
    yaws = np.where(np.arange(3) < 2, YAWS, np.nan) + np.zeros((SHOWN_FRAMES, 3))
    video = PerceivedVideo((0, 1, 2), seen, centres, np.full(seen.shape, 0.8), yaws, np.zeros((*seen.shape, 4)))
    measured = measure(tuple(Appearance(*body.appearance) for body in BODIES), [video], [b.form for b in BODIES])
    problem = Problem(measured, guess_starts(measured))
    start = np.column_stack([PLACES, [[0.8, 0.0], [0.0, 0.0], [0.0, 0.0]], YAWS])[None]
    masses = np.array([[body.mass for body in BODIES]], float)
    fit = Fits(np.zeros(1, int), masses, np.zeros((1, 3)), start, np.array([SHOWN_FRAMES]))

    motion, misfits = motion_in_pieces(problem, fit, BODIES, wrong)

    assert np.abs(wrong.positions[-1] - true.positions[-1]).max() > 0.3
    assert np.abs(motion.positions[-1] - true.positions[-1]).max() < 0.1
    assert misfits[-30:].max() < MAX_PIECE_MISFIT
