"""A ball lies in a very shallow V-shaped cradle in mid-air; knock it out so that it lands on the floor.

Bodies
    floor: static bar
    left wing, right wing: static bars, the two halves of the cradle
    ball: dynamic, in the cradle

Parameters
    length: of each wing
    x, height: centre and bottom of the cradle

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 5.0e-3, stably with 3.7e-3.
"""

import math

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00015"
TIER = "B"
PARAMETERS = {
    "length": lin(0.05, 0.1, 5),
    "x": lin(0.2, 0.8, 10),
    "height": lin(0.2, 0.5, 10),
}


def build(world: World, length: float, x: float, height: float) -> None:
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    left = world.static(bar(length), "left wing", angle=355, right=x, bottom=height)
    right = world.static(bar(length), "right wing", angle=5, left=left.right, bottom=left.bottom)
    depth = length * math.sin(math.radians(5))
    lying = world.dynamic(ball(0.1), "ball", cx=x, bottom=right.top - (depth - 0.001))
    world.goal(lying, floor)
