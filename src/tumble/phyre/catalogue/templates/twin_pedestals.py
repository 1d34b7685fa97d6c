"""Two balls rest on small pedestals on either side of a hanging wall; knock both off onto the ridged floor to meet.

Bodies
    left pedestal, right pedestal: static bars
    left ball, right ball: dynamic, on the pedestals
    wall: static bar that hangs from the ceiling midway, down to the level of the lower pedestal
    left flank, right flank: static bars, a floor that falls to both sides of its ridge

Parameters
    ridge_left: whether the ridge is under the left pedestal, else under the right one
    x1, y1: left end and bottom of the left pedestal
    x2, y2: left end and bottom of the right pedestal

    The right pedestal is more than 0.25 further right, and a ball has two pixels to spare between the wall and the
    pedestal above the ridge.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 1.2e-3, stably with 7.5e-4.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, steps

ID = "00110"
TIER = "2B"
PARAMETERS = {
    "ridge_left": [True, False],
    "x1": steps(0.1, range(1, 9)),
    "y1": steps(0.1, range(4, 8)),
    "x2": steps(0.1, range(1, 9)),
    "y2": steps(0.1, range(4, 8)),
}


def build(world: World, ridge_left: bool, x1: float, y1: float, x2: float, y2: float) -> None:
    world.reject(x2 - x1 <= 0.25)
    left = world.static(bar(0.1), "left pedestal", left=x1, bottom=y1)
    right = world.static(bar(0.1), "right pedestal", left=x2, bottom=y2)
    left_ball = world.dynamic(ball(0.1), "left ball", cx=left.cx, bottom=left.top)
    right_ball = world.dynamic(ball(0.1), "right ball", cx=right.cx, bottom=right.top)
    midway = left.right + (right.left - left.right) / 2
    wall = world.static(bar(1 - min(y1, y2)), "wall", angle=90, top=1, cx=midway)
    passage = wall.left - left.right if ridge_left else right.left - wall.right
    world.reject(passage < left_ball.width + 2 * PX)
    ridge = left.cx if ridge_left else right.cx
    world.static(bar(1), "left flank", angle=5, right=ridge + 2 * PX, top=20 * PX)
    world.static(bar(1), "right flank", angle=175, left=ridge - 2 * PX, top=20 * PX)
    world.goal(left_ball, right_ball)
