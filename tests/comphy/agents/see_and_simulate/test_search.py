"""First guesses, least squares and the growing horizon, on a pair that collides."""

from dataclasses import replace

import numpy as np
import pytest

from tumble.comphy.agents.see_and_simulate.fits import Fits, Problem, guess_starts
from tumble.comphy.agents.see_and_simulate.measure import (
    HEIGHT,
    TURNS,
    WIDTH,
    Measured,
    measure,
    nearest_turns,
    pixels_of,
    places_of,
)
from tumble.comphy.agents.see_and_simulate.search import Search, refine
from tumble.comphy.agents.see_and_simulate.set_fit import at_rest
from tumble.comphy.catalogue.body import HEAVY, Body
from tumble.comphy.catalogue.task import Appearance
from tumble.comphy.models.perceiver.perception import PerceivedVideo
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.simulator import InitialState, simulate

BODIES = (Body("red", "metal", "cube"), Body("blue", "rubber", "sphere", HEAVY))
START = np.array([[-0.8, 0.1, 1.2, 0.0, 0.3], [0.6, 0.0, -0.4, 0.1, 0.0]])
FRAMES = 50


def measured(bodies: tuple[Body, ...], start: np.ndarray, noise: float = 0.5) -> Measured:
    motion = simulate(bodies, InitialState.on_table(bodies, start[:, :2], start[:, 4], start[:, 2:4]), FRAMES)
    draws = np.random.default_rng(3)
    centres = CAMERA.project(motion.positions)[..., :2] + draws.normal(0.0, noise, (FRAMES, 2, 2)) / (WIDTH, HEIGHT)
    yaws = 2.0 * np.arctan2(motion.orientations[..., 3], motion.orientations[..., 0])
    yaws = np.where([True, False], yaws + draws.normal(0.0, np.radians(3.0), yaws.shape), np.nan)
    seen, boxes = np.ones((FRAMES, 2), bool), np.full((FRAMES, 2, 4), -1.0, np.float32)
    video = PerceivedVideo((0, 1), seen, centres, np.full((FRAMES, 2), noise), yaws, boxes)
    return measure(tuple(Appearance(*body.appearance) for body in bodies), [video])


def problem() -> Problem:
    return problem_of(BODIES, START)


def problem_of(bodies: tuple[Body, ...], start: np.ndarray) -> Problem:
    found = measured(bodies, start)
    guess = guess_starts(found)
    return Problem(found.scaled(guess.noise, guess.yaw_error), guess)


def fits_of(one: Problem, masses: list[list[float]]) -> Fits:
    rows = np.zeros(len(masses), int)
    starts = one.guess.start[rows].copy()
    return Fits(rows, np.array(masses), np.zeros((len(masses), 2)), starts, one.measured.frames[rows])


def test_places_and_pixels_are_inverse() -> None:
    places = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 2))
    assert np.allclose(places_of(pixels_of(places)), places)
    points = np.column_stack([places, np.full(5, 0.2)])
    assert np.allclose(pixels_of(places), CAMERA.project(points)[:, :2] * (WIDTH, HEIGHT))


def test_free_flight_ends_at_the_collision() -> None:
    one = problem()
    assert one.guess.noise == pytest.approx(1.0, abs=0.3)
    assert np.abs(one.guess.start[0, :, :2] - START[:, :2]).max() < 0.05
    assert np.abs(one.guess.start[0, :, 2:4] - START[:, 2:4]).max() < 0.2
    assert abs(nearest_turns(one.guess.start[0, 0, 4] - START[0, 4], TURNS[0])) < 0.05
    assert (one.guess.free_until[0] < 35).all()


@pytest.mark.slow
def test_least_squares_brings_a_start_back() -> None:
    one = problem()
    fits = fits_of(one, [[1.0, 5.0]])
    moved = replace(fits, start=START[None] + [0.02, -0.02, 0.03, -0.03, 0.05])
    refined = refine(one, moved, 8)
    before = np.abs(moved.start - START)[..., :4].max()
    assert np.abs(refined.fits.start - START)[..., :4].max() < 0.5 * before
    errors = np.sqrt(np.diag(np.linalg.inv(refined.information[0]))).reshape(2, 5)
    assert (errors[:, :4] < 0.05).all()


@pytest.mark.slow
def test_wrong_masses_are_given_up() -> None:
    one = problem()
    search = Search(one, fits_of(one, [[1.0, 1.0], [1.0, 5.0], [5.0, 1.0]])).run()
    assert search.done[1]
    assert int(search.costs.argmin()) == 1
    assert search.misfits[1].max() < 3.0
    others = search.costs[[0, 2]]
    assert (others > search.costs[1] + 40.0).all()
    assert search.pruned[2]


def test_slow_bodies_that_may_rest_are_put_to_rest() -> None:
    bodies = (Body("red", "metal", "cube"), Body("blue", "rubber", "cylinder"))
    start = np.array([[-0.8, 0.1, 0.0, 0.0, 0.3], [0.6, 0.0, -0.4, 0.1, 0.0]])
    one = problem_of(bodies, start)
    fit = fits_of(one, [[1.0, 1.0]])
    found = at_rest(one, replace(fit, start=start[None] + [[[0.0, 0.0, 0.02, 0.02, 0.0], [0.0] * 5]]))
    assert not found.start[0, 0, 2:4].any()
    assert np.array_equal(found.start[0, 1], start[1])
