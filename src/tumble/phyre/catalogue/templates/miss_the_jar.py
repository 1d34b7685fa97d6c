"""A ball hangs right above an open jar; keep it out of the jar so that it comes to rest on the floor.

Bodies
    floor: static bar
    jar: dynamic, on the floor or above it
    ball: dynamic, above the middle of the jar

Parameters
    bottom: height of the ball
    size, x: height and left edge of the jar
    above: from the floor up to the jar

    The jar is inside the scene.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 2.5e-2, stably with 2.2e-2.
"""

from tumble.phyre.catalogue.template import World, ball, bar, jar, steps

ID = "00005"
TIER = "B"
PARAMETERS = {
    "bottom": steps(0.1, range(7, 10)),
    "size": steps(0.05, range(3, 9)),
    "x": steps(0.1, range(2, 8)),
    "above": steps(0.1, range(0, 3)),
}


def build(world: World, bottom: float, size: float, x: float, above: float) -> None:
    floor = world.static(bar(1), "floor", bottom=0, left=0)
    trap = world.dynamic(jar(size), "jar", bottom=floor.top + above, left=x)
    world.reject(trap.left < 0 or trap.right > 1)
    falling = world.dynamic(ball(0.1), "ball", bottom=bottom, cx=trap.left + trap.width / 2)
    world.goal(falling, floor)
