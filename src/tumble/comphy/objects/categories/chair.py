"""A chair: a square seat on four legs, with a high back of slats or rails between two posts.

It varies in width, in the heights of seat and back, in the number of slats and in how far the legs are spread.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import box, box_part, hull, loft, rectangle
from tumble.draws import Draws


def design(draws: Draws) -> Design:
    """A chair that looks along -y."""
    half = draws.between(0.15, 0.175)
    seat = draws.between(0.25, 0.29)
    top = seat + draws.between(0.29, 0.34)
    spread = draws.between(0.0, 0.02)
    upright = draws.one_of([True, False])
    slats = draws.one_of([2, 3])
    thick, leg = 0.04, 0.02
    low, high = (-half, -half, seat - thick), (half, half, seat)
    pieces = [Piece("seat", box(low, high, 0.008), 1.0)]
    parts = [box_part(low, high)]
    corner = half - leg
    for x in (-corner, corner):
        for y in (-corner, corner):
            feet = 1.0 + spread / corner
            outlines = [
                rectangle(feet * x, feet * y, 0.8 * leg, 0.8 * leg, 0.0),
                rectangle(x, y, leg, leg, seat - thick + 0.004),
            ]
            pieces.append(Piece("legs", loft(outlines), 2.0))
            parts.append(hull(loft(outlines).vertices))
    back = half - 2.0 * leg
    for x in (-corner, corner):
        pieces.append(Piece("back", box((x - leg, back, seat - 0.004), (x + leg, half, top))))
    pieces.append(Piece("back", box((-corner, back + 0.006, top - 0.075), (corner, half - 0.006, top - 0.008))))
    for number in range(slats):
        if upright:
            x = corner * ((number + 1) * 2.0 / (slats + 1) - 1.0)
            low, high = (x - 0.022, back + 0.01, seat - 0.004), (x + 0.022, half - 0.01, top - 0.07)
        else:
            z = seat + (top - 0.075 - seat) * (number + 0.75) / (slats + 0.5)
            low, high = (-corner, back + 0.008, z - 0.02), (corner, half - 0.008, z + 0.02)
        pieces.append(Piece("back", box(low, high)))
    parts.append(box_part((-half, back, seat), (half, half, top)))
    return Design(pieces, parts)
