"""Two balls are held under tipped-over jars on two platforms; knock the jars away so that the balls roll off and meet.

Bodies
    For the left platform and then for the right one:
    platform: static bar
    stop: static short bar that stands on its outer end
    jar: dynamic, tipped over so that it opens inwards and down
    ball: dynamic, on the platform in the mouth of the jar

Parameters
    x1, y1: centre and bottom of the left platform
    x2, y2: centre and bottom of the right platform

    The right platform is more than 0.3 further right, and less than 0.3 higher or lower.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 1.6e-3, stably with 1.9e-4.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, jar, steps

ID = "00105"
TIER = "2B"
PARAMETERS = {
    "x1": steps(0.05, range(6, 16)),
    "y1": steps(0.1, range(0, 8)),
    "x2": steps(0.05, range(6, 16)),
    "y2": steps(0.1, range(0, 8)),
}


def build(world: World, x1: float, y1: float, x2: float, y2: float) -> None:
    world.reject(x1 + 0.3 >= x2)
    world.reject(abs(y1 - y2) >= 0.3)
    left = _covered_ball(world, "left", x1, y1)
    right = _covered_ball(world, "right", x2, y2)
    world.goal(left, right)


def _covered_ball(world: World, side: str, x: float, y: float) -> WorldBody:
    """A platform on one side with its jar, and the ball under that."""
    left = side == "left"
    platform = world.static(bar(0.2), f"{side} platform", bottom=y, cx=x)
    outer_end = either(left, left=platform.left, right=platform.right)
    world.static(bar(0.02), f"{side} stop", angle=90, bottom=platform.top, **outer_end)
    tilt, outwards = (-146, -0.04) if left else (146, 0.04)
    cover = world.dynamic(jar(0.2), f"{side} jar", angle=tilt, bottom=platform.top, cx=platform.cx + outwards)
    mouth = cover.left + 0.7 * cover.width if left else cover.right - 0.7 * cover.width
    return world.dynamic(ball(0.1), f"{side} ball", bottom=cover.bottom, cx=mouth)
