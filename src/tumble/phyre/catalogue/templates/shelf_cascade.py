"""A ball falls onto a cascade of lipped shelves, each under an end of a higher one; get it to the middle of the floor.

Bodies
    ball: dynamic, near the top
    shelves: static bars from the highest down, each followed by its right and its left stop
    left trap, right trap: static bars in the corners that slope down to the walls
    floor: static bar between them

Parameters
    seed: of the random numbers that place the ball and the shelves

    There are six to eight levels, of which each stays empty with a chance of 0.2. The first shelf is right below the
    ball; later ones take the ends of earlier ones in turn.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 6.0e-4, stably with 1.4e-4.
"""

from collections import deque

import numpy as np

from tumble.phyre.catalogue.template import World, bar, lin
from tumble.phyre.catalogue.templates.shelves import add_ball, add_floor, add_stop, highest_shelf

ID = "00120"
TIER = "2B"
PARAMETERS = {"seed": range(1000)}


def build(world: World, seed: int) -> None:
    rng = np.random.RandomState(seed)
    falling = add_ball(world, rng.uniform(0.2, 0.8))
    levels = lin(0.15, highest_shelf(falling), rng.randint(6, 9))
    ends: deque[float] = deque()
    for k, level in enumerate(reversed(levels)):
        if rng.uniform() < 0.2:
            continue
        length = rng.uniform(0.15, 0.35)
        x = ends.popleft() if ends else falling.cx
        rng.uniform()  # The published tasks need this draw and the next, which decide nothing.
        y = level + 0.02 * rng.normal()
        rng.uniform()
        shelf = world.static(bar(length), f"shelf {k + 1}", cx=x, cy=y)
        left_first = rng.uniform() < 0.5
        ends += (shelf.left, shelf.right) if left_first else (shelf.right, shelf.left)
        add_stop(world, shelf, "right")
        add_stop(world, shelf, "left")
    world.goal(falling, add_floor(world))
