"""Where two shapes touch: the manifolds of circles and polygons, and their points in world coordinates.

Polygons are compared along their face normals (separating axis theorem); the face with the greatest separation is the
reference, and the opposite (incident) edge is clipped to its sides.
"""

import warp as wp

from tumble.engine.state.bodies import Outline, vertex_at, vertex_position
from tumble.engine.state.constants import EPSILON, EPSILON_SQUARED, FLIP_FACTOR, FLIP_MARGIN, HUGE
from tumble.engine.state.contacts import Manifold
from tumble.engine.state.geometry import (
    Transform,
    length_squared,
    midpoint,
    normalized,
    right_normal,
    rotate,
    to_local,
    to_world,
    unrotate,
)
from tumble.engine.state.layout import CIRCLES, FACE_A, FACE_B

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FACE_FEATURE = 1 << 16
"""In a key: the reference side's feature is a face, the other side's a vertex; without it, the other way round.

Bits 0 to 7 hold the index of A's feature, bits 8 to 15 that of B's."""


@wp.func
def no_contact(kind: int) -> Manifold:
    nothing = wp.vec2(0.0, 0.0)
    return Manifold(0, kind, nothing, nothing, nothing, nothing, 0, 0)


@wp.func
def one_point(kind: int, normal: wp.vec2, reference: wp.vec2, point: wp.vec2, features: int) -> Manifold:
    return Manifold(1, kind, normal, reference, point, wp.vec2(0.0, 0.0), features, 0)


@wp.func
def collide_circles(
    centre_a: wp.vec2, transform_a: Transform, centre_b: wp.vec2, transform_b: Transform, radius: float
) -> Manifold:
    """Two circles; `radius` is the sum of their radii. Their centres are the reference and the point."""
    d = to_world(transform_b, centre_b) - to_world(transform_a, centre_a)
    if length_squared(d) > radius * radius:
        return no_contact(CIRCLES)
    return one_point(CIRCLES, wp.vec2(0.0, 0.0), centre_a, centre_b, 0)


@wp.func
def collide_polygon_circle(
    pack: wp.uint64,
    polygon: Outline,
    transform_a: Transform,
    centre: wp.vec2,
    transform_b: Transform,
    radius: float,
) -> Manifold:
    """A polygon A and a circle B; `radius` is the sum of the polygon's skin and the circle's radius."""
    c = to_local(transform_a, to_world(transform_b, centre))
    # the face with the greatest separation of the circle's centre
    separation = float(-HUGE)
    face = int(0)
    for k in range(polygon.count):
        vertex = vertex_at(pack, polygon.first + k)
        s = wp.dot(vertex.normal, c - vertex.position)
        if s > radius:
            return no_contact(FACE_A)
        if s > separation:
            separation = s
            face = k
    face_end = face + 1
    if face_end == polygon.count:
        face_end = int(0)
    start = vertex_at(pack, polygon.first + face)
    v1 = start.position
    v2 = vertex_position(pack, polygon.first + face_end)
    if separation < EPSILON:  # the centre is inside
        return one_point(FACE_A, start.normal, midpoint(v1, v2), centre, 0)
    # beside the face, beyond one of its vertices, or before it
    along_1 = wp.dot(c - v1, v2 - v1)
    along_2 = wp.dot(c - v2, v1 - v2)
    if along_1 <= 0.0 or along_2 <= 0.0:
        nearest = v1
        if along_1 > 0.0:
            nearest = v2
        out = c - nearest
        if length_squared(out) > radius * radius:
            return no_contact(FACE_A)
        return one_point(FACE_A, normalized(out), nearest, centre, 0)
    middle = midpoint(v1, v2)
    if wp.dot(c - middle, start.normal) > radius:
        return no_contact(FACE_A)
    return one_point(FACE_A, start.normal, middle, centre, 0)


@wp.struct
class Face:
    """A face of one polygon, as another one sees it."""

    start: wp.vec2  # of the face, in world coordinates
    normal: wp.vec2
    local_normal: wp.vec2  # in the other polygon's coordinates
    depth: float  # of the other's deepest vertex so far, less a constant
    deepest: int  # that vertex


@wp.func
def face_of(pack: wp.uint64, polygon: Outline, transform: Transform, face: int, other: Transform) -> Face:
    start = vertex_at(pack, polygon.first + face)
    n = rotate(transform, start.normal)
    return Face(to_world(transform, start.position), n, unrotate(other, n), HUGE, 0)


@wp.func
def with_vertex(face: Face, vertex: wp.vec2, index: int) -> Face:
    """The face after one more vertex of the other polygon."""
    d = wp.dot(vertex, face.local_normal)
    if d < face.depth:
        face.depth = d
        face.deepest = index
    return face


@wp.func
def separation_of(pack: wp.uint64, face: Face, other: Outline, transform: Transform) -> float:
    """The distance of the other polygon's deepest vertex from the face (negative: behind it)."""
    v = vertex_position(pack, other.first + face.deepest)
    return wp.dot(to_world(transform, v) - face.start, face.normal)


@wp.func(inline=False)
def face_separation(
    pack: wp.uint64,
    polygon_1: Outline,
    transform_1: Transform,
    face: int,
    polygon_2: Outline,
    transform_2: Transform,
) -> float:
    """How far polygon 2 is from a face of polygon 1."""
    one = face_of(pack, polygon_1, transform_1, face, transform_2)
    for k in range(polygon_2.count):
        one = with_vertex(one, vertex_position(pack, polygon_2.first + k), k)
    return separation_of(pack, one, polygon_2, transform_2)


@wp.func(inline=False)
def three_separations(
    pack: wp.uint64,
    polygon_1: Outline,
    transform_1: Transform,
    before: int,
    face: int,
    after: int,
    polygon_2: Outline,
    transform_2: Transform,
) -> tuple[float, float, float]:
    """The same for three faces, which do not wait for each other."""
    one = face_of(pack, polygon_1, transform_1, before, transform_2)
    two = face_of(pack, polygon_1, transform_1, face, transform_2)
    three = face_of(pack, polygon_1, transform_1, after, transform_2)
    for k in range(polygon_2.count):
        v = vertex_position(pack, polygon_2.first + k)
        one = with_vertex(one, v, k)
        two = with_vertex(two, v, k)
        three = with_vertex(three, v, k)
    return (
        separation_of(pack, one, polygon_2, transform_2),
        separation_of(pack, two, polygon_2, transform_2),
        separation_of(pack, three, polygon_2, transform_2),
    )


@wp.struct
class Climb:
    """Where the climb to the face with the greatest separation is."""

    face: int
    separation: float
    increment: int  # to the next face, or 0 at the top


@wp.func
def climb_from(
    count: int, face: int, before: int, after: int, separation: float, separation_before: float, separation_after: float
) -> Climb:
    """The first step of the climb."""
    if separation_before > separation and separation_before > separation_after:
        return Climb(before, separation_before, count - 1)
    if separation_after > separation:
        return Climb(after, separation_after, 1)
    return Climb(face, separation, 0)


@wp.func(inline=False)
def max_separation(
    pack: wp.uint64,
    polygon_1: Outline,
    transform_1: Transform,
    centroid_1: wp.vec2,
    polygon_2: Outline,
    transform_2: Transform,
    centroid_2: wp.vec2,
) -> tuple[int, float]:
    """The face of polygon 1 with the greatest separation from polygon 2, and that separation.

    A hill climb from the face that points most towards the centroid of polygon 2; where faces are equal, its start and
    the side that it tries first decide.
    """
    d = unrotate(transform_1, to_world(transform_2, centroid_2) - to_world(transform_1, centroid_1))
    face = int(0)
    most = float(-HUGE)
    for k in range(polygon_1.count):
        towards = wp.dot(vertex_at(pack, polygon_1.first + k).normal, d)
        face = wp.where(towards > most, k, face)
        most = wp.max(most, towards)
    before = wp.where(face == 0, polygon_1.count, face) - 1
    after = wp.where(face + 1 == polygon_1.count, 0, face + 1)
    s_before, s_face, s_after = three_separations(
        pack, polygon_1, transform_1, before, face, after, polygon_2, transform_2
    )
    climb = climb_from(polygon_1.count, face, before, after, s_face, s_before, s_after)
    while climb.increment != 0:
        following = (climb.face + climb.increment) % polygon_1.count
        separation = face_separation(pack, polygon_1, transform_1, following, polygon_2, transform_2)
        if separation > climb.separation:
            climb.face = following
            climb.separation = separation
        else:
            climb.increment = 0
    return climb.face, climb.separation


@wp.func
def clip(
    p0: wp.vec2, key0: int, p1: wp.vec2, key1: int, normal: wp.vec2, offset: float, vertex: int
) -> tuple[int, wp.vec2, int, wp.vec2, int]:
    """The part of a segment behind the line dot(normal, p) = offset: the number of its ends, and these.

    An end that was cut off gets the key of the reference `vertex` at that side.
    """
    d0 = wp.dot(normal, p0) - offset
    d1 = wp.dot(normal, p1) - offset
    count = int(0)
    a = p0
    b = p1
    key_a = key0
    key_b = key1
    if d0 <= 0.0:
        count = int(1)
    if d1 <= 0.0:
        if count == 0:
            a = p1
            key_a = key1
        count = count + 1
    if d0 * d1 < 0.0:
        t = d0 / (d0 - d1)
        b = wp.vec2(p0[0] + t * (p1[0] - p0[0]), p0[1] + t * (p1[1] - p0[1]))
        key_b = vertex | (key0 & 0xFF00)
        count = count + 1
    return count, a, key_a, b, key_b


@wp.func
def flipped_key(key: int) -> int:
    """The key with A and B exchanged."""
    swapped = ((key & 0xFF) << 8) | ((key >> 8) & 0xFF)
    if (key & FACE_FEATURE) != 0:
        return swapped
    return swapped | FACE_FEATURE


@wp.func(inline=False)
def collide_polygons(
    pack: wp.uint64,
    polygon_a: Outline,
    transform_a: Transform,
    centroid_a: wp.vec2,
    polygon_b: Outline,
    transform_b: Transform,
    centroid_b: wp.vec2,
    radius: float,
) -> Manifold:
    """Two polygons; `radius` is the sum of their skins."""
    face_a, separation_a = max_separation(pack, polygon_a, transform_a, centroid_a, polygon_b, transform_b, centroid_b)
    if separation_a > radius:
        return no_contact(FACE_A)
    face_b, separation_b = max_separation(pack, polygon_b, transform_b, centroid_b, polygon_a, transform_a, centroid_a)
    if separation_b > radius:
        return no_contact(FACE_A)

    # polygon 1 has the reference face, polygon 2 the incident edge
    kind = int(FACE_A)
    first_1 = polygon_a.first
    count_1 = polygon_a.count
    transform_1 = transform_a
    face = face_a
    first_2 = polygon_b.first
    count_2 = polygon_b.count
    transform_2 = transform_b
    if separation_b > FLIP_FACTOR * separation_a + FLIP_MARGIN:
        kind = int(FACE_B)
        first_1 = polygon_b.first
        count_1 = polygon_b.count
        transform_1 = transform_b
        face = face_b
        first_2 = polygon_a.first
        count_2 = polygon_a.count
        transform_2 = transform_a

    # the incident edge is the one whose normal is most opposed to that of the reference face
    start = vertex_at(pack, first_1 + face)
    local_n = unrotate(transform_2, rotate(transform_1, start.normal))
    incident = int(0)
    lowest = float(HUGE)
    for k in range(count_2):
        d = wp.dot(local_n, vertex_at(pack, first_2 + k).normal)
        if d < lowest:
            lowest = d
            incident = k
    incident_end = incident + 1
    if incident_end == count_2:
        incident_end = int(0)
    p1 = to_world(transform_2, vertex_position(pack, first_2 + incident))
    p2 = to_world(transform_2, vertex_position(pack, first_2 + incident_end))

    face_end = face + 1
    if face_end == count_1:
        face_end = int(0)
    v1 = start.position
    v2 = vertex_position(pack, first_1 + face_end)
    local_tangent = normalized(v2 - v1)
    local_normal = right_normal(local_tangent)
    tangent = rotate(transform_1, local_tangent)
    normal = right_normal(tangent)
    w1 = to_world(transform_1, v1)
    w2 = to_world(transform_1, v2)
    front = wp.dot(normal, w1)

    # clip the incident edge to the two sides of the reference face, grown by the skins
    key_1 = face | (incident << 8) | FACE_FEATURE
    key_2 = face | (incident_end << 8) | FACE_FEATURE
    left = radius - wp.dot(tangent, w1)
    count_left, left_a, key_left_a, left_b, key_left_b = clip(p1, key_1, p2, key_2, -tangent, left, face)
    if count_left < 2:
        return no_contact(kind)
    right = wp.dot(tangent, w2) + radius
    count_right, a, key_a, b, key_b = clip(left_a, key_left_a, left_b, key_left_b, tangent, right, face_end)
    if count_right < 2:
        return no_contact(kind)
    if kind == FACE_B:
        key_a = flipped_key(key_a)
        key_b = flipped_key(key_b)

    # keep the points that are within the skins of the reference face
    reference = midpoint(v1, v2)
    near_a = wp.dot(normal, a) - front <= radius
    near_b = wp.dot(normal, b) - front <= radius
    local_a = to_local(transform_2, a)
    local_b = to_local(transform_2, b)
    if near_a and near_b:
        return Manifold(2, kind, local_normal, reference, local_a, local_b, key_a, key_b)
    if near_a:
        return one_point(kind, local_normal, reference, local_a, key_a)
    if near_b:
        return one_point(kind, local_normal, reference, local_b, key_b)
    return no_contact(kind)


@wp.func
def between_surfaces(p: wp.vec2, plane: wp.vec2, normal: wp.vec2, radius_1: float, radius_2: float) -> wp.vec2:
    """The point midway between the surface of a reference face and that of a clipped point p, skins included."""
    to_surface = radius_1 - wp.dot(p - plane, normal)
    on_1 = wp.vec2(p[0] + to_surface * normal[0], p[1] + to_surface * normal[1])
    on_2 = wp.vec2(p[0] - radius_2 * normal[0], p[1] - radius_2 * normal[1])
    return midpoint(on_1, on_2)


@wp.func
def world_manifold(
    m: Manifold, transform_a: Transform, radius_a: float, transform_b: Transform, radius_b: float
) -> tuple[wp.vec2, wp.vec2, wp.vec2]:
    """The normal from A to B and the two points of a manifold, in world coordinates."""
    if m.kind == CIRCLES:
        centre_a = to_world(transform_a, m.reference)
        centre_b = to_world(transform_b, m.point_1)
        n = wp.vec2(1.0, 0.0)
        d = centre_b - centre_a
        if length_squared(d) > EPSILON_SQUARED:
            n = normalized(d)
        on_a = wp.vec2(centre_a[0] + radius_a * n[0], centre_a[1] + radius_a * n[1])
        on_b = wp.vec2(centre_b[0] - radius_b * n[0], centre_b[1] - radius_b * n[1])
        middle = midpoint(on_a, on_b)
        return n, middle, middle
    if m.kind == FACE_A:
        normal_a = rotate(transform_a, m.normal)
        plane_a = to_world(transform_a, m.reference)
        p1 = between_surfaces(to_world(transform_b, m.point_1), plane_a, normal_a, radius_a, radius_b)
        p2 = between_surfaces(to_world(transform_b, m.point_2), plane_a, normal_a, radius_a, radius_b)
        return normal_a, p1, p2
    normal_b = rotate(transform_b, m.normal)
    plane_b = to_world(transform_b, m.reference)
    q1 = between_surfaces(to_world(transform_a, m.point_1), plane_b, normal_b, radius_b, radius_a)
    q2 = between_surfaces(to_world(transform_a, m.point_2), plane_b, normal_b, radius_b, radius_a)
    return -normal_b, q1, q2


@wp.func
def point_separation(
    m: Manifold, point: wp.vec2, transform_a: Transform, radius_a: float, transform_b: Transform, radius_b: float
) -> tuple[wp.vec2, wp.vec2, float]:
    """The normal from A to B at a manifold point, where it lies, and the separation there (negative: overlap)."""
    if m.kind == CIRCLES:
        centre_a = to_world(transform_a, m.reference)
        centre_b = to_world(transform_b, point)
        n = normalized(centre_b - centre_a)
        s = wp.dot(centre_b - centre_a, n) - radius_a - radius_b
        return n, midpoint(centre_a, centre_b), s
    if m.kind == FACE_A:
        normal_a = rotate(transform_a, m.normal)
        on_b = to_world(transform_b, point)
        s_a = wp.dot(on_b - to_world(transform_a, m.reference), normal_a) - radius_a - radius_b
        return normal_a, on_b, s_a
    normal_b = rotate(transform_b, m.normal)
    on_a = to_world(transform_a, point)
    s_b = wp.dot(on_a - to_world(transform_b, m.reference), normal_b) - radius_a - radius_b
    return -normal_b, on_a, s_b
