"""What the templates of scattered shelves have in common: the ball, shelves with end stops, and the floor."""

from tumble.phyre.tasks.builder import Placed, World, either
from tumble.phyre.tasks.shapes import PX, ball, bar


def add_ball(world: World, x: float) -> Placed:
    """The ball near the top."""
    return world.dynamic(ball(0.07), "ball", cx=x, cy=0.93)


def highest_shelf(falling: Placed) -> float:
    """How high a shelf may be: two balls below the ball."""
    return falling.bottom - 2 * falling.height


def add_stop(world: World, shelf: Placed, side: str) -> Placed:
    """A stop at one end of a shelf: a little bar that sticks out two pixels above it."""
    end = either(side == "left", left=shelf.left, right=shelf.right)
    return world.static(bar(0.01), f"{shelf.name}, {side} stop", top=shelf.top + 2 * PX, **end)


def add_floor(world: World) -> Placed:
    """Two corner traps, and between them the floor."""
    left = world.static(bar(0.15), "left trap", angle=10, left=0, bottom=-2 * PX)
    right = world.static(bar(0.15), "right trap", angle=-10, right=1, bottom=-2 * PX)
    return world.static(bar(right.left - left.right), "floor", bottom=0, cx=0.5)
