"""A tiny ball sits in the top notch of standing sticks, between the lips of a base and under a cover; topple the sticks
so that the ball reaches the floor.

Bodies
    base, two lips: static bars, a shallow tray
    trestle: dynamic sticks on the base
    ball: dynamic, in the upper notch of the trestle
    cover: static bar above the ball
    left extra ball, right extra ball: dynamic, level with the middle of the trestle; they just fall past the base
    floor: static bar

Parameters
    x: centre of the base, from 0.25 on
    height: bottom of the base
    size: of the trestle

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 2.7e-4, stably with 1.9e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, steps, sticks

ID = "00124"
TIER = "2B"
PARAMETERS = {
    "x": steps(0.05, range(0, 10)),
    "height": steps(0.05, range(0, 10)),
    "size": (0.35, 0.45, 0.55),
}


def build(world: World, x: float, height: float, size: float) -> None:
    base = world.static(bar(0.15), "base", cx=0.25 + x, bottom=height)
    world.static(bar(0.02), "left lip", angle=90, left=base.left, bottom=base.top)
    world.static(bar(0.02), "right lip", angle=90, right=base.right, bottom=base.top)
    trestle = world.dynamic(sticks(size), "trestle", cx=base.cx, bottom=base.top)
    perched = world.dynamic(ball(0.03), "ball", cx=trestle.cx, top=trestle.top - 0.005)
    world.static(bar(0.15), "cover", cx=perched.cx, bottom=trestle.top + 0.05)
    world.dynamic(ball(0.03), "left extra ball", right=base.left, cy=trestle.cy)
    world.dynamic(ball(0.03), "right extra ball", left=base.right, cy=trestle.cy)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(perched, floor)
