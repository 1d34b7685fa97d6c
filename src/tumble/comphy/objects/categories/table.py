"""A table: a thin top, rectangular or round, on four legs that stand near its corners, with a frame below the top.

It varies in length, depth and height, in its kind of top and in the thickness of its legs.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import box, box_part, hull, loft, rectangle, revolve, round_parts
from tumble.draws import Draws

THICK = 0.032


def design(draws: Draws) -> Design:
    """A table with its long side along x."""
    height = draws.between(0.29, 0.34)
    leg = draws.between(0.016, 0.022)
    if draws.one_of([True, False, False]):
        radius = draws.between(0.25, 0.27)
        half_x = half_y = 0.68 * radius
        edge = 0.006
        rim = [
            (radius - edge, height - THICK),
            (radius, height - THICK + edge),
            (radius, height - edge),
            (radius - edge, height),
        ]
        top = revolve([(0.0, height - THICK), *rim, (0.0, height)], 40)
        parts = round_parts([(radius, height - THICK), (radius, height)])
    else:
        long, deep = draws.between(0.24, 0.26), draws.between(0.15, 0.175)
        low, high = (-long, -deep, height - THICK), (long, deep, height)
        half_x, half_y = long - 0.02, deep - 0.02
        top = box(low, high, 0.006)
        parts = [box_part(low, high)]
    pieces = [Piece("top", top)]
    below = height - THICK + 0.004
    frame = 0.035
    for y in (-half_y + leg, half_y - leg):
        pieces.append(Piece("legs", box((-half_x + leg, y - 0.01, below - frame), (half_x - leg, y + 0.01, below))))
    for x in (-half_x + leg, half_x - leg):
        pieces.append(Piece("legs", box((x - 0.01, -half_y + leg, below - frame), (x + 0.01, half_y - leg, below))))
    parts.append(box_part((-half_x + leg, -half_y + leg, below - frame), (half_x - leg, half_y - leg, below - 0.004)))
    for x in (-half_x + leg, half_x - leg):
        for y in (-half_y + leg, half_y - leg):
            outlines = [rectangle(x, y, 0.75 * leg, 0.75 * leg, 0.0), rectangle(x, y, leg, leg, below)]
            pieces.append(Piece("legs", loft(outlines), 2.0))
            parts.append(hull(loft(outlines).vertices))
    return Design(pieces, parts)
