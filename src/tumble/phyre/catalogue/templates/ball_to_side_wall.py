"""A ball drops onto a low table with sloping skirts; push it off so that it stays against the marked side wall.

Bodies
    wall: static bar along one side of the scene
    table: static bar near the floor; a little more than the size of the ball is left at either side
    left skirt, right skirt: static bars that slope down from its ends
    ball: dynamic, on the table or just above it

Parameters
    size, x: size and left edge of the ball
    above: pixels from the table up to the ball
    left: whether the wall is the left one

    The middle of the ball is over the table and at most 0.7 from the wall.

Goal
    The ball touches the wall.

Solvability
    A random valid action solves with a chance of 4.2e-2, stably with 3.5e-2.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, either, lin

ID = "00001"
TIER = "B"
PARAMETERS = {
    "size": lin(0.05, 0.12, 5),
    "x": lin(0.1, 0.9, 32),
    "above": lin(0, 40, 8),
    "left": [True, False],
}


def build(world: World, size: float, x: float, above: float, left: bool) -> None:
    wall = world.static(bar(1), "wall", angle=90, bottom=0, **either(left, left=0, right=1))
    table = world.static(bar(0.99 - 2 * size), "table", cx=0.5, top=20 * PX)
    world.static(bar(0.2), "left skirt", angle=65, right=table.left + 5 * PX, top=table.top)
    world.static(bar(0.2), "right skirt", angle=-65, left=table.right - 5 * PX, top=table.top)
    pushed = world.dynamic(ball(size), "ball", left=x, bottom=table.top + above * PX)
    world.reject(pushed.cx <= table.left or pushed.cx >= table.right)
    world.reject(abs(pushed.cx - wall.cx) > 0.7)
    world.goal(pushed, wall)
