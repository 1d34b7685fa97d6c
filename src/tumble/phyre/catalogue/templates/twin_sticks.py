"""Two sticks stand upright under a low lid, too far apart for one that falls to reach the other; knock both down so
that they touch.

Bodies
    left stick, right stick: dynamic upright bars on the ground
    lid: static bar 0.25 above the length of a stick

Parameters
    x1, x2: left edges of the sticks
    length: of both sticks

    The left edges are more than 1.75 and at most 2.5 lengths apart; rounding decides borderline cases.

Goal
    The left stick touches the right stick.

Solvability
    A random valid action solves with a chance of 1.7e-4, stably with 9.7e-5.
"""

from tumble.phyre.catalogue.template import World, bar, lin

ID = "00115"
TIER = "2B"
PARAMETERS = {
    "x1": lin(0.05, 0.95, 19),
    "x2": lin(0.05, 0.95, 19),
    "length": lin(0.2, 0.5, 10),
}


def build(world: World, x1: float, x2: float, length: float) -> None:
    world.reject(x2 <= x1 + 1.75 * length)
    world.reject(x2 > x1 + 2.5 * length)
    left = world.dynamic(bar(length), "left stick", angle=90, left=x1, bottom=0)
    right = world.dynamic(bar(length), "right stick", angle=90, left=x2, bottom=0)
    world.static(bar(1), "lid", left=0, bottom=length + 0.25)
    world.goal(left, right)
