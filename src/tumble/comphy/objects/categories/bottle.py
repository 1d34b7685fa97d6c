"""A bottle: a wide straight body with a label, round shoulders and a narrow neck with a rim and a cork.

It varies in height, width, in where the shoulders begin, in the length of the neck and in the size of the label.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import revolve, round_parts, smooth
from tumble.draws import Draws


def design(draws: Draws) -> Design:
    """A bottle."""
    radius = draws.between(0.115, 0.13)
    height = draws.between(0.5, 0.6)
    shoulder = height * draws.between(0.46, 0.58)
    neck = radius * draws.between(0.32, 0.38)
    start = shoulder + draws.between(0.1, 0.13)
    edge = 0.015
    shoulders = smooth(
        [
            (radius, shoulder),
            (0.88 * radius + 0.12 * neck, shoulder + 0.35 * (start - shoulder)),
            (0.35 * radius + 0.65 * neck, shoulder + 0.7 * (start - shoulder)),
            (neck, start),
        ]
    )
    rim = height - 0.045
    body = [
        (0.0, 0.0),
        (radius - edge, 0.0),
        (radius, edge),
        *shoulders,
        (neck, rim),
        (neck + 0.012, rim + 0.004),
        (neck + 0.012, rim + 0.028),
        (0.0, rim + 0.028),
    ]
    low, high = 0.16 * shoulder, shoulder * draws.between(0.78, 0.9)
    label = [(radius - 0.006, low), (radius + 0.003, low), (radius + 0.003, high), (radius - 0.006, high)]
    cork = [(0.0, rim), (0.75 * neck, rim), (0.75 * neck, height), (0.0, height)]
    pieces = [Piece("body", revolve(body)), Piece("label", revolve(label)), Piece("cork", revolve(cork, 16))]
    parts = round_parts([(radius, 0.0), (radius, shoulder)])
    middle = (0.62 * radius + 0.38 * neck, shoulder + 0.55 * (start - shoulder))
    parts += round_parts([(radius, shoulder), middle, (neck, start)])
    parts += round_parts([(neck, start), (neck, height)])
    return Design(pieces, parts)
