"""The distance between two convex point sets, and which of their points are nearest: the GJK algorithm.

It searches the point of the Minkowski difference B - A that is nearest to the origin, by a simplex of up to three
differences of support points.
"""

import warp as wp

from tumble.engine.state.bodies import vertex_position
from tumble.engine.state.constants import EPSILON, EPSILON_SQUARED, MAX_GJK_ITERATIONS
from tumble.engine.state.geometry import Transform, cross, length, length_squared, right_normal, to_world, unrotate

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class PointSet:
    """The vertices of a polygon or the centre of a circle: `count` points in the pack, from `first` on."""

    first: int
    count: int


@wp.struct
class SimplexVertex:
    """A vertex of the simplex: a point of A, one of B, and their difference."""

    index_a: int
    index_b: int
    point_a: wp.vec2
    point_b: wp.vec2
    difference: wp.vec2  # point_b - point_a
    weight: float  # barycentric coordinate of the nearest point


@wp.struct
class Simplex:
    """The result of a search, from which the next one starts."""

    count: int
    metric: float  # length of the edge, where it has two vertices
    a1: int  # indices of the points
    a2: int
    b1: int
    b2: int


@wp.func
def point_of(pack: wp.uint64, points: PointSet, index: int) -> wp.vec2:
    return vertex_position(pack, points.first + index)


@wp.func(inline=False)
def support(pack: wp.uint64, points: PointSet, direction: wp.vec2) -> int:
    """The point that lies farthest in a direction; the first of equals."""
    best = int(0)
    farthest = wp.dot(point_of(pack, points, 0), direction)
    for k in range(1, points.count):
        reach = wp.dot(point_of(pack, points, k), direction)
        best = wp.where(reach > farthest, k, best)
        farthest = wp.max(farthest, reach)
    return best


@wp.func
def simplex_vertex(
    pack: wp.uint64,
    a: PointSet,
    transform_a: Transform,
    index_a: int,
    b: PointSet,
    transform_b: Transform,
    index_b: int,
) -> SimplexVertex:
    point_a = to_world(transform_a, point_of(pack, a, index_a))
    point_b = to_world(transform_b, point_of(pack, b, index_b))
    return SimplexVertex(index_a, index_b, point_a, point_b, point_b - point_a, 1.0)


@wp.func
def weighted(s: SimplexVertex, weight: float) -> SimplexVertex:
    s.weight = weight
    return s


@wp.func
def reduce_segment(s1: SimplexVertex, s2: SimplexVertex) -> tuple[int, SimplexVertex, SimplexVertex]:
    """The part of a segment nearest to the origin: the number of its vertices, and these."""
    e = s2.difference - s1.difference
    to_1 = -wp.dot(s1.difference, e)
    if to_1 <= 0.0:
        return 1, weighted(s1, 1.0), s2
    to_2 = wp.dot(s2.difference, e)
    if to_2 <= 0.0:
        return 1, weighted(s2, 1.0), s2
    scale = 1.0 / (to_2 + to_1)
    return 2, weighted(s1, to_2 * scale), weighted(s2, to_1 * scale)


@wp.func
def reduce_triangle(
    s1: SimplexVertex, s2: SimplexVertex, s3: SimplexVertex
) -> tuple[int, SimplexVertex, SimplexVertex]:
    """The part of a triangle nearest to the origin: the number of its vertices, and the first two of these.

    d12_1 is the barycentric coordinate of vertex 1 on edge 12, not divided by the edge's length squared; d123_1 that
    of vertex 1 in the triangle, not divided by its area. Their signs tell in which region the origin lies.
    """
    p1 = s1.difference
    p2 = s2.difference
    p3 = s3.difference
    e12 = p2 - p1
    d12_1 = wp.dot(p2, e12)
    d12_2 = -wp.dot(p1, e12)
    e13 = p3 - p1
    d13_1 = wp.dot(p3, e13)
    d13_2 = -wp.dot(p1, e13)
    e23 = p3 - p2
    d23_1 = wp.dot(p3, e23)
    d23_2 = -wp.dot(p2, e23)
    area = cross(e12, e13)
    d123_1 = area * cross(p2, p3)
    d123_2 = area * cross(p3, p1)
    d123_3 = area * cross(p1, p2)
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


@wp.struct
class SearchedSimplex:
    """The simplex while the search goes on."""

    count: int
    v1: SimplexVertex
    v2: SimplexVertex
    v3: SimplexVertex


@wp.func
def direction_to_origin(count: int, s1: SimplexVertex, s2: SimplexVertex) -> wp.vec2:
    """From a vertex towards the origin, or from a segment at right angles."""
    if count == 2:
        e = s2.difference - s1.difference
        if cross(e, -s1.difference) > 0.0:
            return wp.vec2(-e[1], e[0])
        return right_normal(e)
    return -s1.difference


@wp.func
def shape_distance(
    pack: wp.uint64,
    a: PointSet,
    transform_a: Transform,
    b: PointSet,
    transform_b: Transform,
    start: Simplex,
) -> tuple[float, Simplex]:
    """The distance between two point sets, and the simplex that shows it; `start` is the simplex of a nearby pose."""
    s = SearchedSimplex()
    s.count = start.count
    s.v1 = simplex_vertex(pack, a, transform_a, start.a1, b, transform_b, start.b1)
    s.v2 = simplex_vertex(pack, a, transform_a, start.a2, b, transform_b, start.b2)
    if s.count == 2:
        metric = length(s.v2.difference - s.v1.difference)
        if metric < 0.5 * start.metric or 2.0 * start.metric < metric or metric < EPSILON:
            s.count = 0  # too different from the pose of the start simplex
    if s.count == 0:
        s.v1 = simplex_vertex(pack, a, transform_a, 0, b, transform_b, 0)
        s.count = 1
    for _iteration in range(MAX_GJK_ITERATIONS):
        old_count = int(s.count)
        a1 = int(s.v1.index_a)
        b1 = int(s.v1.index_b)
        a2 = int(s.v2.index_a)
        b2 = int(s.v2.index_b)
        a3 = int(s.v3.index_a)
        b3 = int(s.v3.index_b)
        if old_count == 2:
            count_2, p1, p2 = reduce_segment(s.v1, s.v2)
            s.count = count_2
            s.v1 = p1
            s.v2 = p2
        elif old_count == 3:
            count_3, q1, q2 = reduce_triangle(s.v1, s.v2, s.v3)
            s.count = count_3
            s.v1 = q1
            s.v2 = q2
        if s.count == 3:
            break  # the origin is inside: the sets overlap
        direction = direction_to_origin(s.count, s.v1, s.v2)
        if length_squared(direction) < EPSILON_SQUARED:
            break  # the origin is on the simplex
        index_a = support(pack, a, unrotate(transform_a, -direction))
        index_b = support(pack, b, unrotate(transform_b, direction))
        if index_a == a1 and index_b == b1:
            break  # no point lies farther
        if old_count > 1 and index_a == a2 and index_b == b2:
            break
        if old_count > 2 and index_a == a3 and index_b == b3:
            break
        if s.count == 1:
            s.v2 = simplex_vertex(pack, a, transform_a, index_a, b, transform_b, index_b)
        else:
            s.v3 = simplex_vertex(pack, a, transform_a, index_a, b, transform_b, index_b)
        s.count = s.count + 1

    s1 = s.v1
    s2 = s.v2
    count = int(s.count)
    found = Simplex()
    found.count = count
    found.a1 = s1.index_a
    found.b1 = s1.index_b
    found.a2 = s2.index_a
    found.b2 = s2.index_b
    if count == 1:
        return length(s1.point_a - s1.point_b), found
    if count == 2:
        found.metric = length(s2.difference - s1.difference)
        # nearest points: p = weight_1 * point_1 + weight_2 * point_2, on A and on B
        x_a = s1.weight * s1.point_a[0] + s2.weight * s2.point_a[0]
        y_a = s1.weight * s1.point_a[1] + s2.weight * s2.point_a[1]
        x_b = s1.weight * s1.point_b[0] + s2.weight * s2.point_b[0]
        y_b = s1.weight * s1.point_b[1] + s2.weight * s2.point_b[1]
        return length(wp.vec2(x_a - x_b, y_a - y_b)), found
    return float(0.0), found
