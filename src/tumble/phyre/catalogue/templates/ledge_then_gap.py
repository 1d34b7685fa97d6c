"""A ball lands on a ledge, and the plate below has a lipped gap just under it; get the ball through to the floor.

Bodies
    ledge: static bar
    left plate, right plate: static bars on either side of the gap; one of no length is left out
    left lip, right lip: static short bars that stand on the plates at the gap
    ball: dynamic, near the top above the middle of the ledge
    floor: static bar

Parameters
    length: of the ledge and of the gap
    x: left end of the ledge and of the gap
    height: bottom of the ledge

    The ledge is inside the scene.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 1.5e-3, stably with 9.3e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, steps

ID = "00107"
TIER = "2B"
PARAMETERS = {
    "length": steps(0.1, range(1, 8)),
    "x": steps(0.1, range(0, 11)),
    "height": steps(0.1, range(4, 8)),
}


def build(world: World, length: float, x: float, height: float) -> None:
    world.reject(x + length > 1)
    ledge = world.static(bar(length), "ledge", left=x, bottom=height)
    rest = 1 - x - length
    lower = height - 0.2
    left_plate = world.static(bar(x), "left plate", left=0, bottom=lower) if x > 0 else None
    right_plate = world.static(bar(rest), "right plate", right=1, bottom=lower) if rest > 0 else None
    if left_plate:
        world.static(bar(0.02), "left lip", angle=90, bottom=left_plate.top, right=left_plate.right)
    if right_plate:
        world.static(bar(0.02), "right lip", angle=90, bottom=right_plate.top, left=right_plate.left)
    falling = world.dynamic(ball(0.1), "ball", cx=x + ledge.width / 2, bottom=0.9)
    floor = world.static(bar(1), "floor", bottom=0, left=0)
    world.goal(falling, floor)
