"""Two balls land on the flat heads of two posts, the right one higher; bring both down into the trough between.

Bodies
    a, b: dynamic balls, b further right and higher
    head a, head b: static bars below the balls
    post a, post b: static bars that carry the heads; they reach below the ground
    left trough, right trough: static bars on the ground that slope down from the posts

Parameters
    x, bottom: centre and height of a
    drop: from the balls to the heads; it has one value only
    apart: from a to b sideways
    rise: from a up to b

    b is less than 0.1 more up than sideways from a, and both are inside the scene.

Goal
    a touches b.

Solvability
    A random valid action solves with a chance of 3.9e-3, stably with 2.8e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, steps

ID = "00101"
TIER = "2B"
PARAMETERS = {
    "x": steps(0.1, range(1, 5)),
    "bottom": steps(0.1, range(3, 6)),
    "drop": steps(0.1, range(2, 3)),
    "apart": steps(0.05, range(5, 11)),
    "rise": steps(0.1, range(2, 5)),
}


def build(world: World, x: float, bottom: float, drop: float, apart: float, rise: float) -> None:
    world.reject(apart + 0.1 <= rise)
    a = world.dynamic(ball(0.1), "a", bottom=bottom, cx=x)
    b = world.dynamic(ball(0.1), "b", bottom=bottom + rise, cx=x + apart)
    world.reject(a.top > 1 or b.top > 1)
    head_a = world.static(bar(0.1), "head a", bottom=a.bottom - drop, left=a.left)
    head_b = world.static(bar(0.1), "head b", bottom=b.bottom - drop, left=b.left)
    post_a = world.static(bar(1), "post a", angle=90, top=head_a.bottom, cx=head_a.cx)
    post_b = world.static(bar(1), "post b", angle=90, top=head_b.bottom, cx=head_b.cx)
    world.static(bar(apart / 2), "left trough", angle=-10, left=post_a.right, bottom=0)
    world.static(bar(apart / 2), "right trough", angle=10, right=post_b.left, bottom=0)
    world.goal(a, b)
