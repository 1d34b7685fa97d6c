"""A ball falls onto two wandering chains of fixed pegs and gets stuck; free it so that it reaches the floor.

Bodies
    ball: dynamic, near the top
    pegs: static balls, chain by chain from the right one on, those inside the scene; some lie exactly on others
    floor: static bar

Parameters
    seed: of the random numbers that place the ball and the pegs

    Each chain has 15 to 29 pegs inside the scene, beside its first one and below the height limit. It takes steps of
    random length along a curve; sometimes it returns to one of its pegs at random and starts a new curve there.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 1.2e-2, stably with 7.3e-3.
"""

import numpy as np

from tumble.phyre.catalogue.template import World
from tumble.phyre.catalogue.templates.pegs import HIGHEST, Point, ball_over_pegs

ID = "00013"
TIER = "B"
PARAMETERS = {"seed": range(300)}


def build(world: World, seed: int) -> None:
    rng = np.random.RandomState(seed)
    ball_x = rng.uniform(0.4, 0.6)
    right = _wandering_chain(rng, (0.7, 0.5))
    left = _wandering_chain(rng, (0.2, 0.5))
    ball_over_pegs(world, ball_x, 0.05, right + left)


def _wandering_chain(rng: np.random.RandomState, start: Point) -> list[Point]:
    """Points of a chain, in the order of its steps."""
    heading, turn = _curve(rng)
    wanted = rng.randint(15, 30)
    points = [start]
    inside = 0
    run = 1
    while inside < wanted:
        if run >= 3 and rng.uniform() < 0.2:
            x, y = points[rng.choice(len(points))]
            run = 1
            heading, turn = _curve(rng)
        else:
            x, y = points[-1]
            run += 1
            step = rng.uniform(0.05, 0.2)
            heading += turn
            x, y = x + step * np.cos(heading), y + step * np.sin(heading)
        if y < HIGHEST:
            points.append((x, y))
            inside += 0 < x < 1 and 0 < y < 1
    return points


def _curve(rng: np.random.RandomState) -> tuple[float, float]:
    """A heading, and by how much it turns at each step, in radians."""
    return 2 * np.pi * rng.uniform(), 2 * np.pi * rng.uniform() / 10
