"""A small ball drops through a V-shaped funnel and would run to the wrong end of the floor; steer it to the pad at the
other end.

Bodies
    ball: dynamic, at the ceiling
    pad: static bar, the part of the floor at one side
    floor: static bar, the rest of the floor
    block: static bar on the floor, next to the pad
    left slope, right slope: static bars, the funnel

Parameters
    slope: degrees of the funnel
    size, x: size and centre of the ball
    left: whether the pad is at the left side

    The mouth of the funnel is wider than the size of the ball.

Goal
    The ball touches the pad.

Solvability
    A random valid action solves with a chance of 2.4e-2, stably with 1.9e-2.
"""

from tumble.phyre.catalogue.template import World, ball, bar, either, lin

ID = "00007"
TIER = "B"
PARAMETERS = {
    "slope": lin(20, 30, 10),
    "size": [0.05],
    "x": lin(0.4, 0.6, 20),
    "left": [True, False],
}


def build(world: World, slope: float, size: float, x: float, left: bool) -> None:
    falling = world.dynamic(ball(size), "ball", top=1, cx=x)
    pad = world.static(bar(0.2), "pad", bottom=0, **either(left, left=0, right=1))
    beside_pad = either(left, left=pad.right, right=pad.left)
    floor = world.static(bar(0.8), "floor", bottom=0, **beside_pad)
    world.static(bar(0.2), "block", bottom=floor.top, **beside_pad)
    left_slope = world.static(bar(0.5), "left slope", angle=-slope, left=0, top=0.9)
    right_slope = world.static(bar(0.5), "right slope", angle=slope, right=1, top=0.9)
    world.reject(right_slope.left - left_slope.right <= size)
    world.goal(falling, pad)
