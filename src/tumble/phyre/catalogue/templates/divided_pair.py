"""Two balls fall just outside two small posts, a hanging divider between them; get both over their posts to meet.

Bodies
    a, b: dynamic balls near the top, a to the left of b
    plateau: static bar across the scene
    post a, post b: static bars that stand on it under the inner sides of the balls
    divider: static bar that hangs from the ceiling between the posts and ends above the plateau

Parameters
    height: top of the plateau
    from_left: centre of a from the left border
    from_right: centre of b from the right border

Goal
    a touches b.

Solvability
    A random valid action solves with a chance of 2.6e-3, stably with 1.4e-3.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00103"
TIER = "2B"
PARAMETERS = {
    "height": lin(0, 0.5, 7),
    "from_left": lin(0.1, 0.4, 7),
    "from_right": lin(0.1, 0.4, 7),
}


def build(world: World, height: float, from_left: float, from_right: float) -> None:
    a = world.dynamic(ball(0.1), "a", cx=from_left, bottom=0.9)
    b = world.dynamic(ball(0.1), "b", cx=1 - from_right, bottom=0.9)
    plateau = world.static(bar(1), "plateau", left=0, top=height)
    post_a = world.static(bar(0.1), "post a", angle=90, bottom=plateau.top, cx=a.right)
    post_b = world.static(bar(0.1), "post b", angle=90, bottom=plateau.top, cx=b.left)
    world.static(bar(1 - height - 0.1), "divider", angle=90, left=(post_a.left + post_b.left) / 2, top=1)
    world.goal(a, b)
