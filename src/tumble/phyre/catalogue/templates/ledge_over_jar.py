"""A ball drops onto a hanging ledge above a jar with a ball inside; bring the two balls together.

Bodies
    left bank, right bank: static bars that slope down to the floor
    jar: dynamic, on the floor
    ledge: static bar above the jar
    inner: dynamic ball in the jar
    ball: dynamic, above the left end of the ledge

Parameters
    banks: degrees of the banks
    inset: from the left end of the ledge to the ball
    jar_x, jar_size: centre of the jar before the shift, and its height
    tilt: degrees of the ledge
    radius: of the ball, before it is cut to whole pixels
    ledge_x: centre of the ledge before the shift
    shift: of the jar and the ledge to the right

    The jar reaches at most ten pixels further right than the ledge.

Goal
    The ball touches the inner ball.

Solvability
    A random valid action solves with a chance of 1.7e-3, stably with 1.1e-3.
"""

from tumble.phyre.catalogue.template import PX, World, ball, ball_of_radius, bar, jar, lin

ID = "00022"
TIER = "B"
PARAMETERS = {
    "banks": lin(45, 60, 5),
    "inset": [5 * PX, 15 * PX],
    "jar_x": lin(0.4, 0.6, 10),
    "jar_size": lin(0.2, 0.3, 4),
    "tilt": [-10, 0, 10],
    "radius": [radius * PX for radius in lin(5, 12, 5)],
    "ledge_x": lin(0.4, 0.6, 3),
    "shift": [0, 0.1],
}


def build(
    world: World,
    banks: float,
    inset: float,
    jar_x: float,
    jar_size: float,
    tilt: float,
    radius: float,
    ledge_x: float,
    shift: float,
) -> None:
    world.static(bar(0.5), "left bank", angle=-banks, bottom=0, right=0.2)
    world.static(bar(0.5), "right bank", angle=banks, bottom=0, left=0.8)
    holder = world.dynamic(jar(jar_size), "jar", cx=jar_x + shift, bottom=0)
    above = max(0.3, holder.top + 4 * radius)
    ledge = world.static(bar(90 * PX), "ledge", angle=tilt, cx=ledge_x + shift, bottom=above)
    world.reject(holder.right > ledge.right + 10 * PX)
    inner = world.dynamic(ball(0.05 + jar_size / 5), "inner", cx=holder.cx, bottom=10 * PX)
    dropping = world.dynamic(ball_of_radius(radius), "ball", left=ledge.left + inset, bottom=ledge.top + radius)
    world.goal(dropping, inner)
