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

from tumble.phyre.builder import World
from tumble.phyre.forms import ball, bar
from tumble.phyre.template import lin

ID = "00012"
TIER = "B"
PARAMETERS = {"seed": range(1000)}


def build(world: World, seed: int) -> None:
    rng = np.random.RandomState(seed)
    falling = world.dynamic(ball(0.1), "ball", cx=rng.uniform(0.2, 0.5), cy=0.9)
    highest = falling.bottom - 2 * falling.height
    for row, height in enumerate(reversed(lin(0.1, highest, 4))):
        for x, y in _wandering_row(rng, height):
            mirrored = 1 - x if row % 2 else x
            if 0 <= mirrored <= 1 and 0 <= y <= 1:
                world.static(ball(0.04), cx=mirrored, cy=y)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(falling, floor)


def _wandering_row(rng: np.random.RandomState, height: float) -> list[tuple[float, float]]:
    """Points of a row, from the left side on."""
    points = [(0.0, height)]
    for _ in range(rng.randint(3, 8)):
        step = rng.uniform(0.05, 0.17)
        slope = np.radians(5 + 9 * rng.normal())
        x, y = points[-1]
        points.append((x + step * np.cos(slope), y + step * np.sin(slope)))
    return points
