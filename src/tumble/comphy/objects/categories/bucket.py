"""A bucket: an open pail, wider at the top, with a rim, two ears and a wire handle that stands upright over it.

It varies in height, in the widths of bottom and top, and in the height of the handle.
"""

import numpy as np

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import arc, box, box_part, revolve, round_parts, sweep, tube_parts, tube_rings
from tumble.draws import Draws

WALL = 0.014
WIRE = (0.011, 0.011)


def design(draws: Draws) -> Design:
    """A bucket with its handle in the plane of x and z."""
    top = draws.between(0.185, 0.205)
    bottom = top * draws.between(0.64, 0.78)
    height = draws.between(0.27, 0.36)
    rise = draws.between(0.16, 0.2)
    pail = [
        (0.0, 0.0),
        (bottom, 0.0),
        (top - 0.004, height - 0.035),
        (top + 0.012, height - 0.032),
        (top + 0.014, height),
        (top - WALL, height),
        (bottom - WALL, 0.03),
        (0.0, 0.03),
    ]
    pivot = height - 0.03
    curve = arc(0.0, 0.5, 16)
    path = np.column_stack([(top + 0.02) * curve[:, 0], np.zeros(len(curve)), pivot + (rise + 0.03) * curve[:, 1]])
    grip = path[6:11]
    pieces = [Piece("body", revolve(pail)), Piece("handle", sweep(path, WIRE, sides=8))]
    pieces.append(Piece("grip", sweep(grip, (0.02, 0.02))))
    parts = round_parts([(bottom, 0.0), (top, height - 0.033), (top + 0.013, height)])
    for side in (-1.0, 1.0):
        x = sorted((side * (top - 0.006), side * (top + 0.03)))
        low, high = (x[0], -0.028, pivot - 0.03), (x[1], 0.028, pivot + 0.02)
        pieces.append(Piece("body", box(low, high)))
        parts.append(box_part(low, high))
    return Design(pieces, [*parts, *tube_parts(tube_rings(path, WIRE, sides=6), 8)])
