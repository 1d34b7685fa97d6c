"""Two balls hang level with a clear gap between them and would land apart; make them end in lasting contact.

Bodies
    a, b: dynamic balls, a to the left of b, their bottoms level.

Parameters
    size_a, x_a: size and centre of a
    size_b, x_b: size and centre of b
    bottom: height of both

    The gap is at least as wide as the larger ball, and both are inside the scene.

Goal
    a touches b.

Solvability
    A random valid action solves with a chance of 9.1e-2, stably with 6.7e-2.
"""

from tumble.phyre.catalogue.template import PX, World, ball, lin

ID = "00000"
TIER = "B"
PARAMETERS = {
    "size_a": lin(0.06, 0.12, 3),
    "x_a": lin(0.05, 0.95, 19),
    "size_b": lin(0.06, 0.12, 3),
    "x_b": lin(0.05, 0.95, 19),
    "bottom": lin(0.2, 0.8, 5),
}


def build(world: World, size_a: float, x_a: float, size_b: float, x_b: float, bottom: float) -> None:
    world.reject(x_b <= x_a)
    a = world.dynamic(ball(size_a), "a", cx=x_a, bottom=bottom)
    b = world.dynamic(ball(size_b), "b", cx=x_b, bottom=bottom)
    world.reject(b.left - a.right < max(size_a, size_b))
    world.reject(a.left <= 0)
    world.reject(b.right >= 255 * PX)
    world.goal(a, b)
