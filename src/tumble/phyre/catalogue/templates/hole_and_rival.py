"""A ball falls toward a plate with one hole, but a slightly larger ball gets there first and plugs it; get the ball
through to the floor.

Bodies
    ball: dynamic, near the top in the middle
    rival: dynamic ball over the hole
    left plate, right plate: static bars on both sides of the hole
    floor: static bar

Parameters
    above: from the bottom of the plate up to the rival
    height: of the bottom of the plate
    from_left: whether the rival is placed from the left edge of the hole, not from the right one
    hole: left edge of the hole

    The rival is wholly below the ball.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 6.9e-4, stably with 4.3e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, either, lin

ID = "00024"
TIER = "B"
PARAMETERS = {
    "above": lin(0.1, 0.3, 4),
    "height": lin(0.15, 0.6, 10),
    "from_left": [True, False],
    "hole": lin(0.2, 0.8, 12),
}


def build(world: World, above: float, height: float, from_left: bool, hole: float) -> None:
    hole_end = hole + 0.1
    falling = world.dynamic(ball(0.1), "ball", cx=0.5, bottom=0.8)
    side = either(from_left, left=hole + 0.025, right=hole_end - 0.025)
    rival = world.dynamic(ball(0.11), "rival", bottom=height + above, **side)
    world.reject(rival.top >= falling.bottom)
    world.static(bar(hole), "left plate", left=0, bottom=height)
    world.static(bar(1 - hole_end), "right plate", right=1, bottom=height)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(falling, floor)
