"""A tall stick stands in a small open jar; knock it over so that it leans on the near side wall for good.

Bodies
    vase: dynamic jar on the floor
    stick: dynamic bar, upright in the vase
    wall: static bar along the left side if the stick reaches that, else along the right one

Parameters
    length: of the stick
    x: centre of the vase
    offset: pixels from there to the stick

    The vase is further from both sides than the stick is thick, and the stick reaches at least one of them:
    it is less than its length and 40 pixels away.

Goal
    The stick touches the wall.

Solvability
    A random valid action solves with a chance of 3.1e-2, stably with 2.3e-2.
"""

from tumble.phyre.catalogue.template import PX, World, bar, either, jar, lin

ID = "00003"
TIER = "B"
PARAMETERS = {
    "length": lin(0.2, 0.5, 4),
    "x": lin(0.05, 0.95, 20),
    "offset": lin(-2, 2, 5),
}


def build(world: World, length: float, x: float, offset: float) -> None:
    vase = world.dynamic(jar(0.1), "vase", bottom=0, cx=x)
    stick = world.dynamic(bar(length), "stick", angle=90, cx=vase.cx + offset * PX, bottom=4 * PX)
    world.reject(vase.left <= stick.width or vase.right >= 255 * PX - stick.width)
    reach = stick.height + 40 * PX
    world.reject(reach <= stick.left and reach <= 1 - stick.right)
    wall = world.static(bar(1), "wall", angle=90, bottom=0, **either(reach > stick.left, left=0, right=1))
    world.goal(stick, wall)
