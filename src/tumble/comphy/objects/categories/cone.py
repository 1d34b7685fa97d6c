"""A traffic cone: a tall cone with a blunt tip and one or two bands around it, on a square foot.

It varies in height, in the widths of foot and cone, and in the number of bands.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import box, box_part, revolve, round_parts
from tumble.draws import Draws

FOOT = 0.035


def design(draws: Draws) -> Design:
    """A traffic cone."""
    foot = draws.between(0.17, 0.19)
    radius = foot * draws.between(0.76, 0.84)
    tip = draws.between(0.026, 0.034)
    height = draws.between(0.5, 0.56)
    bands = draws.one_of([1, 2])

    def at(z: float) -> float:
        return radius + (tip - radius) * (z - FOOT) / (height - FOOT)

    body = [(0.0, FOOT - 0.004), (radius, FOOT - 0.004), (tip, height - 0.006), (tip - 0.006, height), (0.0, height)]
    pieces = [Piece("base", box((-foot, -foot, 0.0), (foot, foot, FOOT), 0.008), 2.0), Piece("body", revolve(body))]
    for number in range(bands):
        low = FOOT + (height - FOOT) * (0.36 if bands == 1 else (0.24, 0.58)[number])
        high = low + (height - FOOT) * (0.26 if bands == 1 else 0.18)
        band = [(at(low) - 0.006, low), (at(low) + 0.004, low), (at(high) + 0.004, high), (at(high) - 0.006, high)]
        pieces.append(Piece("band", revolve(band)))
    parts = [box_part((-foot, -foot, 0.0), (foot, foot, FOOT)), *round_parts([(radius, FOOT), (tip, height)])]
    return Design(pieces, parts)
