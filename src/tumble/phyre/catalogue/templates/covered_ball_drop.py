"""A small ball is trapped under an upturned jar at the end of a high ledge; get it down onto the ball that lies in the
open jar below.

Bodies
    jar: dynamic, on the ground
    inner: dynamic ball in the jar
    ledge: static bar that reaches out of the scene on the right
    cover: dynamic jar, upside down at the left end of the ledge
    ball: dynamic, under the cover
    diagonal: static bar that rises from the ledge to the right of the cover

Parameters
    offset: from the left edge of the jar to that of the ledge
    height: of the ledge
    jar_size, jar_x: height and centre of the jar
    rise: degrees of the diagonal

    A high ledge is never combined with a jar far to the right, which would be too hard.

Goal
    The ball touches the inner ball.

Solvability
    A random valid action solves with a chance of 3.1e-3, stably with 5.0e-4.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, jar, lin

ID = "00018"
TIER = "B"
PARAMETERS = {
    "offset": lin(0.1, 0.2, 3),
    "height": lin(0.4, 0.65, 10),
    "jar_size": lin(0.15, 0.2, 3),
    "jar_x": lin(0.25, 0.5, 5),
    "rise": lin(30, 70, 3),
}


def build(world: World, offset: float, height: float, jar_size: float, jar_x: float, rise: float) -> None:
    world.reject(height >= 0.6 and jar_x > 0.4)
    holder = world.dynamic(jar(jar_size), "jar", cx=jar_x, bottom=0)
    inner = world.dynamic(ball(0.05 + jar_size / 8), "inner", cx=holder.cx, bottom=10 * PX)
    ledge = world.static(bar(1), "ledge", left=holder.left + offset, bottom=height)
    cover = world.dynamic(jar(0.12), "cover", angle=180, left=ledge.left, bottom=ledge.top)
    trapped = world.dynamic(ball(0.05), "ball", cx=cover.cx, bottom=ledge.top)
    world.static(bar(1), "diagonal", angle=rise, bottom=ledge.bottom, left=max(0.7, cover.right + 10 * PX))
    world.goal(trapped, inner)
