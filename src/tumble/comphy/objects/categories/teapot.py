"""A teapot: a round body on a low foot, with a lid and a knob, a curved spout and a handle opposite to it.

It varies in width and height, in the reach of spout and handle, and in the size of the knob.
"""

from tumble.comphy.objects.shape import Design, Piece
from tumble.comphy.objects.solids import arc, revolve, round_parts, smooth, sweep, tube_parts, tube_rings
from tumble.draws import Draws


def design(draws: Draws) -> Design:
    """A teapot with its spout along x."""
    radius = draws.between(0.165, 0.18)
    tall = radius * draws.between(0.78, 0.95)
    knob = draws.between(0.026, 0.032)
    reach = draws.between(0.11, 0.125)
    middle = 0.012 + tall
    foot = 0.6 * radius
    round_body = [(radius * c, middle + tall * s) for c, s in arc(-0.145, 0.19, 12)]
    lid_radius, lid_height = round_body[-1]
    body = [(0.0, 0.0), (foot, 0.0), (foot, 0.016), *round_body, (0.0, lid_height)]
    lid = [(0.0, lid_height - 0.01), (lid_radius + 0.006, lid_height - 0.004), (lid_radius + 0.006, lid_height + 0.008)]
    lid += [(lid_radius * c, lid_height + 0.008 + 0.03 * s) for c, s in arc(0.0, 0.2, 4)]
    top = lid_height + 0.038
    ball = [(knob * c, top + 0.8 * knob + knob * s) for c, s in arc(-0.22, 0.22, 8)]
    spout = smooth(
        [
            (0.82 * radius, 0.0, middle - 0.25 * tall),
            (radius + 0.45 * reach, 0.0, middle + 0.1 * tall),
            (radius + 0.7 * reach, 0.0, middle + 0.6 * tall),
            (radius + reach, 0.0, middle + 0.95 * tall),
        ]
    )
    widths = smooth([(0.055, 0.05), (0.038, 0.036), (0.026, 0.026), (0.022, 0.024)])
    handle = smooth(
        [
            (-0.70 * radius, 0.0, middle + 0.5 * tall),
            (-radius - 0.55 * reach, 0.0, middle + 0.72 * tall),
            (-radius - 0.95 * reach, 0.0, middle + 0.25 * tall),
            (-radius - 0.55 * reach, 0.0, middle - 0.3 * tall),
            (-0.82 * radius, 0.0, middle - 0.38 * tall),
        ]
    )
    pieces = [
        Piece("body", revolve(body)),
        Piece("lid", revolve([*lid, (0.0, top)])),
        Piece("lid", revolve([(0.0, top - 0.2 * knob), *ball, (0.0, top + 1.8 * knob)], 16)),
        Piece("body", sweep(spout, widths, sides=14)),
        Piece("handle", sweep(handle, (0.016, 0.022))),
    ]
    parts = round_parts(
        [(foot, 0.0), (0.9 * radius, middle - 0.42 * tall), (radius, middle), (0.9 * radius, middle + 0.44 * tall)]
    )
    parts += round_parts(
        [(0.9 * radius, middle + 0.44 * tall), (lid_radius, lid_height), (knob, top), (knob, top + 1.8 * knob)]
    )
    parts += tube_parts(tube_rings(spout, widths), 3) + tube_parts(tube_rings(handle, (0.016, 0.022)), 4)
    return Design(pieces, parts)
