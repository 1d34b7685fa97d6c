"""A stick stands upright on the end of a platform under a low ceiling; tip it over the edge so that it lies on the
floor.

Bodies
    platform: static bar
    stick: dynamic bar, upright on the end of the platform that has more room beside it
    floor: static bar
    ceiling: static bar, a little above the stick

Parameters
    stick_length: of the stick
    length, x, bottom: length, left end and height of the platform

    The platform doesn't reach past the right side.

Goal
    The stick touches the floor.

Solvability
    A random valid action solves with a chance of 4.1e-3, stably with 3.5e-3.
"""

from tumble.phyre.catalogue.template import World, bar, either, lin

ID = "00009"
TIER = "B"
PARAMETERS = {
    "stick_length": [0.2, 0.3],
    "length": lin(0.4, 0.6, 4),
    "x": lin(0, 1, 64),
    "bottom": lin(0.2, 0.5, 5),
}


def build(world: World, stick_length: float, length: float, x: float, bottom: float) -> None:
    world.reject(x + length > 1)
    platform = world.static(bar(length), "platform", left=x, bottom=bottom)
    roomier_end = either(platform.left > 1 - platform.right, left=platform.left, right=platform.right)
    stick = world.dynamic(bar(stick_length), "stick", angle=90, bottom=platform.top, **roomier_end)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.static(bar(1), "ceiling", left=0, bottom=stick.top + 0.2)
    world.goal(stick, floor)
