"""A ball runs down a roofed ramp that a small loose ball plugs at its lip; make it fly over a blocker and land on a
short piece of floor.

Bodies
    left floor, target, right floor: static bars, next to each other
    blocker: static bar, upright at the left end of the target
    planks: five static bars, stacked on the right floor next to the target
    ramp, lip: static bars, the lip turns up where the ramp ends
    lower roof, upper roof: static bars, parallel to the ramp
    mast: static bar, upright on the planks
    deflector: static bar, a long slope beyond the lip
    ball: dynamic, near the upper end of the ramp
    plug: dynamic ball of half the radius, further down the ramp

Parameters
    slope: degrees of the ramp
    shift: of the ball, down the ramp
    radius: of the ball, before it is cut to whole pixels
    floor: length of the left floor

Goal
    The ball touches the target.

Solvability
    A random valid action solves with a chance of 5.2e-3, stably with 1.9e-3.
"""

import math

from tumble.phyre.catalogue.template import PX, World, ball_of_radius, bar, lin

ID = "00016"
TIER = "B"
PARAMETERS = {
    "slope": lin(30, 50, 6),
    "shift": lin(0, 0.1, 3),
    "radius": [radius * PX for radius in lin(5, 12, 5)],
    "floor": lin(0.35, 0.65, 10),
}


def build(world: World, slope: float, shift: float, radius: float, floor: float) -> None:
    left_floor = world.static(bar(floor), "left floor", bottom=0, left=0)
    target = world.static(bar(0.1), "target", bottom=0, left=left_floor.right)
    right_floor = world.static(bar(1 - 0.1 - floor), "right floor", bottom=0, left=target.right)
    blocker = world.static(bar(0.1), "blocker", angle=90, bottom=0, right=target.left)
    plank = right_floor
    for _ in range(5):
        plank = world.static(bar(0.1), bottom=plank.top, left=right_floor.left)

    ramp_end = blocker.left - 0.1
    ramp = world.static(bar(0.5), "ramp", angle=-slope, bottom=0.3, right=ramp_end)
    lip = world.static(bar(0.1), "lip", angle=10, bottom=ramp.bottom, left=ramp.right - 0.02)
    roof = world.static(bar(0.5), "lower roof", angle=-slope, bottom=0.3 + 6 * radius, right=ramp_end)
    world.static(bar(0.5), "upper roof", angle=-slope, bottom=0.3 + 10 * radius, right=ramp_end)
    world.static(bar(0.1), "mast", angle=90, left=plank.left, bottom=plank.top)
    world.static(bar(0.5), "deflector", angle=-30, top=roof.bottom + 0.1, left=lip.right)

    def height_at(x: float) -> float:
        return ramp.bottom + (ramp.right - x) * math.tan(math.radians(slope))

    start = max(0.05, ramp.left + 0.01) + shift
    rolling = world.dynamic(ball_of_radius(radius), "ball", cx=start + radius, cy=height_at(start) + 1.7 * radius)
    ahead = rolling.cx + 4 * radius
    plug = world.dynamic(ball_of_radius(radius / 2), "plug", cx=ahead, cy=height_at(ahead) + 2.6 * radius)
    if plug.right >= lip.left:
        plug.move(bottom=max(lip.top, plug.bottom))
    world.goal(rolling, target)
