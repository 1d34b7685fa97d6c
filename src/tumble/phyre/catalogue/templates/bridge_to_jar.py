"""A ball rolls down a ramp onto a loose plank that tips under it; keep the way open so that it rolls on into a fixed
jar.

Bodies
    first ramp: static bar at the left side
    plank: dynamic bar, level with the lower end of the ramp
    middle support, right support: static balls under the plank, none under its left half
    tray: static bar under the supports
    second ramp: static bar
    jar: static
    third ramp: static bar that begins level with the rim of the jar
    end: static bar, level with the lower end of the third ramp
    ball: dynamic, above the first ramp at the left side
    ceiling: static bar

Parameters
    slope: degrees of the ramps
    height: of the lower end of the first ramp
    run: horizontal length of each ramp
    size: length of the plank and height of the jar

    The end is at least 0.2 long, and ceiling, jar and end are inside the scene.

Goal
    The ball touches the jar.

Solvability
    A random valid action solves with a chance of 1.1e-3, stably with 6.5e-4.
"""

import math

from tumble.phyre.catalogue.template import World, ball, bar, jar, lin

ID = "00021"
TIER = "B"
PARAMETERS = {
    "slope": lin(10, 20, 3),
    "height": lin(0.2, 0.5, 15),
    "run": lin(0.1, 0.2, 3),
    "size": lin(0.15, 0.3, 3),
}
GAP = 0.005


def build(world: World, slope: float, height: float, run: float, size: float) -> None:
    rest = 1 - 3 * run - 2 * size - 5 * GAP
    world.reject(rest < 0.2)
    ramp = bar(run / math.cos(math.radians(slope)))
    fall = 360 - slope
    first = world.static(ramp, "first ramp", angle=fall, left=0, bottom=height)
    plank = world.dynamic(bar(size), "plank", left=first.right + GAP, bottom=first.bottom)
    support = world.static(ball(0.05), "middle support", cx=plank.cx, top=plank.bottom)
    world.static(ball(0.05), "right support", right=plank.right, top=plank.bottom)
    world.static(bar(size), "tray", left=plank.left, top=support.bottom)
    second = world.static(ramp, "second ramp", angle=fall, left=plank.right + GAP, top=plank.top)
    target = world.static(jar(size), "jar", left=second.right + GAP, top=second.bottom)
    third = world.static(ramp, "third ramp", angle=fall, left=target.right + GAP, top=target.top)
    end = world.static(bar(rest), "end", left=third.right + GAP, bottom=third.bottom)
    rolling = world.dynamic(ball(0.05), "ball", left=0, bottom=first.top)
    ceiling = world.static(bar(1), "ceiling", left=0, top=rolling.top + 0.1)
    world.reject(ceiling.top > 1 or end.bottom < 0 or target.bottom < 0)
    world.goal(rolling, target)
