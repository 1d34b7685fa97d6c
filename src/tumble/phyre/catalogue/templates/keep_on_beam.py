"""A ball falls onto a beam that balances on a round fulcrum, and would tip it and roll off; keep the two in contact.

Bodies
    deck: static bar across the scene
    fulcrum: static ball on the deck
    beam: dynamic bar on the fulcrum
    ball: dynamic, high above the beam
    left guard, right guard: static upright bars a little beyond the ends of the beam; where they would reach
        below the top of the deck, they stand on it

Parameters
    x: centre of the ball
    middle, length: centre and length of the beam
    bottom: height of the deck

    Some of the ball is above the beam.

Goal
    The ball touches the beam.

Solvability
    A random valid action solves with a chance of 2.3e-2, stably with 1.4e-2.
"""

from tumble.phyre.catalogue.template import World, ball, bar, lin

ID = "00004"
TIER = "B"
PARAMETERS = {
    "x": lin(0.2, 0.8, 14),
    "middle": lin(0.25, 0.65, 5),
    "length": lin(0.3, 0.45, 8),
    "bottom": lin(0.1, 0.6, 12),
}


def build(world: World, x: float, middle: float, length: float, bottom: float) -> None:
    deck = world.static(bar(1), "deck", bottom=bottom, left=0)
    fulcrum = world.static(ball(0.1), "fulcrum", bottom=deck.top, cx=middle)
    beam = world.dynamic(bar(length), "beam", cx=middle, bottom=fulcrum.top)
    falling = world.dynamic(ball(0.1), "ball", cx=x, bottom=0.9)
    world.reject(falling.right < beam.left or falling.left > beam.right)
    top = falling.bottom - 0.15
    left = world.static(bar(0.2), "left guard", angle=90, left=beam.left - 0.15, top=top)
    right = world.static(bar(0.2), "right guard", angle=90, right=beam.right + 0.15, top=top)
    if left.bottom < deck.top:
        left.move(bottom=deck.top)
        right.move(bottom=deck.top)
    world.goal(falling, beam)
