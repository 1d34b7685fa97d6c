"""Two balls rest on the lips of two fixed jars that lie on their sides above a V; push both off so that they meet.

Bodies
    right slope, left slope: static bars that make a V
    For the left jar and then for the right one:
    jar: static, on its side
    ball: dynamic, on the lower lip of the jar; it cuts about half a pixel into it

Parameters
    opens_left1, size1: whether the left jar opens to the left, and its height when upright
    opens_left2, size2: the same of the right jar
    y1, y2: bottoms of the jars

    A jar that opens to the nearer side of the scene is not the larger one.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 1.7e-4, stably with 1.3e-4.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, jar, lin

ID = "00118"
TIER = "2B"
PARAMETERS = {
    "opens_left1": (True, False),
    "size1": (0.3, 0.35),
    "opens_left2": (True, False),
    "size2": (0.3, 0.35),
    "y1": lin(0.2, 0.7, 5),
    "y2": lin(0.2, 0.7, 5),
}


def build(world: World, opens_left1: bool, size1: float, opens_left2: bool, size2: float, y1: float, y2: float) -> None:
    world.reject(opens_left1 and size1 == 0.35)
    world.reject(not opens_left2 and size2 == 0.35)
    world.static(bar(1), "right slope", angle=15, left=0.5, bottom=0)
    world.static(bar(1), "left slope", angle=-15, right=0.5, bottom=0)
    left = _jar_with_ball(world, "left", opens_left1, size1, 0.25, y1)
    right = _jar_with_ball(world, "right", opens_left2, size2, 0.75, y2)
    world.goal(left, right)


def _jar_with_ball(world: World, side: str, opens_left: bool, size: float, x: float, y: float) -> WorldBody:
    """A jar on one side, and the ball on its lip."""
    lying = world.static(jar(size), f"{side} jar", angle=85 if opens_left else -85, cx=x, bottom=y)
    return world.dynamic(
        ball(0.07),
        f"{side} ball",
        bottom=lying.bottom + 0.02,
        **either(opens_left, left=lying.left - 0.03, right=lying.right + 0.03),
    )
