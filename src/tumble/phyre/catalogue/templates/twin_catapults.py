"""Two small catapults face each other, each with a ball falling on its low outer arm; fire them so that the balls meet.

Bodies
    For the left catapult and then for the right one:
    base, two lips: static bars, a shallow tray
    hinge: static ball in the tray
    arm: dynamic bar on the hinge, turned so that its outer end is low; it cuts half a pixel into the hinge
    ball: dynamic, above the arm, flush with its outer end

Parameters
    x1, y1: centre and bottom of the left base
    x2, y2: centre and bottom of the right base

    The right base is more than 0.3 further right.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 1.2e-3, stably with 1.5e-4.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, steps

ID = "00106"
TIER = "2B"
PARAMETERS = {
    "x1": steps(0.1, range(2, 9)),
    "y1": steps(0.1, range(0, 7)),
    "x2": steps(0.1, range(2, 9)),
    "y2": steps(0.1, range(0, 7)),
}


def build(world: World, x1: float, y1: float, x2: float, y2: float) -> None:
    world.reject(x1 + 0.3 >= x2)
    left = _catapult(world, "left", x1, y1)
    right = _catapult(world, "right", x2, y2)
    world.goal(left, right)


def _catapult(world: World, side: str, x: float, y: float) -> WorldBody:
    """A catapult on one side, and its ball."""
    left = side == "left"
    base = world.static(bar(0.1), f"{side} base", bottom=y, cx=x)
    world.static(bar(0.02), f"{side} base, left lip", angle=90, bottom=base.top, left=base.left)
    world.static(bar(0.02), f"{side} base, right lip", angle=90, bottom=base.top, right=base.right)
    hinge = world.static(ball(0.05), f"{side} hinge", bottom=base.top, cx=base.cx)
    arm = world.dynamic(bar(0.25), f"{side} arm", cx=base.cx, bottom=hinge.top)
    arm.turn(20 if left else -20)
    return world.dynamic(ball(0.07), f"{side} ball", bottom=arm.top, **either(left, left=arm.left, right=arm.right))
