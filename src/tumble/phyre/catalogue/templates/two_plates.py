"""A ball has to pass two plates whose holes are offset, the lower one with raised rims, to reach the floor.

Bodies
    ball: dynamic, in the middle near the top
    upper left, upper right: static bars, the upper plate on either side of its hole
    lower left, lower right: static bars, the lower plate
    left rim, right rim: static short bars that stand at the lower hole
    floor: static bar

Parameters
    size: of the ball; the plates are twice as far apart
    height: bottom of the upper plate
    hole: left end of the upper hole; the lower one is 0.15 further right if this is below 0.5, else further left
    gap: width of both holes

    The ball fits through the holes, both holes are inside the scene, the ball is not right above the upper hole,
    and the lower plate is higher than half the ball.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 1.5e-2, stably with 1.1e-2.
"""

from tumble.phyre.catalogue.template import World, ball, bar, steps

ID = "00102"
TIER = "2B"
PARAMETERS = {
    "size": [0.1, 0.15, 0.2],
    "height": steps(0.1, range(1, 8)),
    "hole": steps(0.1, range(2, 9)),
    "gap": [0.11, 0.16, 0.21],
}


def build(world: World, size: float, height: float, hole: float, gap: float) -> None:
    lower_hole = hole + 0.15 if hole < 0.5 else hole - 0.15
    world.reject(size > gap)
    world.reject(hole + gap >= 1 or lower_hole <= 0 or lower_hole + gap >= 1)
    falling = world.dynamic(ball(size), "ball", cx=0.5, top=0.95)
    upper_left = world.static(bar(hole), "upper left", left=0, bottom=height)
    upper_right = world.static(bar(1 - (hole + gap)), "upper right", right=1, bottom=height)
    world.reject(falling.left >= upper_left.right and falling.right <= upper_right.left)
    world.reject(falling.bottom <= upper_left.top)
    lower = height - 2 * size
    lower_left = world.static(bar(lower_hole), "lower left", left=0, bottom=lower)
    lower_right = world.static(bar(1 - (lower_hole + gap)), "lower right", right=1, bottom=lower)
    world.reject(lower_left.bottom <= falling.width / 2)
    world.static(bar(0.02), "left rim", angle=90, bottom=lower_left.top, right=lower_left.right)
    world.static(bar(0.02), "right rim", angle=90, bottom=lower_right.top, left=lower_right.left)
    floor = world.static(bar(1), "floor", bottom=0, left=0)
    world.goal(falling, floor)
