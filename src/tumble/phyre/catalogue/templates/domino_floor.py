"""A row of growing dominoes stands under a shelf, with a ball about to fall onto the tallest one; get the ball that
lands on top of the shelf down to the floor.

Bodies
    floor: static bar
    dominoes: dynamic upright bars, each 0.05 longer than the one before
    shelf: static bar that reaches to the side where the row ends
    ball: dynamic, above the shelf
    striker: dynamic ball halfway between the tallest domino and the shelf

Parameters
    inset: from the side where the row ends to the centre of the ball
    height: bottom of the shelf
    from_left: whether the row starts at the left
    count: number of dominoes

    The striker has room between the tallest domino and the shelf.

Goal
    The ball touches the floor.

Solvability
    A random valid action solves with a chance of 1.4e-3, stably with 8.5e-4.
"""

from tumble.phyre.catalogue.template import World, ball, bar, either, lin

ID = "00112"
TIER = "2B"
PARAMETERS = {
    "inset": lin(0.1, 0.4, 10),
    "height": lin(0.4, 0.8, 10),
    "from_left": (True, False),
    "count": range(5, 9),
}


def build(world: World, inset: float, height: float, from_left: bool, count: int) -> None:
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    for k in range(count):
        x = 0.2 + 0.1 * k if from_left else 0.8 - 0.1 * k
        tallest = world.dynamic(bar(0.15 + 0.05 * k), f"domino {k + 1}", angle=90, left=x, bottom=floor.top)
    shelf = world.static(bar(0.7), "shelf", bottom=height, **either(from_left, right=1, left=0))
    falling = world.dynamic(ball(0.1), "ball", cx=1 - inset if from_left else inset, bottom=0.9)
    striker = world.dynamic(
        ball(0.1),
        "striker",
        cy=tallest.top + (shelf.bottom - tallest.top) / 2,
        **either(from_left, left=tallest.left, right=tallest.right),
    )
    world.reject(striker.bottom <= tallest.top)
    world.reject(striker.top >= shelf.bottom)
    world.goal(falling, floor)
