"""A small ball sits on the far end of a plank that rests on a loose ball; fling it across into a jar so that it meets
the ball inside.

Bodies
    left step: static bar
    pivot: dynamic ball on the left end of the step
    plank: dynamic bar on the pivot
    ball: dynamic, on the left end of the plank
    guard: static ball at the ceiling above the pivot, in the way of easy drops
    right step: static bar
    jar: dynamic, on the right step
    inner: dynamic ball in the jar

Parameters
    tilt: degrees of the right step
    jar_right, jar_size: right edge and height of the jar
    step_left: left end of the left step
    lower: height of the lower step
    difference: from the height of the left step up to that of the right one

    The smallest jar is combined only with steps of similar height, the largest only with a much higher right step.

Goal
    The ball touches the inner ball.

Solvability
    A random valid action solves with a chance of 1.9e-3, stably with 5.7e-4.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, lin
from tumble.phyre.catalogue.templates.jar_across import jar_on_step, step_heights

ID = "00023"
TIER = "B"
PARAMETERS = {
    "tilt": lin(-10, 10, 13),
    "jar_right": lin(0.9, 0.98, 3),
    "jar_size": lin(0.15, 0.3, 3),
    "step_left": lin(0.05, 0.2, 5),
    "lower": [0.01, 0.1],
    "difference": lin(-0.3, 0.3, 10),
}


def build(
    world: World,
    tilt: float,
    jar_right: float,
    jar_size: float,
    step_left: float,
    lower: float,
    difference: float,
) -> None:
    left_height, right_height = step_heights(world, lower, difference, jar_size)
    step = world.static(bar(0.3), "left step", bottom=left_height, left=step_left)
    pivot = world.dynamic(ball(0.15), "pivot", bottom=step.top, left=step.left)
    plank = world.dynamic(bar(0.4), "plank", bottom=pivot.top, left=5 * PX)
    rider = world.dynamic(ball(0.05), "ball", bottom=plank.top, left=0.02)
    world.static(ball(0.1), "guard", top=1, cx=pivot.cx)
    inner = jar_on_step(world, right_height, tilt, jar_right, jar_size)
    world.goal(rider, inner)
