"""Shared by random_shelves and shelf_cascade: the ball, shelves with end stops, and the floor."""

from tumble.phyre.catalogue.template import PX, World, WorldBody, ball, bar, either


def add_ball(world: World, x: float) -> WorldBody:
    """Adds the ball near the top."""
    return world.dynamic(ball(0.07), "ball", cx=x, cy=0.93)


def highest_shelf(falling: WorldBody) -> float:
    """The greatest height of a shelf: two heights of the ball below it."""
    return falling.bottom - 2 * falling.height


def add_stop(world: World, shelf: WorldBody, side: str) -> WorldBody:
    """Adds a stop at one end of a shelf: a short bar that sticks out two pixels above it."""
    end = either(side == "left", left=shelf.left, right=shelf.right)
    return world.static(bar(0.01), f"{shelf.name}, {side} stop", top=shelf.top + 2 * PX, **end)


def add_floor(world: World) -> WorldBody:
    """Adds two corner traps and the floor between them; returns the floor."""
    left = world.static(bar(0.15), "left trap", angle=10, left=0, bottom=-2 * PX)
    right = world.static(bar(0.15), "right trap", angle=-10, right=1, bottom=-2 * PX)
    return world.static(bar(right.left - left.right), "floor", bottom=0, cx=0.5)
