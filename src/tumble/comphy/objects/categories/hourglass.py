"""An hourglass: two glass bulbs that meet at a narrow neck, between two plates that are joined by four posts.

It varies in height, in the width of plates and bulbs, and in the thickness of the posts.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import ConvexPart, circle, hull, loft, rectangle, revolve, round_parts, smooth
from tumble.draws import Draws

PLATE = 0.04
POSTS = 4


def design(draws: Draws) -> Design:
    """An hourglass."""
    height = draws.between(0.42, 0.52)
    plate = draws.between(0.165, 0.185)
    bulb = plate * draws.between(0.66, 0.74)
    post = draws.between(0.013, 0.017)
    middle = height / 2.0
    start, end = PLATE - 0.004, height - PLATE + 0.004
    half = middle - start
    lower = [(0.82 * bulb, start), (bulb, start + 0.25 * half), (0.72 * bulb, start + 0.62 * half), (0.022, middle)]
    upper = [(radius, height - z) for radius, z in lower[-2::-1]]
    curve = smooth([*lower, *upper])
    pieces = [Piece("glass", revolve([(0.0, start), *curve, (0.0, end)]), 0.6)]
    parts = round_parts(
        [(bulb, PLATE), (bulb, start + 0.3 * half), (0.03, middle), (bulb, end - 0.3 * half), (bulb, end)]
    )
    for low in (0.0, height - PLATE):
        edge = 0.008
        rim = [(plate - edge, low), (plate, low + edge), (plate, low + PLATE - edge), (plate - edge, low + PLATE)]
        pieces.append(Piece("frame", revolve([(0.0, low), *rim, (0.0, low + PLATE)])))
        parts += round_parts([(plate, low), (plate, low + PLATE)])
    column = revolve([(0.0, start), (post, start), (post, end), (0.0, end)], 12)
    for x, y in 0.84 * plate * circle(POSTS):
        pieces.append(Piece("frame", column.moved(x, y)))
        parts.append(_column(x, y, post, start, end))
    return Design(pieces, parts)


def _column(x: float, y: float, half: float, start: float, end: float) -> ConvexPart:
    return hull(loft([rectangle(x, y, half, half, start), rectangle(x, y, half, half, end)]).vertices)
