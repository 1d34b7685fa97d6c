"""A ball falls through four ragged rows of fixed pegs; free it so that it reaches the floor.

Bodies
    ball: dynamic, near the top
    pegs: static balls, row by row from the highest down, those inside the scene
    floor: static bar

Parameters
    seed: of the random numbers that place the ball and the pegs

    Each row begins at the left side and wanders off to the right with steps of random length and slope;
    every second row is mirrored.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 2.0e-2, stably with 1.3e-2.
"""

import numpy as np

from tumble.phyre.catalogue.template import World, lin
from tumble.phyre.catalogue.templates.pegs import HIGHEST, Point, ball_over_pegs

ID = "00012"
TIER = "B"
PARAMETERS = {"seed": range(1000)}


def build(world: World, seed: int) -> None:
    rng = np.random.RandomState(seed)
    ball_x = rng.uniform(0.2, 0.5)
    pegs: list[Point] = []
    for row, height in enumerate(reversed(lin(0.1, HIGHEST, 4))):
        pegs += [(1 - x if row % 2 else x, y) for x, y in _wandering_row(rng, height)]
    ball_over_pegs(world, ball_x, 0.04, pegs)


def _wandering_row(rng: np.random.RandomState, height: float) -> list[Point]:
    """Points of a row, from the left side on."""
    points = [(0.0, height)]
    for _ in range(rng.randint(3, 8)):
        step = rng.uniform(0.05, 0.17)
        slope = np.radians(5 + 9 * rng.normal())
        x, y = points[-1]
        points.append((x + step * np.cos(slope), y + step * np.sin(slope)))
    return points
