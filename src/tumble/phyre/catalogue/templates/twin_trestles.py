"""Two balls sit on two leaning trestles under a lid; topple the trestles so that the balls roll into the V between.

Bodies
    ground: static bar across the scene
    left trestle: dynamic standing sticks that lean to the right
    left ball: dynamic, on the trestle
    right trestle, right ball: the same, leaning to the left
    left half of V, right half of V: static bars, a shallow V between the trestles
    left slope, right slope: static bars that lead down to the ground inside the trestles; the smallest trestles
        begin with a cut of 0.6 pixels into them
    lid: static bar above the balls

Parameters
    from_left, from_right: space between the trestles and the side walls; where there is more, the V is smaller
    size: of the trestles
    height: bottom of the ground

    The largest trestles need less than 0.2 of space in total.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 1.3e-3, stably with 8.2e-4.
"""

from tumble.phyre.catalogue.template import PX, World, ball, bar, lin, sticks

ID = "00111"
TIER = "2B"
PARAMETERS = {
    "from_left": lin(0.05, 0.15, 3),
    "from_right": lin(0.05, 0.15, 3),
    "size": lin(0.6, 0.8, 4),
    "height": lin(0, 0.3, 6),
}


def build(world: World, from_left: float, from_right: float, size: float, height: float) -> None:
    space = from_left + from_right
    world.reject(size == 0.8 and space >= 0.2)
    ground = world.static(bar(1), "ground", bottom=height, left=0)
    left = world.dynamic(sticks(size), "left trestle", angle=-20, bottom=ground.top, left=from_left)
    left_ball = world.dynamic(ball(0.1), "left ball", bottom=left.top, cx=left.cx + 20 * PX)
    right = world.dynamic(sticks(size), "right trestle", angle=20, bottom=ground.top, right=1 - from_right)
    right_ball = world.dynamic(ball(0.1), "right ball", bottom=right.top, cx=right.cx - 20 * PX)
    half = bar(0.05 / space if space > 0.2 else 0.3)
    world.static(half, "left half of V", angle=-10, left=left.right, top=right.top - 20 * PX)
    world.static(half, "right half of V", angle=10, right=right.left, top=left.top - 20 * PX)
    world.static(bar(0.25), "left slope", angle=30, left=left.cx - 5 * PX, bottom=ground.top)
    world.static(bar(0.25), "right slope", angle=-30, right=right.cx + 5 * PX, bottom=ground.top)
    world.static(bar(1), "lid", cx=0.5, bottom=right_ball.top + 20 * PX)
    world.goal(left_ball, right_ball)
