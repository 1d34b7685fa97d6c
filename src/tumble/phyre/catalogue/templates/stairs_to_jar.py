"""A small ball bounces down five separate steps; make it drop between two of them into a jar that stands below.

Bodies
    steps: static bars from the upper left to the lower right, each tilted a little downwards
    jar: static, lined up with an end of a step
    left guard, right guard: static upright bars at both sides of the jar, as high as it is
    ball: dynamic, at the ceiling

Parameters
    left: whether the left edges of jar and step are lined up, else the right ones
    size, x: size and centre of the ball
    jar_size: height of the jar
    step: the one that the jar is lined up with, 0 being the highest
    drop: five quarters of the way down from the highest step to the lowest

    The jar is below the lowest step, the right guard is inside the scene, and the ball isn't right of the jar.

Goal
    The ball touches the jar.

Solvability
    A random valid action solves with a chance of 1.4e-2, stably with 1.0e-2.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, jar, lin

ID = "00008"
TIER = "B"
PARAMETERS = {
    "left": [True, False],
    "size": [0.05],
    "x": lin(0.1, 0.9, 10),
    "jar_size": [0.3, 0.4],
    "step": range(1, 5),
    "drop": lin(0.4, 0.6, 10),
}


def build(world: World, left: bool, size: float, x: float, jar_size: float, step: int, drop: float) -> None:
    stairs = [_step(world, number, drop) for number in range(5)]
    level = stairs[step]
    target = world.static(jar(jar_size), "jar", bottom=0, **either(left, left=level.left, right=level.right))
    world.reject(target.top > stairs[-1].bottom)
    world.static(bar(jar_size), "left guard", angle=90, bottom=0, right=target.left)
    guard = world.static(bar(jar_size), "right guard", angle=90, bottom=0, left=target.right)
    world.reject(guard.right > 1)
    falling = world.dynamic(ball(size), "ball", top=1, cx=x)
    world.reject(falling.left > target.right)
    world.goal(falling, target)


def _step(world: World, number: int, drop: float) -> WorldBody:
    step = world.static(bar(0.14), f"step {number}", top=0.8 - number / 5 * drop, left=number / 5)
    step.turn(-5)
    return step
