"""A ball falls into a clutter of random shelves with little end stops; get it down to the middle of the floor.

Bodies
    ball: dynamic, near the top
    shelves: static bars, each followed by its stops: a right one, a left one, both or none
    left trap, right trap: static bars in the corners that slope down to the walls
    floor: static bar between them

Parameters
    seed: of the random numbers that place the ball and the shelves

    There are six to eight shelves, the first right below the ball, the others anywhere; each end has a stop with a
    chance of 0.8.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 2.7e-3, stably with 1.2e-3.
"""

import numpy as np

from tumble.phyre.catalogue.template import World, bar
from tumble.phyre.catalogue.templates.shelves import add_ball, add_floor, add_stop, highest_shelf

ID = "00108"
TIER = "2B"
PARAMETERS = {"seed": range(1000)}


def build(world: World, seed: int) -> None:
    rng = np.random.RandomState(seed)
    falling = add_ball(world, rng.uniform(0.2, 0.8))
    highest = highest_shelf(falling)
    for k in range(rng.randint(6, 9)):
        x = rng.uniform(0.1, 0.9) if k else falling.cx
        length = rng.uniform(0.15, 0.35)
        y = rng.uniform(0.05, highest)
        rng.uniform(size=2)  # The published tasks need these draws, which decide nothing.
        shelf = world.static(bar(length), f"shelf {k + 1}", cx=x, cy=y)
        for side in ("right", "left"):
            if rng.uniform() < 0.8:
                add_stop(world, shelf, side)
    world.goal(falling, add_floor(world))
