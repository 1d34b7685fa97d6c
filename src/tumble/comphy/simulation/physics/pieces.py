"""Where two pieces of objects touch, seen from above: polygons and discs; and how far they are apart at least.

Only sums, products, quotients and square roots, without fused operations, so that all machines give the same bits.
Pieces that are far apart need not be looked at for a while.
"""

import warp as wp

from tumble.comphy.simulation.physics.contacts import ONE, ZERO, Touch, turn, turn_back

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

NEARLY = wp.constant(wp.float64(1.0e-9))


@wp.struct
class Pieces:
    """The pieces of all objects of a batch: [piece], in the axes of their object."""

    count: wp.array(dtype=int)
    """Corners; 1 for a disc."""
    corners: wp.array2d(dtype=wp.vec2d)
    """[piece, corner]."""
    normals: wp.array2d(dtype=wp.vec2d)
    """[piece, corner]: the outward normal of the side from a corner to the next."""
    radius: wp.array(dtype=wp.float64)
    """Of a disc; 0 for a polygon."""
    middle: wp.array(dtype=wp.vec2d)
    bound: wp.array(dtype=wp.float64)
    """Radius of a circle about the middle that contains the piece."""


@wp.func
def next_corner(pieces: Pieces, p: int, k: int) -> wp.vec2d:
    """The corner that follows a corner."""
    if k + 1 < pieces.count[p]:
        return pieces.corners[p, k + 1]
    return pieces.corners[p, 0]


@wp.func
def touch_two_discs(a: wp.vec2d, radius_a: wp.float64, b: wp.vec2d, radius_b: wp.float64) -> Touch:
    touch = Touch()
    offset = b - a
    distance = wp.sqrt(wp.dot(offset, offset))
    touch.gap_0 = distance - radius_a - radius_b
    if touch.gap_0 <= ZERO:
        touch.count = 1
        touch.normal = wp.vec2d(ONE, ZERO)
        if distance > ZERO:
            touch.normal = offset / distance
        touch.point_0 = a + touch.normal * radius_a
    return touch


@wp.func
def touch_polygon_disc(
    pieces: Pieces, p: int, place: wp.vec2d, heading: wp.vec2d, disc: wp.vec2d, radius: wp.float64
) -> Touch:
    """The polygon is the first piece."""
    touch = Touch()
    local = turn_back(heading, disc - place)
    best, side = wp.float64(-1.0e9), int(0)
    for k in range(pieces.count[p]):
        gap = wp.dot(pieces.normals[p, k], local - pieces.corners[p, k])
        if gap > radius:
            return touch
        if gap > best:
            best, side = gap, k
    start, end = pieces.corners[p, side], next_corner(pieces, p, side)
    normal = pieces.normals[p, side]
    nearest = local - normal * best
    touch.gap_0 = best - radius
    if best > ZERO:
        before, after = wp.dot(local - start, end - start) < ZERO, wp.dot(local - end, start - end) < ZERO
        if before:
            nearest = wp.vec2d(start[0], start[1])
        if after:
            nearest = wp.vec2d(end[0], end[1])
        if before or after:
            offset = local - nearest
            distance = wp.sqrt(wp.dot(offset, offset))
            touch.gap_0 = distance - radius
            if distance > radius:
                return touch
            normal = offset / distance
    touch.count = 1
    touch.normal = turn(heading, normal)
    touch.point_0 = place + turn(heading, nearest)
    return touch


@wp.func
def farthest_side(pieces: Pieces, p: int, q: int, offset: wp.vec2d, heading: wp.vec2d) -> wp.vec2d:
    """(gap, side): the side of polygon p that polygon q is farthest from; the gap is negative where they overlap.

    Offset and heading of q are those in the axes of p.
    """
    best, side = wp.float64(-1.0e9), int(0)
    for k in range(pieces.count[p]):
        normal, corner = pieces.normals[p, k], pieces.corners[p, k]
        axis = turn_back(heading, normal)
        gap = wp.dot(axis, pieces.corners[q, 0])
        for other in range(1, pieces.count[q]):
            gap = wp.min(gap, wp.dot(axis, pieces.corners[q, other]))
        gap = gap + wp.dot(normal, offset - corner)
        if gap > best + NEARLY:
            best, side = gap, k
        if gap > ZERO:
            return wp.vec2d(best, wp.float64(side))
    return wp.vec2d(best, wp.float64(side))


@wp.func
def facing_side_of(pieces: Pieces, q: int, axis: wp.vec2d) -> int:
    """The side of a polygon whose normal is most opposite to an axis."""
    best, side = wp.float64(2.0), int(0)
    for k in range(pieces.count[q]):
        along = wp.dot(pieces.normals[q, k], axis)
        if along < best - NEARLY:
            best, side = along, k
    return side


@wp.func
def clip_side(
    pieces: Pieces, p: int, side: int, q: int, offset: wp.vec2d, heading: wp.vec2d, place: wp.vec2d, turned: wp.vec2d
) -> Touch:
    """Where the side of p touches the side of q that faces it, clipped to its width; its normal is that of p's side.

    Offset and heading of q are those in the axes of p, which is turned and at a place.
    """
    touch = Touch()
    normal, start, end = pieces.normals[p, side], pieces.corners[p, side], next_corner(pieces, p, side)
    other = facing_side_of(pieces, q, turn_back(heading, normal))
    end_0 = offset + turn(heading, pieces.corners[q, other])
    end_1 = offset + turn(heading, next_corner(pieces, q, other))
    tangent = wp.vec2d(-normal[1], normal[0])
    width = wp.dot(tangent, end - start)
    u_0, u_1 = wp.dot(tangent, end_0 - start), wp.dot(tangent, end_1 - start)
    step = u_1 - u_0
    if wp.abs(step) > wp.float64(1.0e-12):
        first = wp.clamp((wp.clamp(u_0, ZERO, width) - u_0) / step, ZERO, ONE)
        last = wp.clamp((wp.clamp(u_1, ZERO, width) - u_0) / step, ZERO, ONE)
        span = end_1 - end_0
        end_1 = end_0 + span * last
        end_0 = end_0 + span * first
    gap_0, gap_1 = wp.dot(normal, end_0 - start), wp.dot(normal, end_1 - start)
    if gap_0 > ZERO:
        end_0, gap_0 = end_1, gap_1
    else:
        touch.count = 1
    if gap_1 <= ZERO:
        touch.count += 1
    touch.normal = turn(turned, normal)
    touch.point_0 = place + turn(turned, end_0)
    touch.point_1 = place + turn(turned, end_1)
    touch.gap_0 = gap_0
    touch.gap_1 = gap_1
    return touch


@wp.func
def touch_polygons(
    pieces: Pieces, p: int, a: wp.vec2d, heading_a: wp.vec2d, q: int, b: wp.vec2d, heading_b: wp.vec2d
) -> Touch:
    """By separating axes."""
    one, other, place, heading = int(p), int(q), wp.vec2d(a[0], a[1]), wp.vec2d(heading_a[0], heading_a[1])
    offset, turned = turn_back(heading_a, b - a), turn_back(heading_a, heading_b)
    best, side, sign = wp.float64(-1.0e9), int(0), ONE
    for number in range(2):  # the sides of p, then those of q
        first, second, towards, angle = p, q, turn_back(heading_a, b - a), turn_back(heading_a, heading_b)
        if number == 1:
            first, second, towards, angle = q, p, turn_back(heading_b, a - b), turn_back(heading_b, heading_a)
        found = farthest_side(pieces, first, second, towards, angle)
        if found[0] > ZERO:
            return Touch()
        if found[0] > best + NEARLY:
            best, side = found[0], int(found[1])
            one, other, offset, turned = first, second, towards, angle
            if number == 1:
                place, heading, sign = b, heading_b, -ONE
    touch = clip_side(pieces, one, side, other, offset, turned, place, heading)
    touch.normal = touch.normal * sign
    return touch


@wp.func
def touch_pieces(
    pieces: Pieces, p: int, a: wp.vec2d, heading_a: wp.vec2d, q: int, b: wp.vec2d, heading_b: wp.vec2d
) -> Touch:
    """Where a piece of an object at a touches a piece of an object at b."""
    middle_p, middle_q = a + turn(heading_a, pieces.middle[p]), b + turn(heading_b, pieces.middle[q])
    offset, bound = middle_q - middle_p, pieces.bound[p] + pieces.bound[q]
    if wp.dot(offset, offset) > bound * bound:
        return Touch()
    if pieces.count[p] > 1 and pieces.count[q] > 1:
        return touch_polygons(pieces, p, a, heading_a, q, b, heading_b)
    if pieces.count[p] == 1 and pieces.count[q] == 1:
        return touch_two_discs(middle_p, pieces.radius[p], middle_q, pieces.radius[q])
    polygon, place, heading, disc, sign = int(p), a, heading_a, middle_q, ONE
    radius = wp.float64(pieces.radius[q])
    if pieces.count[p] == 1:
        polygon, place, heading, disc, sign = q, b, heading_b, middle_p, -ONE
        radius = wp.float64(pieces.radius[p])
    touch = touch_polygon_disc(pieces, polygon, place, heading, disc, radius)
    touch.normal = touch.normal * sign
    return touch


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
