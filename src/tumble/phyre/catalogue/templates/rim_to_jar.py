"""A ball drops onto the rim of a hole in a plate, and an open jar stands under that rim; bring ball and jar together.

Bodies
    ball: dynamic, above one rim of the hole
    left plate, right plate: static bars, the plate on either side of the hole
    jar: dynamic, on the ground under the same rim

Parameters
    size: of the ball
    height: bottom of the plate
    jar_height: height of the jar
    hole: left rim of the hole
    gap: width of the hole
    left: whether ball and jar are at the left rim, else at the right one

    The hole ends inside the scene, which holds for all combinations.

Goal
    The ball touches the jar.

Solvability
    A random valid action solves with a chance of 5.6e-3, stably with 2.3e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, jar, steps

ID = "00100"
TIER = "2B"
PARAMETERS = {
    "size": [0.075, 0.1, 0.125],
    "height": steps(0.1, range(4, 6)),
    "jar_height": [0.2, 0.25],
    "hole": steps(0.1, range(3, 7)),
    "gap": [0.15, 0.2, 0.25],
    "left": [True, False],
}


def build(world: World, size: float, height: float, jar_height: float, hole: float, gap: float, left: bool) -> None:
    hole_end = hole + gap
    world.reject(hole_end >= 1)
    rim = hole if left else hole_end
    falling = world.dynamic(ball(size), "ball", cx=rim, bottom=0.6)
    world.static(bar(hole), "left plate", left=0, bottom=height)
    world.static(bar(1 - hole_end), "right plate", right=1, bottom=height)
    target = world.dynamic(jar(jar_height), "jar", cx=rim, bottom=0)
    world.goal(falling, target)
