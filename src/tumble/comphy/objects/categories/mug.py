"""A mug: an open cup, straight or a little wider at the top, with a handle at its side.

It varies in height, width, taper and the reach of its handle.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import revolve, round_parts, smooth, sweep, tube_parts, tube_rings
from tumble.draws import Draws

WALL = 0.02


def design(draws: Draws) -> Design:
    """A mug with its handle along x."""
    height = draws.between(0.3, 0.42)
    top = draws.between(0.15, 0.17)
    bottom = top * draws.between(0.82, 1.0)
    reach = draws.between(0.09, 0.115)
    cup = [
        (0.0, 0.0),
        (bottom - 0.012, 0.0),
        (bottom, 0.012),
        (top, height - 0.006),
        (top - 0.006, height),
        (top - WALL + 0.006, height),
        (top - WALL, height - 0.006),
        (bottom - WALL, 0.04),
        (0.0, 0.03),
    ]
    upper, lower = 0.80 * height, 0.24 * height
    path = smooth(
        [
            (_radius(bottom, top, upper / height) - 0.012, 0.0, upper),
            (top + 0.6 * reach, 0.0, upper + 0.01),
            (top + reach, 0.0, 0.58 * height),
            (top + 0.62 * reach, 0.0, 0.34 * height),
            (_radius(bottom, top, lower / height) - 0.012, 0.0, lower),
        ]
    )
    rings = tube_rings(path, (0.018, 0.028))
    return Design(
        [Piece("body", revolve(cup)), Piece("handle", sweep(path, (0.018, 0.028)))],
        [*round_parts([(bottom, 0.0), (top, height)]), *tube_parts(rings, 4)],
    )


def _radius(bottom: float, top: float, share: float) -> float:
    return bottom + (top - bottom) * share
