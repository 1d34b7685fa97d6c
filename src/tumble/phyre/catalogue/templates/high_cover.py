"""A jar is falling upside down over a small ball at the end of a shelf; get that ball to the one in the jar below.

Bodies
    jar: dynamic, on the ground
    inner ball: dynamic, in the jar
    shelf: static bar that begins above the left side of the jar
    cover: dynamic jar, upside down above the left end of the shelf
    end stop: static upright bar at the right end of the shelf
    ball: dynamic, on the shelf below the cover
    right bank, left bank: static bars that rise towards the sides

Parameters
    height: bottom of the shelf
    jar_size, jar_x: height and centre of the jar
    right_rise, left_rise: degrees of the banks

Goal
    The ball touches the inner ball.

Solvability
    A random valid action solves with a chance of 5.0e-4, stably with 3.5e-5.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, jar, lin

ID = "00113"
TIER = "2B"
PARAMETERS = {
    "height": lin(0.4, 0.7, 10),
    "jar_size": lin(0.15, 0.2, 3),
    "jar_x": lin(0.25, 0.5, 5),
    "right_rise": lin(30, 70, 3),
    "left_rise": lin(30, 70, 3),
}


def build(world: World, height: float, jar_size: float, jar_x: float, right_rise: float, left_rise: float) -> None:
    below = world.dynamic(jar(jar_size), "jar", cx=jar_x, bottom=0)
    inner = world.dynamic(ball(0.03 + jar_size / 5), "inner ball", cx=below.cx, bottom=10 * PX)
    shelf = world.static(bar(0.8 - below.left), "shelf", left=below.left, bottom=height)
    cover = world.dynamic(jar(0.1), "cover", angle=180, left=shelf.left, top=min(1, height + 150 * PX))
    world.static(bar(0.15), "end stop", angle=90, right=shelf.right, bottom=shelf.top)
    covered = world.dynamic(ball(0.05), "ball", cx=cover.left + cover.width / 2, bottom=shelf.top)
    world.static(bar(1), "right bank", angle=right_rise, left=0.9, bottom=-2 * PX)
    world.static(bar(1), "left bank", angle=-left_rise, right=0.1, bottom=-2 * PX)
    world.goal(covered, inner)
