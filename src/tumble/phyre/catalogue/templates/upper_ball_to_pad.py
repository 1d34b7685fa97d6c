"""Two balls fall one above the other; make the upper one come to rest on a small lipped pad on the floor.

Bodies
    upper, lower: dynamic balls; near the sides of the scene both begin partly inside a wall
    floor: static bar
    pad: static bar on the floor, may stick out of the scene
    left lip, right lip: short static bars, upright at the ends of the pad
    repeated lip: static, the same again as one of the lips

Parameters
    ball_x: centre of both balls
    lower: bottom of the lower ball
    pad_size, pad_x: length and centre of the pad

Goal
    The upper ball touches the pad.

Solvability
    A random valid action solves with a chance of 2.9e-3, stably with 9.4e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, either, lin

ID = "00019"
TIER = "B"
PARAMETERS = {
    "ball_x": lin(0, 1, 128),
    "lower": [0.7, 0.5],
    "pad_size": [0.1, 0.2],
    "pad_x": lin(0, 1, 128),
}


def build(world: World, ball_x: float, lower: float, pad_size: float, pad_x: float) -> None:
    upper = world.dynamic(ball(0.1), "upper", cx=ball_x, bottom=0.9)
    world.dynamic(ball(0.1), "lower", cx=ball_x, bottom=lower)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    pad = world.static(bar(pad_size), "pad", cx=pad_x, bottom=floor.top)
    lip = bar(0.02)
    world.static(lip, "left lip", angle=90, right=pad.left, bottom=pad.top)
    world.static(lip, "right lip", angle=90, left=pad.right, bottom=pad.top)
    side = either(pad.left < upper.left, right=pad.left, left=pad.right)
    world.static(lip, "repeated lip", angle=90, bottom=pad.top, **side)
    world.goal(upper, pad)
