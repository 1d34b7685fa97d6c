"""A table lamp: a heavy round foot, a thin stem and a wide shade, narrower at the top, with the bulb inside.

It varies in height, in the widths of foot and shade, in the slope of the shade, and in whether the stem has a belly.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import revolve, round_parts, smooth
from tumble.draws import Draws

WALL = 0.01


def design(draws: Draws) -> Design:
    """A lamp."""
    foot = draws.between(0.13, 0.145)
    wide = draws.between(0.18, 0.2)
    narrow = wide * draws.between(0.42, 0.72)
    start = draws.between(0.27, 0.31)
    top = start + draws.between(0.2, 0.24)
    belly = draws.one_of([0.018, 0.05, 0.06])
    foot_profile = [(0.0, 0.0), (foot, 0.0), (foot, 0.018), (foot - 0.012, 0.03), (0.045, 0.042), (0.0, 0.042)]
    stem = smooth([(0.018, 0.04), (0.018, 0.06), (belly, 0.13), (0.018, 0.22), (0.014, start + 0.06)])
    bulb = smooth([(0.016, start + 0.05), (0.05, start + 0.11), (0.035, start + 0.15)])
    shade = [(wide - WALL, start), (wide, start), (narrow, top), (narrow - WALL, top)]
    pieces = [
        Piece("body", revolve(foot_profile)),
        Piece("body", revolve([(0.0, 0.035), *stem, (0.0, start + 0.06)], 16), 2.0),
        Piece("bulb", revolve([(0.0, start + 0.05), *bulb, (0.0, start + 0.16)], 16), 0.2),
        Piece("shade", revolve(shade, 40), 0.7),
    ]
    parts = round_parts([(foot, 0.0), (foot, 0.024), (0.045, 0.042)]) + round_parts([(wide, start), (narrow, top)])
    parts += round_parts(
        [(0.02, 0.042), (belly, 0.115), (belly, 0.145), (0.018, 0.22), (0.018, start)]
        if belly > 0.02
        else [(0.02, 0.042), (0.02, start)]
    )
    return Design(pieces, parts)
