"""Two balls hang above two small jars that would catch them; make the balls meet instead.

Bodies
    a, b: dynamic balls, a to the left of b
    jar a, jar b: dynamic, on the ground right below the balls

Parameters
    x_a, bottom_a: centre and height of a
    x_b, bottom_b: centre and height of b

    b is more than 0.2 further right.

Goal
    a touches b.

Solvability
    A random valid action solves with a chance of 2.2e-3, stably with 6.1e-4.
"""

from tumble.phyre.catalogue.template import World, ball, jar, lin

ID = "00104"
TIER = "2B"
PARAMETERS = {
    "x_a": lin(0.1, 0.9, 8),
    "bottom_a": lin(0.5, 0.8, 8),
    "x_b": lin(0.1, 0.9, 8),
    "bottom_b": lin(0.5, 0.8, 8),
}


def build(world: World, x_a: float, bottom_a: float, x_b: float, bottom_b: float) -> None:
    world.reject(x_b <= x_a + 0.2)
    a = world.dynamic(ball(0.1), "a", cx=x_a, bottom=bottom_a)
    b = world.dynamic(ball(0.1), "b", cx=x_b, bottom=bottom_b)
    world.dynamic(jar(0.15), "jar a", cx=a.cx, bottom=0)
    world.dynamic(jar(0.15), "jar b", cx=b.cx, bottom=0)
    world.goal(a, b)
