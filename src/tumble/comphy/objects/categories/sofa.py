"""A sofa: two or three thick cushions between arms, before a back, on short feet.

It varies in width, depth, in the heights of seat, arms and back, and in the number of cushions.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import box, box_part
from tumble.draws import Draws

FOOT = 0.03


def design(draws: Draws) -> Design:
    """A sofa that looks along -y."""
    half = draws.between(0.25, 0.27)
    deep = draws.between(0.125, 0.14)
    seat = draws.between(0.155, 0.175)
    arm = seat + draws.between(0.05, 0.075)
    top = seat + draws.between(0.14, 0.18)
    cushions = draws.one_of([2, 2, 3])
    arm_width, back_depth, cushion = 0.065, 0.08, 0.06
    inner, behind = half - arm_width, deep - back_depth
    pieces = [
        Piece("body", box((-inner - 0.01, -deep + 0.006, FOOT), (inner + 0.01, deep - 0.01, seat - cushion), 0.006))
    ]
    pieces.append(Piece("body", box((-half + 0.02, behind, FOOT), (half - 0.02, deep, top), 0.02)))
    parts = [
        box_part((-half, -deep, FOOT), (half, deep, seat)),
        box_part((-half + 0.02, behind, seat), (half - 0.02, deep, top)),
    ]
    parts.append(box_part((-inner, behind - 0.035, seat), (inner, behind, top - 0.02)))
    for side in (-1.0, 1.0):
        x = sorted((side * half, side * inner))
        pieces.append(Piece("body", box((x[0], -deep, FOOT), (x[1], deep, arm), 0.018)))
        parts.append(box_part((x[0], -deep, seat), (x[1], deep, arm)))
        for y in (-deep + 0.03, deep - 0.03):
            centre = side * (half - 0.03)
            low, high = (centre - 0.015, y - 0.015, 0.0), (centre + 0.015, y + 0.015, FOOT + 0.004)
            pieces.append(Piece("legs", box(low, high, 0.002)))
            parts.append(box_part(low, high))
    width = 2.0 * inner / cushions
    for number in range(cushions):
        left = -inner + number * width
        pieces.append(
            Piece(
                "cushions",
                box((left + 0.002, -deep, seat - cushion), (left + width - 0.002, behind + 0.02, seat), 0.018),
            )
        )
        rest = (left + 0.004, behind - 0.035, seat - 0.006), (left + width - 0.004, behind + 0.01, top - 0.02)
        pieces.append(Piece("cushions", box(*rest, 0.018)))
    return Design(pieces, parts)
