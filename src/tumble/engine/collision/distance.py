"""The distance between two convex point sets (GJK), and which of their points are nearest.

A point set is the corners of a polygon or the centre of a circle: `first` and `count` in the pack's vertices.
"""

import warp as wp

from tumble.engine.math.constants import EPSILON, EPSILON_SQUARED, MAX_GJK_ITERATIONS
from tumble.engine.math.vectors import cross, to_world, unrotate
from tumble.engine.state.memory import constant_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Corner:
    """A corner of the simplex: a point of A, one of B, and their difference."""

    on_a: wp.vec2
    on_b: wp.vec2
    w: wp.vec2
    weight: float
    index_a: int
    index_b: int


@wp.struct
class Simplex:
    """What the search ended with, to start the next search from."""

    count: int
    metric: float
    a1: int
    a2: int
    b1: int
    b2: int


@wp.func
def point_of(pack: wp.uint64, first: int, index: int) -> wp.vec2:
    v = constant_vec(pack, first + index)
    return wp.vec2(v[0], v[1])


@wp.func
def support(pack: wp.uint64, first: int, count: int, direction: wp.vec2) -> int:
    """The point that lies farthest in a direction; the first of equals."""
    best = int(0)
    farthest = wp.dot(point_of(pack, first, 0), direction)
    for k in range(1, count):
        reach = wp.dot(point_of(pack, first, k), direction)
        if reach > farthest:
            farthest = reach
            best = k
    return best


@wp.func
def corner_at(
    pack: wp.uint64,
    first_a: int,
    place_a: wp.vec4,
    index_a: int,
    first_b: int,
    place_b: wp.vec4,
    index_b: int,
) -> Corner:
    c = Corner()
    c.index_a = index_a
    c.index_b = index_b
    c.on_a = to_world(place_a, point_of(pack, first_a, index_a))
    c.on_b = to_world(place_b, point_of(pack, first_b, index_b))
    c.w = c.on_b - c.on_a
    c.weight = 1.0
    return c


@wp.func
def weighted(c: Corner, weight: float) -> Corner:
    c.weight = weight
    return c


@wp.func
def reduce_segment(s1: Corner, s2: Corner) -> tuple[int, Corner, Corner]:
    """The part of a segment nearest the origin, as (corners, corner 1, corner 2)."""
    e = s2.w - s1.w
    to_1 = -wp.dot(s1.w, e)
    if to_1 <= 0.0:
        return 1, weighted(s1, 1.0), s2
    to_2 = wp.dot(s2.w, e)
    if to_2 <= 0.0:
        return 1, weighted(s2, 1.0), s2
    scale = 1.0 / (to_2 + to_1)
    return 2, weighted(s1, to_2 * scale), weighted(s2, to_1 * scale)


@wp.func
def reduce_triangle(s1: Corner, s2: Corner, s3: Corner) -> tuple[int, Corner, Corner]:
    """The part of a triangle nearest the origin, as (corners, corner 1, corner 2)."""
    e12 = s2.w - s1.w
    d12_1 = wp.dot(s2.w, e12)
    d12_2 = -wp.dot(s1.w, e12)
    e13 = s3.w - s1.w
    d13_1 = wp.dot(s3.w, e13)
    d13_2 = -wp.dot(s1.w, e13)
    e23 = s3.w - s2.w
    d23_1 = wp.dot(s3.w, e23)
    d23_2 = -wp.dot(s2.w, e23)
    area = cross(e12, e13)
    d123_1 = area * cross(s2.w, s3.w)
    d123_2 = area * cross(s3.w, s1.w)
    d123_3 = area * cross(s1.w, s2.w)
    if d12_2 <= 0.0 and d13_2 <= 0.0:
        return 1, weighted(s1, 1.0), s2
    if d12_1 > 0.0 and d12_2 > 0.0 and d123_3 <= 0.0:
        scale_12 = 1.0 / (d12_1 + d12_2)
        return 2, weighted(s1, d12_1 * scale_12), weighted(s2, d12_2 * scale_12)
    if d13_1 > 0.0 and d13_2 > 0.0 and d123_2 <= 0.0:
        scale_13 = 1.0 / (d13_1 + d13_2)
        return 2, weighted(s1, d13_1 * scale_13), weighted(s3, d13_2 * scale_13)
    if d12_1 <= 0.0 and d23_2 <= 0.0:
        return 1, weighted(s2, 1.0), s2
    if d13_1 <= 0.0 and d23_1 <= 0.0:
        return 1, weighted(s3, 1.0), s2
    if d23_1 > 0.0 and d23_2 > 0.0 and d123_1 <= 0.0:
        scale_23 = 1.0 / (d23_1 + d23_2)
        return 2, weighted(s3, d23_2 * scale_23), weighted(s2, d23_1 * scale_23)
    return 3, s1, s2


@wp.func
def shape_distance(
    pack: wp.uint64,
    first_a: int,
    count_a: int,
    place_a: wp.vec4,
    first_b: int,
    count_b: int,
    place_b: wp.vec4,
    start: Simplex,
) -> tuple[float, Simplex]:
    """The distance between two point sets, and the simplex that shows it; `start` is the simplex of a nearby pose."""
    s1 = corner_at(pack, first_a, place_a, start.a1, first_b, place_b, start.b1)
    s2 = corner_at(pack, first_a, place_a, start.a2, first_b, place_b, start.b2)
    s3 = s1
    count = int(start.count)
    if count == 2:
        gap = s2.w - s1.w
        metric = wp.sqrt(gap[0] * gap[0] + gap[1] * gap[1])
        if metric < 0.5 * start.metric or 2.0 * start.metric < metric or metric < EPSILON:
            count = int(0)
    if count == 0:
        s1 = corner_at(pack, first_a, place_a, 0, first_b, place_b, 0)
        count = int(1)
    for _iteration in range(MAX_GJK_ITERATIONS):
        kept = count
        a1 = s1.index_a
        b1 = s1.index_b
        a2 = s2.index_a
        b2 = s2.index_b
        a3 = s3.index_a
        b3 = s3.index_b
        if count == 2:
            count, s1, s2 = reduce_segment(s1, s2)
        elif count == 3:
            count, s1, s2 = reduce_triangle(s1, s2, s3)
        if count == 3:
            break
        towards = -s1.w
        if count == 2:
            e = s2.w - s1.w
            towards = wp.vec2(e[1], -e[0])
            if cross(e, -s1.w) > 0.0:
                towards = wp.vec2(-e[1], e[0])
        if towards[0] * towards[0] + towards[1] * towards[1] < EPSILON_SQUARED:
            break
        index_a = support(pack, first_a, count_a, unrotate(place_a, -towards))
        index_b = support(pack, first_b, count_b, unrotate(place_b, towards))
        known = index_a == a1 and index_b == b1
        if kept > 1 and index_a == a2 and index_b == b2:
            known = True
        if kept > 2 and index_a == a3 and index_b == b3:
            known = True
        fresh = corner_at(pack, first_a, place_a, index_a, first_b, place_b, index_b)
        # without the second corner known, the slot after the last corner takes the new one
        if known:
            break
        if count == 1:
            s2 = fresh
        else:
            s3 = fresh
        count = count + 1

    found = Simplex()
    found.count = count
    found.a1 = s1.index_a
    found.b1 = s1.index_b
    found.a2 = s2.index_a
    found.b2 = s2.index_b
    if count == 1:
        x = s1.on_a[0] - s1.on_b[0]
        y = s1.on_a[1] - s1.on_b[1]
        return wp.sqrt(x * x + y * y), found
    if count == 2:
        edge = s2.w - s1.w
        found.metric = wp.sqrt(edge[0] * edge[0] + edge[1] * edge[1])
        px = (s1.weight * s1.on_a[0] + s2.weight * s2.on_a[0]) - (s1.weight * s1.on_b[0] + s2.weight * s2.on_b[0])
        py = (s1.weight * s1.on_a[1] + s2.weight * s2.on_a[1]) - (s1.weight * s1.on_b[1] + s2.weight * s2.on_b[1])
        return wp.sqrt(px * px + py * py), found
    return float(0.0), found
