"""One ball falls into a pit at the left, the other onto a step with a rim at the right; bring the second over the rim
into the pit, so that they meet.

Bodies
    a, b: dynamic balls near the top, a to the left of b
    upper step, lower step: static bars that reach to the right side, the lower one further out into the scene
    rim: static upright bar on the lower step, at the end of the upper one
    pit wall: static upright bar at the end of the lower step, from a little below the rim's top down
    back wall: static upright bar on the upper step, just right of b
    left pit floor, right pit floor: static bars that slope down to the middle of the pit

Parameters
    x_a, x_b: centres of the balls
    height: bottom of the upper step
    overhang: how far the lower step reaches beyond the upper one

    The gap between the balls is at least 0.1, and the centre of a is above the pit.

Goal
    a touches b.

Solvability
    A random valid action solves with a chance of 2.0e-3, stably with 1.4e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin, steps

ID = "00114"
TIER = "2B"
PARAMETERS = {
    "x_a": lin(0.15, 0.9, 8),
    "x_b": lin(0.15, 0.9, 8),
    "height": steps(0.1, range(3, 7)),
    "overhang": lin(0.1, 0.4, 6),
}


def build(world: World, x_a: float, x_b: float, height: float, overhang: float) -> None:
    world.reject(x_b <= x_a)
    a = world.dynamic(ball(0.1), "a", cx=x_a, bottom=0.9)
    b = world.dynamic(ball(0.1), "b", cx=x_b, bottom=0.9)
    world.reject(b.left - a.right < 0.1)

    length = 1 - b.left
    upper = world.static(bar(length), "upper step", right=1, bottom=height)
    lower = world.static(bar(length + overhang), "lower step", right=1, bottom=height - 0.4 * overhang)
    world.reject(a.cx >= lower.left)
    rim = world.static(bar(upper.top - lower.top + 0.04), "rim", angle=90, left=upper.left, bottom=lower.top)
    world.static(bar(1), "pit wall", angle=90, left=lower.left, top=rim.top - 0.05)
    world.static(bar(1), "back wall", angle=90, left=b.right + 0.02, bottom=upper.top)
    world.static(bar(lower.left / 1.9), "left pit floor", angle=-10, left=0, bottom=0)
    world.static(bar(lower.left / 1.9), "right pit floor", angle=10, right=lower.left, bottom=0)
    world.goal(a, b)
