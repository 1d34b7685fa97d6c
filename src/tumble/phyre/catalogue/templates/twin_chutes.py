"""Two balls are held at the low ends of two slanted chutes, a loose bar behind each; drive both over their stops, so
that they meet on the V below.

Bodies
    For the left chute and then for the right one:
    low rail, top rail: static bars that slope down towards the middle of the scene
    stop: static upright bar at the low end of the low rail
    ball: dynamic, above the stop
    pusher: dynamic bar between the rails, behind the ball
    Then:
    left slope, right slope: static bars that make a V
    left shield, right shield: static bars above the chutes and outwards of them

Parameters
    x1, y1: centre of the left low rail
    x2, y2: centre of the right low rail

    The right chute is more than 0.35 further right.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 3.3e-5, stably with 2.0e-5.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, lin

ID = "00123"
TIER = "2B"
PARAMETERS = {
    "x1": lin(0.3, 0.7, 10),
    "y1": lin(0.3, 0.7, 10),
    "x2": lin(0.3, 0.7, 10),
    "y2": lin(0.3, 0.7, 10),
}


def build(world: World, x1: float, y1: float, x2: float, y2: float) -> None:
    world.reject(x2 - x1 <= 0.35)
    left, left_top = _chute(world, "left", x1, y1)
    right, right_top = _chute(world, "right", x2, y2)
    world.static(bar(0.52), "left slope", angle=-10, left=-0.01, bottom=0)
    world.static(bar(0.52), "right slope", angle=10, right=1, bottom=0)
    world.static(bar(0.3), "left shield", right=left_top.left, bottom=left_top.top + 0.1)
    world.static(bar(0.3), "right shield", left=right_top.right, bottom=right_top.top + 0.1)
    world.goal(left, right)


def _chute(world: World, side: str, x: float, y: float) -> tuple[WorldBody, WorldBody]:
    """The ball of the chute on one side, and the top rail."""
    left = side == "left"
    slope = -30 if left else 30
    low = world.static(bar(0.25), f"{side} low rail", angle=slope, cx=x, cy=y)
    top = world.static(bar(0.25), f"{side} top rail", angle=slope, cx=x, cy=y + 0.18)
    low_end = either(left, left=low.right - 0.02, right=low.left + 0.02)
    stop = world.static(bar(0.06), f"{side} stop", angle=90, bottom=low.bottom, **low_end)
    behind_stop = either(left, right=stop.left + 0.02, left=stop.right - 0.02)
    held = world.dynamic(ball(0.1), f"{side} ball", bottom=stop.top, **behind_stop)
    behind_ball = either(left, right=held.left, left=held.right)
    world.dynamic(bar(0.25), f"{side} pusher", angle=slope, cy=y + 0.08, **behind_ball)
    return held, top
