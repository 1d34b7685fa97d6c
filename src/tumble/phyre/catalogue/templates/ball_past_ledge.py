"""A ball drops from high up onto the middle of a hanging ledge; deflect it so that it falls to the floor.

Bodies
    ledge: static bar
    ball: dynamic, above the middle of the ledge
    floor: static bar

Parameters
    length, x, bottom: length, left end and height of the ledge

    The ledge doesn't reach past the right side.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 4.0e-2, stably with 3.8e-2.
"""

from tumble.phyre.catalogue.template import World, ball, bar, steps

ID = "00002"
TIER = "B"
PARAMETERS = {
    "length": steps(0.1, range(1, 8)),
    "x": steps(0.1, range(0, 11)),
    "bottom": steps(0.1, range(3, 8)),
}


def build(world: World, length: float, x: float, bottom: float) -> None:
    world.reject(x + length > 1)
    ledge = world.static(bar(length), "ledge", left=x, bottom=bottom)
    falling = world.dynamic(ball(0.1), "ball", cx=x + ledge.width / 2, bottom=0.9)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(falling, floor)
