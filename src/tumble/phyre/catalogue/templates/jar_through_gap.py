"""An upside-down jar falls through a gap between two plates and slides off along a tilted floor; send the ball that
waits on a plate down to it.

Bodies
    jar: dynamic, upside down above the gap
    left plate, right plate: static bars at the same height, with a gap of 0.2 between them
    ball: dynamic, on a plate; at the edge of the gap and with high plates it can overlap the jar at the start
    tilted floor: static bar that rises to the right, much of it outside the scene

Parameters
    x: left edge of the ball
    bottom: height of the plates
    gap: left edge of the gap

    The gap ends inside the scene, the whole jar is above it, and the middle of the ball isn't.

Goal
    The ball touches the jar.

Solvability
    A random valid action solves with a chance of 1.9e-2, stably with 1.6e-2.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, jar, lin

ID = "00006"
TIER = "B"
PARAMETERS = {
    "x": lin(0.2, 0.8, 20),
    "bottom": lin(0.3, 0.6, 16),
    "gap": lin(0.2, 0.8, 20),
}


def build(world: World, x: float, bottom: float, gap: float) -> None:
    world.reject(gap + 0.2 >= 1)
    falling = world.dynamic(jar(0.15), "jar", cx=0.5, top=0.95)
    falling.turn(180)
    left = world.static(bar(gap), "left plate", left=0, bottom=bottom)
    right = world.static(bar(1 - (gap + 0.2)), "right plate", right=1, bottom=bottom)
    world.reject(falling.left < left.right or falling.right > right.left)
    waiting = world.dynamic(ball(0.1), "ball", bottom=right.top, left=x)
    world.reject(left.right < waiting.cx < right.left)
    world.static(bar(2), "tilted floor", angle=10, left=0, bottom=-2 * PX)
    world.goal(waiting, falling)
