"""A ball balances on top of an upright pole under a low ceiling; bring it down to the floor.

Bodies
    floor: static bar
    pole: dynamic bar, upright on the floor
    ball: dynamic, on the pole
    ceiling: static bar, just above the ball
    left wedge, right wedge: static bars that slope across the corners of the floor

Parameters
    size: of the ball
    length, x: length and centre of the pole
    wedge: length of the wedges

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 4.4e-3, stably with 2.1e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00017"
TIER = "B"
PARAMETERS = {
    "size": lin(0.05, 0.25, 5),
    "length": lin(0.2, 0.5, 5),
    "x": lin(0.2, 0.8, 5),
    "wedge": lin(0.05, 0.2, 5),
}


def build(world: World, size: float, length: float, x: float, wedge: float) -> None:
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    pole = world.dynamic(bar(length), "pole", angle=90, cx=x, bottom=floor.top)
    balanced = world.dynamic(ball(size), "ball", bottom=pole.top, cx=pole.cx)
    world.static(bar(1), "ceiling", left=0, bottom=balanced.top + 0.01)
    world.static(bar(wedge), "left wedge", angle=315, left=0, bottom=floor.top)
    world.static(bar(wedge), "right wedge", angle=45, right=1, bottom=floor.top)
    world.goal(balanced, floor)
