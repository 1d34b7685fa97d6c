"""Two balls wait in roofed alleys on two towers, a loose stick behind each; push both into the pit between the towers,
so that they meet.

Bodies
    For the left tower and then for the right one:
    ball: dynamic, at the inner end of the deck
    deck: static bar below the ball
    roof: static bar just above the ball
    stick: dynamic upright bar on the outer end of the deck
    tower: static upright bar under the inner end of the deck
    visor: static bar high above the stick
    Then:
    left pit floor, right pit floor: static bars that slope down to the middle of the pit

Parameters
    x1, y1: centre of the left ball
    x2, y2: centre of the right ball

    The right ball is at least 0.3 further right.

Goal
    The left ball touches the right ball.

Solvability
    A random valid action solves with a chance of 9.9e-5, stably with 4.0e-5.
"""

from tumble.phyre.catalogue.template import World, WorldBody, ball, bar, either, steps

ID = "00121"
TIER = "2B"
PARAMETERS = {
    "x1": steps(0.1, range(2, 8)),
    "y1": steps(0.1, range(2, 8)),
    "x2": steps(0.1, range(2, 8)),
    "y2": steps(0.1, range(2, 8)),
}


def build(world: World, x1: float, y1: float, x2: float, y2: float) -> None:
    world.reject(x2 - x1 < 0.3)
    left, left_tower = _alley(world, "left", x1, y1)
    right, right_tower = _alley(world, "right", x2, y2)
    half = (right_tower.left - left_tower.right) / 2
    world.static(bar(half), "left pit floor", angle=-10, left=left_tower.left, bottom=-0.015)
    world.static(bar(half), "right pit floor", angle=10, right=right_tower.right, bottom=-0.015)
    world.goal(left, right)


def _alley(world: World, side: str, x: float, y: float) -> tuple[WorldBody, WorldBody]:
    """The ball of the alley on one side, and the tower."""
    left = side == "left"
    waiting = world.dynamic(ball(0.1), f"{side} ball", cx=x, cy=y)
    inner = either(left, right=waiting.right, left=waiting.left)
    deck = world.static(bar(0.2), f"{side} deck", top=waiting.bottom, **inner)
    world.static(bar(0.1), f"{side} roof", bottom=waiting.top + 0.01, **inner)
    outer = either(left, left=deck.left, right=deck.right)
    stick = world.dynamic(bar(0.12), f"{side} stick", angle=90, bottom=deck.top, **outer)
    tower = world.static(bar(1), f"{side} tower", angle=90, top=deck.top, **inner)
    world.static(bar(0.1), f"{side} visor", bottom=stick.top + 0.2, **outer)
    return waiting, tower
