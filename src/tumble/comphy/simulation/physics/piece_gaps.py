"""How far two pieces of objects are apart at least, seen from above, so that they need not be looked at for a while."""

import warp as wp

from tumble.comphy.simulation.physics.contacts import turn, turn_back
from tumble.comphy.simulation.physics.pieces import Pieces

wp.set_module_options({"enable_backward": False, "fuse_fp": True})

ENOUGH = wp.constant(wp.float64(0.02))
"""Gaps beyond this are not made more exact."""


@wp.func
def gap_from_sides(
    pieces: Pieces, p: int, q: int, offset: wp.vec2d, heading: wp.vec2d, enough: wp.float64
) -> wp.float64:
    """The largest distance of piece q from a side of polygon p, or one beyond `enough`; negative inside.

    Offset and heading of q are those in the axes of p.
    """
    best = wp.float64(-1.0e9)
    for k in range(pieces.count[p]):
        normal = pieces.normals[p, k]
        axis = turn_back(heading, normal)
        gap = wp.dot(axis, pieces.corners[q, 0])
        for other in range(1, pieces.count[q]):
            gap = wp.min(gap, wp.dot(axis, pieces.corners[q, other]))
        best = wp.max(best, gap + wp.dot(normal, offset - pieces.corners[p, k]) - pieces.radius[q])
        if best > enough:
            return best
    return best


@wp.func
def piece_gap(
    pieces: Pieces,
    p: int,
    a: wp.vec2d,
    heading_a: wp.vec2d,
    q: int,
    b: wp.vec2d,
    heading_b: wp.vec2d,
    least: wp.float64,
) -> wp.float64:
    """The distance of a piece of an object at a from one of an object at b, or less; negative if they might touch.

    Not more exact than is needed where it is larger than `least`.
    """
    middle_p, middle_q = a + turn(heading_a, pieces.middle[p]), b + turn(heading_b, pieces.middle[q])
    offset = middle_q - middle_p
    gap = wp.sqrt(wp.dot(offset, offset)) - pieces.bound[p] - pieces.bound[q]
    enough = wp.min(ENOUGH, least)
    if gap > enough or (pieces.count[p] == 1 and pieces.count[q] == 1):
        return gap
    if pieces.count[p] > 1:
        towards, angle = turn_back(heading_a, b - a), turn_back(heading_a, heading_b)
        gap = wp.max(gap, gap_from_sides(pieces, p, q, towards, angle, enough))
    if gap <= enough and pieces.count[q] > 1:
        towards, angle = turn_back(heading_b, a - b), turn_back(heading_b, heading_a)
        gap = wp.max(gap, gap_from_sides(pieces, q, p, towards, angle, enough))
    return gap
