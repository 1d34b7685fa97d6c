"""A trophy: a cup with two large handles like ears, on a stem and a square base with a plate.

It varies in height, in the width of cup and base, and in the size of the handles.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import box, box_part, revolve, round_parts, smooth, sweep, tube_parts, tube_rings
from tumble.draws import Draws

WALL = 0.014


def design(draws: Draws) -> Design:
    """A trophy with its handles along x."""
    base = draws.between(0.125, 0.14)
    plinth = draws.between(0.085, 0.1)
    stem = plinth + draws.between(0.08, 0.1)
    top = stem + draws.between(0.23, 0.3)
    cup = draws.between(0.145, 0.165)
    reach = draws.between(0.085, 0.105)
    size = top - stem
    outside = smooth(
        [(0.03, stem), (0.72 * cup, stem + 0.25 * size), (0.93 * cup, stem + 0.6 * size), (0.96 * cup, top - 0.03)]
    )
    inside = [(cup - WALL, top), (0.93 * cup - WALL, stem + 0.6 * size), (0.6 * cup, stem + 0.3 * size)]
    profile = [
        (0.0, plinth - 0.004),
        (0.085, plinth - 0.004),
        (0.075, plinth + 0.015),
        (0.03, plinth + 0.035),
        (0.024, stem - 0.025),
    ]
    profile += [
        (0.045, stem - 0.014),
        (0.045, stem - 0.004),
        *outside,
        (cup + 0.006, top - 0.012),
        (cup + 0.006, top),
        *inside,
    ]
    profile.append((0.0, stem + 0.2 * size))
    pieces = [
        Piece("base", box((-base, -base, 0.0), (base, base, 0.4 * plinth), 0.006)),
        Piece(
            "base", box((-0.82 * base, -0.82 * base, 0.4 * plinth - 0.002), (0.82 * base, 0.82 * base, plinth), 0.006)
        ),
        Piece("body", revolve(profile), 1.5),
    ]
    parts = [box_part((-base, -base, 0.0), (base, base, 0.4 * plinth))]
    parts.append(box_part((-0.82 * base, -0.82 * base, 0.4 * plinth), (0.82 * base, 0.82 * base, plinth)))
    parts += round_parts(
        [
            (0.082, plinth),
            (0.074, plinth + 0.016),
            (0.03, plinth + 0.035),
            (0.04, stem),
            (0.72 * cup, stem + 0.25 * size),
            (cup, top),
        ]
    )
    for side in (-1.0, 1.0):
        path = smooth(
            [
                (side * 0.955 * cup, 0.0, top - 0.05),
                (side * (cup + 0.6 * reach), 0.0, top - 0.02),
                (side * (cup + reach), 0.0, top - 0.3 * size),
                (side * (cup + 0.4 * reach), 0.0, stem + 0.42 * size),
                (side * 0.7 * cup, 0.0, stem + 0.25 * size),
            ]
        )
        pieces.append(Piece("handle", sweep(path, (0.014, 0.018))))
        parts += tube_parts(tube_rings(path, (0.014, 0.018)), 4)
    return Design(pieces, parts)
