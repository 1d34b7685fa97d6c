"""A bowl: low, wide and open, with a round wall on a narrow foot.

It varies in width, height, in the width of its foot and in how steep its wall is at the rim.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import revolve, round_parts, smooth
from tumble.draws import Draws

WALL = 0.016


def design(draws: Draws) -> Design:
    """A bowl."""
    radius = draws.between(0.23, 0.26)
    height = draws.between(0.17, 0.215)
    foot = radius * draws.between(0.42, 0.5)
    low, high = draws.between(0.72, 0.78), draws.between(0.9, 0.94)
    outside = [(foot, 0.02), (low * radius, 0.3 * height), (high * radius, 0.62 * height), (radius, height)]
    inside = [(radius - WALL, height), (high * radius - WALL, 0.64 * height), (low * radius - WALL, 0.36 * height)]
    inside += [(0.5 * foot, 0.22 * height), (0.0, 0.2 * height)]
    profile = [(0.0, 0.0), (foot - 0.008, 0.0), *smooth(outside, 5), *smooth(inside, 5)[:-1], (0.0, 0.2 * height)]
    bands = round_parts([(foot, 0.0), (foot, 0.02)]) + round_parts(outside)
    return Design([Piece("body", revolve(profile, 40))], bands)
