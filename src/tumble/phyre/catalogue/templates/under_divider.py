"""A ball falls in one half of a scene that a hanging divider splits, with a post in its way; bring it to the floor of
the other half.

Bodies
    ball: dynamic
    post: static bar, upright on the floor below the inner edge of the ball
    divider: static bar, hanging from the ceiling in the middle
    left floor, right floor: static bars

Parameters
    size: of the ball
    height: of its bottom
    inset: from its own side of the scene to its centre; the post is three quarters as long
    left: whether the ball is in the left half

Goal
    The ball touches the floor of the other half.

Solvability
    A random valid action solves with a chance of 4.8e-3, stably with 4.2e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00014"
TIER = "B"
PARAMETERS = {
    "size": lin(0.05, 0.15, 5),
    "height": lin(0.3, 0.7, 8),
    "inset": lin(0.1, 0.3, 8),
    "left": [True, False],
}


def build(world: World, size: float, height: float, inset: float, left: bool) -> None:
    falling = world.dynamic(ball(size), "ball", cx=inset if left else 1 - inset, bottom=height)
    world.static(bar(0.75 * inset), "post", angle=90, cx=falling.right if left else falling.left, bottom=0)
    world.static(bar(0.7), "divider", angle=90, left=0.5, top=1)
    left_floor = world.static(bar(0.5), "left floor", bottom=0, left=0)
    right_floor = world.static(bar(0.5), "right floor", bottom=0, left=left_floor.right)
    world.goal(falling, right_floor if left else left_floor)
