"""A ball rolls down a slope at the left towards a gap, beyond which a lower slope rises to the right; make it stay on
the right slope.

Bodies
    right slope, left slope: static bars that reach a little out of the scene, the left one 0.2 higher
    ball: dynamic, near the ceiling

Parameters
    rise: degrees of the right slope
    fall: degrees of the left slope
    x: centre of the ball
    bottom: height of the right slope
    length: of the left slope; the right one has the rest of the width

    Where the left slope reaches higher than the bottom of the ball, the ball is right of it.

Goal
    The ball touches the right slope.

Solvability
    A random valid action solves with a chance of 5.5e-3, stably with 3.8e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00011"
TIER = "B"
PARAMETERS = {
    "rise": lin(15, 30, 5),
    "fall": lin(15, 30, 5),
    "x": lin(0.2, 0.8, 10),
    "bottom": lin(0.1, 0.5, 10),
    "length": lin(0.2, 0.8, 4),
}


def build(world: World, rise: float, fall: float, x: float, bottom: float, length: float) -> None:
    right = world.static(bar(1 - length), "right slope", angle=rise, bottom=bottom, right=1.01)
    left = world.static(bar(length), "left slope", angle=-fall, bottom=bottom + 0.2, left=-0.01)
    rolling = world.dynamic(ball(0.1), "ball", cx=x, bottom=0.9)
    world.reject(rolling.left < left.right and left.top > 0.9)
    world.goal(rolling, right)
