"""A ball is about to land on the raised right end of a lever; throw it up with the lever, onto a high ledge and against
the wall there.

Bodies
    target: static upright bar, the upper part of the right side
    ledge: static bar that slopes down to the foot of the target
    fulcrum: static ball on the ground
    beam: dynamic bar, tilted up to the right; it cuts about a pixel or two into the fulcrum
    ball: dynamic, above the right end of the beam

Parameters
    tilt: degrees of the beam
    length: of the beam
    x: centre of the fulcrum and the beam

    The beam is inside the scene.

Goal
    The ball touches the target.

Solvability
    A random valid action solves with a chance of 9.6e-5, stably with 3.5e-5.
"""

import math

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00117"
TIER = "2B"
PARAMETERS = {
    "tilt": lin(15, 30, 10),
    "length": lin(0.35, 0.5, 10),
    "x": lin(0.2, 0.4, 10),
}


def build(world: World, tilt: float, length: float, x: float) -> None:
    reach = 0.5 * length * math.cos(math.radians(tilt))
    rise = 0.5 * length * math.sin(math.radians(tilt))
    target = world.static(bar(0.4), "target", angle=90, right=1, bottom=0.6)
    world.static(bar(0.25), "ledge", angle=-10, right=1, bottom=0.6)
    fulcrum = world.static(ball(0.1), "fulcrum", cx=x, bottom=0)
    beam = world.dynamic(bar(length), "beam", angle=tilt, cx=x, bottom=fulcrum.top - rise)
    world.reject(beam.left < 0 or beam.bottom < 0)
    thrown = world.dynamic(ball(0.1), "ball", cx=x + reach, bottom=beam.top)
    world.goal(thrown, target)
