"""A cooking pot: low and wide, with a lid, a knob on the lid and a handle at either side.

It varies in height and width, in how domed the lid is, and in the size of its handles.
"""

import numpy as np

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import arc, revolve, round_parts, sweep, tube_parts, tube_rings
from tumble.draws import Draws

UP = (0.0, 0.0, 1.0)


def design(draws: Draws) -> Design:
    """A pot with its handles along x."""
    radius = draws.between(0.19, 0.215)
    height = draws.between(0.17, 0.28)
    dome = draws.between(0.04, 0.065)
    reach = draws.between(0.055, 0.07)
    rim = radius + 0.012
    body = [
        (0.0, 0.0),
        (radius - 0.025, 0.0),
        (radius - 0.007, 0.007),
        (radius, 0.025),
        (radius, height),
        (0.0, height),
    ]
    curve = arc(0.0, 0.25, 6)[:-1]
    lid = [
        (0.0, height - 0.002),
        (rim, height - 0.002),
        (rim, height + 0.012),
        *((0.97 * radius * c, height + 0.012 + dome * s) for c, s in curve),
        (0.0, height + 0.012 + dome),
    ]
    top = height + 0.012 + dome
    knob = [
        (0.0, top - 0.008),
        (0.016, top - 0.008),
        (0.016, top + 0.018),
        (0.038, top + 0.03),
        (0.04, top + 0.045),
        (0.03, top + 0.056),
        (0.0, top + 0.06),
    ]
    pieces = [Piece("body", revolve(body)), Piece("lid", revolve(lid), 0.4), Piece("handle", revolve(knob, 16))]
    parts = round_parts([(radius, 0.0), (radius, height)])
    parts += round_parts(
        [(rim, height), (0.75 * radius, height + 0.012 + 0.65 * dome), (0.04, top), (0.04, top + 0.055)]
    )
    loop = arc(-0.25, 0.25, 10)
    for side in (1.0, -1.0):
        path = np.column_stack(
            [
                side * (radius - 0.012 + (reach + 0.012) * loop[:, 0]),
                side * 0.085 * loop[:, 1],
                np.full(len(loop), 0.74 * height),
            ]
        )
        pieces.append(Piece("handle", sweep(path, (0.017, 0.02), UP)))
        parts += tube_parts(tube_rings(path, (0.017, 0.02), UP), 3)
    return Design(pieces, parts)
