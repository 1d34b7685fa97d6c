"""A small ball rides the outer end of a plank that falls onto a step; bring it across to the ball in the jar on the
other side.

Bodies
    left step: static bar
    plank: dynamic bar above the step
    ball: dynamic, on the left end of the plank
    right step: static bar
    jar: dynamic, on the right step
    inner: dynamic ball in the jar

Parameters
    tilt: degrees of the right step
    jar_right, jar_size: right edge and height of the jar
    lower: height of the lower step
    difference: from the height of the left step up to that of the right one

    The smallest jar is combined only with steps of similar height, the largest only with a much higher right step.

Goal
    The ball touches the inner ball.

Solvability
    A random valid action solves with a chance of 8.9e-5, stably with 3.1e-5.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, lin
from tumble.phyre.catalogue.templates.jar_across import jar_on_step, step_heights

ID = "00119"
TIER = "2B"
PARAMETERS = {
    "tilt": lin(-10, 10, 13),
    "jar_right": lin(0.9, 0.98, 3),
    "jar_size": lin(0.15, 0.3, 3),
    "lower": [0.01, 0.1],
    "difference": lin(-0.3, 0.3, 10),
}


def build(world: World, tilt: float, jar_right: float, jar_size: float, lower: float, difference: float) -> None:
    left_height, right_height = step_heights(world, lower, difference, jar_size)
    step = world.static(bar(0.3), "left step", bottom=left_height, left=0.1)
    plank = world.dynamic(bar(0.4), "plank", bottom=step.top + 50 * PX, left=5 * PX)
    rider = world.dynamic(ball(0.05), "ball", bottom=plank.top, left=0.02)
    inner = jar_on_step(world, right_height, tilt, jar_right, jar_size)
    world.goal(rider, inner)
