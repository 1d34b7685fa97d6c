"""A tilted jar that carries a ball slides down the left side of a valley; get the ball out onto the right slope.

Bodies
    right slope, left slope: static bars that make a V
    jar: dynamic, turned like the left slope and set down near its upper end
    measure: static bar, a part of the left slope that ends level with the jar; it lies within the slope
    ball: dynamic, in the middle of the jar

Parameters
    between: degrees between the two slopes
    valley: where they meet, before they are shifted so that they span the scene
    below: pixels from the ceiling down to the top of the jar
    rise: degrees of the right slope

Goal
    The ball touches the right slope.

Solvability
    A random valid action solves with a chance of 1.7e-2, stably with 1.2e-2.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, jar, lin

ID = "00010"
TIER = "B"
PARAMETERS = {
    "between": lin(75, 105, 5),
    "valley": lin(0.2, 0.6, 6),
    "below": lin(15, 35, 3),
    "rise": lin(10, 50, 6),
}


def build(world: World, between: float, valley: float, below: float, rise: float) -> None:
    fall = rise - between
    right = world.static(bar(1), "right slope", angle=rise, left=valley, bottom=-2 * PX)
    left = world.static(bar(1), "left slope", angle=fall, right=right.left, bottom=-2 * PX)
    shift = 1 - right.right if right.right < 1 else min(0.0, -left.left)
    right.move(left=right.left + shift)
    left.move(left=left.left + shift)

    carrier = world.dynamic(jar(0.2), "jar", angle=fall, left=5 * PX, top=1 - below * PX)
    steep = abs(fall) > 90
    level = carrier.top if steep else carrier.bottom
    share = (level - left.bottom) / (left.top - left.bottom)
    measure = world.static(bar(share), "measure", angle=fall, right=left.right, bottom=left.bottom)
    upper_end = measure.right if steep else measure.left
    carrier.move(left=max(carrier.left, upper_end + 5 * PX))
    rider = world.dynamic(ball(0.08), "ball", cx=carrier.cx, cy=carrier.cy)
    world.goal(rider, right)
