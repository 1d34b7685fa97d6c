"""Shared by peg_rows and peg_chains: a ball, fixed pegs below it and the floor."""

from collections.abc import Iterable

from tumble.phyre.catalogue.template import PX, World, ball, bar

Point = tuple[float, float]

HEIGHT = 0.9
"""Height of the ball's centre."""
HIGHEST = HEIGHT - 62.5 * PX
"""Limit for the pegs: two heights of a ball below the ball."""


def ball_over_pegs(world: World, x: float, size: float, pegs: Iterable[Point]) -> None:
    """Adds a ball at x, those pegs that are inside the scene, and the floor that the ball has to reach."""
    falling = world.dynamic(ball(0.1), "ball", cx=x, cy=HEIGHT)
    for peg_x, peg_y in pegs:
        if 0 <= peg_x <= 1 and 0 <= peg_y <= 1:
            world.static(ball(size), cx=peg_x, cy=peg_y)
    floor = world.static(bar(1), "floor", left=0, bottom=0)
    world.goal(falling, floor)
