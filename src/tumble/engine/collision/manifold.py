"""Where two shapes touch: up to two points with a common normal, in the coordinates of the bodies.

Each function returns (points, kind, axis, locals, key 1, key 2): the number of points; whose face they refer to; the
local normal and local reference point; the two local points; and a key per point that names the features that made
it, by which impulses are carried over from step to step.
"""

import warp as wp

from tumble.engine.math.constants import EPSILON, EPSILON_SQUARED, FLIP_FACTOR, FLIP_MARGIN, HUGE
from tumble.engine.math.vectors import length_squared, normalized, right_normal, rotate, to_local, to_world, unrotate
from tumble.engine.state.layout import CIRCLES, FACE_A, FACE_B
from tumble.engine.state.memory import constant_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FACE_FEATURE = 1 << 16
"""In a key: the reference side's feature is a face, the other side's a vertex; without it, the other way round."""


@wp.func
def collide_circles(
    centre_a: wp.vec2, place_a: wp.vec4, centre_b: wp.vec2, place_b: wp.vec4, radius: float
) -> tuple[int, int, wp.vec4, wp.vec4, int, int]:
    """Two circles; `radius` is the sum of their radii."""
    between = to_world(place_b, centre_b) - to_world(place_a, centre_a)
    axis = wp.vec4(0.0, 0.0, centre_a[0], centre_a[1])
    points = wp.vec4(centre_b[0], centre_b[1], 0.0, 0.0)
    count = int(1)
    if length_squared(between) > radius * radius:
        count = int(0)
    return count, CIRCLES, axis, points, 0, 0


@wp.func
def collide_polygon_circle(
    pack: wp.uint64,
    first: int,
    corners: int,
    place_a: wp.vec4,
    centre: wp.vec2,
    place_b: wp.vec4,
    radius: float,
) -> tuple[int, int, wp.vec4, wp.vec4, int, int]:
    """A polygon A and a circle B; `radius` is the sum of the polygon's skin and the circle's radius."""
    c = to_local(place_a, to_world(place_b, centre))
    points = wp.vec4(centre[0], centre[1], 0.0, 0.0)
    axis = wp.vec4(0.0, 0.0, 0.0, 0.0)
    best = float(-HUGE)
    edge = int(0)
    for k in range(corners):
        corner = constant_vec(pack, first + k)
        s = corner[2] * (c[0] - corner[0]) + corner[3] * (c[1] - corner[1])
        if s > radius:
            return 0, FACE_A, axis, points, 0, 0
        if s > best:
            best = s
            edge = k
    face = constant_vec(pack, first + edge)
    after = edge + 1
    if after == corners:
        after = int(0)
    end = constant_vec(pack, first + after)
    v1 = wp.vec2(face[0], face[1])
    v2 = wp.vec2(end[0], end[1])
    if best < EPSILON:
        axis = wp.vec4(face[2], face[3], 0.5 * (v1[0] + v2[0]), 0.5 * (v1[1] + v2[1]))
        return 1, FACE_A, axis, points, 0, 0
    along_1 = wp.dot(c - v1, v2 - v1)
    along_2 = wp.dot(c - v2, v1 - v2)
    if along_1 <= 0.0 or along_2 <= 0.0:
        nearest = v1
        if along_1 > 0.0:
            nearest = v2
        out = c - nearest
        if length_squared(out) > radius * radius:
            return 0, FACE_A, axis, points, 0, 0
        n = normalized(out)
        axis = wp.vec4(n[0], n[1], nearest[0], nearest[1])
        return 1, FACE_A, axis, points, 0, 0
    middle = wp.vec2(0.5 * (v1[0] + v2[0]), 0.5 * (v1[1] + v2[1]))
    if (c[0] - middle[0]) * face[2] + (c[1] - middle[1]) * face[3] > radius:
        return 0, FACE_A, axis, points, 0, 0
    axis = wp.vec4(face[2], face[3], middle[0], middle[1])
    return 1, FACE_A, axis, points, 0, 0


@wp.func
def face_gap(
    pack: wp.uint64,
    first_1: int,
    place_1: wp.vec4,
    face: int,
    first_2: int,
    corners_2: int,
    place_2: wp.vec4,
) -> float:
    """How far polygon 2 lies before a face of polygon 1 (negative: behind it)."""
    start = constant_vec(pack, first_1 + face)
    n = rotate(place_1, wp.vec2(start[2], start[3]))
    local = unrotate(place_2, n)
    deepest = int(0)
    depth = float(HUGE)
    for k in range(corners_2):
        corner = constant_vec(pack, first_2 + k)
        d = corner[0] * local[0] + corner[1] * local[1]
        if d < depth:
            depth = d
            deepest = k
    v = constant_vec(pack, first_2 + deepest)
    return wp.dot(to_world(place_2, wp.vec2(v[0], v[1])) - to_world(place_1, wp.vec2(start[0], start[1])), n)


@wp.func
def best_face(
    pack: wp.uint64,
    first_1: int,
    corners_1: int,
    place_1: wp.vec4,
    middle_1: wp.vec2,
    first_2: int,
    corners_2: int,
    place_2: wp.vec4,
    middle_2: wp.vec2,
) -> tuple[int, float]:
    """The face of polygon 1 before which polygon 2 lies farthest, and how far.

    The search climbs from the face that looks most towards the middle of polygon 2; between equals, where it starts
    and which side it tries decides.
    """
    towards = unrotate(place_1, to_world(place_2, middle_2) - to_world(place_1, middle_1))
    face = int(0)
    most = float(-HUGE)
    for k in range(corners_1):
        corner = constant_vec(pack, first_1 + k)
        d = corner[2] * towards[0] + corner[3] * towards[1]
        if d > most:
            most = d
            face = k
    gap = face_gap(pack, first_1, place_1, face, first_2, corners_2, place_2)
    before = face - 1
    if before < 0:
        before = corners_1 - 1
    after = face + 1
    if after == corners_1:
        after = int(0)
    gap_before = face_gap(pack, first_1, place_1, before, first_2, corners_2, place_2)
    gap_after = face_gap(pack, first_1, place_1, after, first_2, corners_2, place_2)
    way = int(0)
    if gap_before > gap and gap_before > gap_after:
        way = corners_1 - 1
        face = before
        gap = gap_before
    elif gap_after > gap:
        way = int(1)
        face = after
        gap = gap_after
    while way != 0:
        beyond = (face + way) % corners_1
        gap_beyond = face_gap(pack, first_1, place_1, beyond, first_2, corners_2, place_2)
        if gap_beyond > gap:
            face = beyond
            gap = gap_beyond
        else:
            way = int(0)
    return face, gap


@wp.func
def clip(
    p0: wp.vec2, key0: int, p1: wp.vec2, key1: int, normal: wp.vec2, offset: float, vertex: int
) -> tuple[int, wp.vec2, int, wp.vec2, int]:
    """The part of a segment behind a line; an end that was cut off gets a key naming the `vertex` that cut it."""
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
        part = d0 / (d0 - d1)
        b = wp.vec2(p0[0] + part * (p1[0] - p0[0]), p0[1] + part * (p1[1] - p0[1]))
        key_b = vertex | (key0 & 0xFF00)
        count = count + 1
    return count, a, key_a, b, key_b


@wp.func
def flipped_key(key: int) -> int:
    """The key with the two sides exchanged."""
    swapped = ((key & 0xFF) << 8) | ((key >> 8) & 0xFF)
    if (key & FACE_FEATURE) != 0:
        return swapped
    return swapped | FACE_FEATURE


@wp.func
def collide_polygons(
    pack: wp.uint64,
    first_a: int,
    corners_a: int,
    place_a: wp.vec4,
    middle_a: wp.vec2,
    first_b: int,
    corners_b: int,
    place_b: wp.vec4,
    middle_b: wp.vec2,
    radius: float,
) -> tuple[int, int, wp.vec4, wp.vec4, int, int]:
    """Two polygons with their centroids; `radius` is the sum of their skins."""
    axis = wp.vec4(0.0, 0.0, 0.0, 0.0)
    points = wp.vec4(0.0, 0.0, 0.0, 0.0)
    face_a, apart_a = best_face(pack, first_a, corners_a, place_a, middle_a, first_b, corners_b, place_b, middle_b)
    if apart_a > radius:
        return 0, FACE_A, axis, points, 0, 0
    face_b, apart_b = best_face(pack, first_b, corners_b, place_b, middle_b, first_a, corners_a, place_a, middle_a)
    if apart_b > radius:
        return 0, FACE_A, axis, points, 0, 0

    # side 1 is the reference, side 2 the one whose edge is clipped
    kind = int(FACE_A)
    first_1 = first_a
    corners_1 = corners_a
    place_1 = place_a
    face = face_a
    first_2 = first_b
    corners_2 = corners_b
    place_2 = place_b
    if apart_b > FLIP_FACTOR * apart_a + FLIP_MARGIN:
        kind = int(FACE_B)
        first_1 = first_b
        corners_1 = corners_b
        place_1 = place_b
        face = face_b
        first_2 = first_a
        corners_2 = corners_a
        place_2 = place_a

    start = constant_vec(pack, first_1 + face)
    facing = unrotate(place_2, rotate(place_1, wp.vec2(start[2], start[3])))
    incident = int(0)
    lowest = float(HUGE)
    for k in range(corners_2):
        other = constant_vec(pack, first_2 + k)
        d = facing[0] * other[2] + facing[1] * other[3]
        if d < lowest:
            lowest = d
            incident = k
    incident_end = incident + 1
    if incident_end == corners_2:
        incident_end = int(0)
    e1 = constant_vec(pack, first_2 + incident)
    e2 = constant_vec(pack, first_2 + incident_end)
    p1 = to_world(place_2, wp.vec2(e1[0], e1[1]))
    p2 = to_world(place_2, wp.vec2(e2[0], e2[1]))

    face_end = face + 1
    if face_end == corners_1:
        face_end = int(0)
    end = constant_vec(pack, first_1 + face_end)
    v1 = wp.vec2(start[0], start[1])
    v2 = wp.vec2(end[0], end[1])
    local_tangent = normalized(v2 - v1)
    local_normal = right_normal(local_tangent)
    tangent = rotate(place_1, local_tangent)
    normal = right_normal(tangent)
    w1 = to_world(place_1, v1)
    w2 = to_world(place_1, v2)
    front = wp.dot(normal, w1)
    axis = wp.vec4(local_normal[0], local_normal[1], 0.5 * (v1[0] + v2[0]), 0.5 * (v1[1] + v2[1]))

    key_1 = face | (incident << 8) | FACE_FEATURE
    key_2 = face | (incident_end << 8) | FACE_FEATURE
    left = radius - wp.dot(tangent, w1)
    n1, a1, ka1, b1, kb1 = clip(p1, key_1, p2, key_2, -tangent, left, face)
    if n1 < 2:
        return 0, kind, axis, points, 0, 0
    right = wp.dot(tangent, w2) + radius
    n2, a2, ka2, b2, kb2 = clip(a1, ka1, b1, kb1, tangent, right, face_end)
    if n2 < 2:
        return 0, kind, axis, points, 0, 0
    if kind == FACE_B:
        ka2 = flipped_key(ka2)
        kb2 = flipped_key(kb2)
    near_a = wp.dot(normal, a2) - front <= radius
    near_b = wp.dot(normal, b2) - front <= radius
    la = to_local(place_2, a2)
    lb = to_local(place_2, b2)
    if near_a and near_b:
        return 2, kind, axis, wp.vec4(la[0], la[1], lb[0], lb[1]), ka2, kb2
    if near_a:
        return 1, kind, axis, wp.vec4(la[0], la[1], 0.0, 0.0), ka2, 0
    if near_b:
        return 1, kind, axis, wp.vec4(lb[0], lb[1], 0.0, 0.0), kb2, 0
    return 0, kind, axis, points, 0, 0


@wp.func
def on_face(clipped: wp.vec2, plane: wp.vec2, normal: wp.vec2, radius_1: float, radius_2: float) -> wp.vec2:
    """The point midway between a reference face and a clipped point, skins included."""
    to_surface = radius_1 - wp.dot(clipped - plane, normal)
    x1 = clipped[0] + to_surface * normal[0]
    y1 = clipped[1] + to_surface * normal[1]
    x2 = clipped[0] - radius_2 * normal[0]
    y2 = clipped[1] - radius_2 * normal[1]
    return wp.vec2(0.5 * (x1 + x2), 0.5 * (y1 + y2))


@wp.func
def world_manifold(
    kind: int,
    axis: wp.vec4,
    points: wp.vec4,
    place_a: wp.vec4,
    radius_a: float,
    place_b: wp.vec4,
    radius_b: float,
) -> tuple[wp.vec2, wp.vec2, wp.vec2]:
    """The normal from A to B and the two points of a manifold, in world coordinates."""
    local_1 = wp.vec2(points[0], points[1])
    local_2 = wp.vec2(points[2], points[3])
    reference = wp.vec2(axis[2], axis[3])
    if kind == CIRCLES:
        pa = to_world(place_a, reference)
        pb = to_world(place_b, local_1)
        n = wp.vec2(1.0, 0.0)
        between = pb - pa
        if length_squared(between) > EPSILON_SQUARED:
            n = normalized(between)
        x1 = pa[0] + radius_a * n[0]
        y1 = pa[1] + radius_a * n[1]
        x2 = pb[0] - radius_b * n[0]
        y2 = pb[1] - radius_b * n[1]
        middle = wp.vec2(0.5 * (x1 + x2), 0.5 * (y1 + y2))
        return n, middle, middle
    if kind == FACE_A:
        n_a = rotate(place_a, wp.vec2(axis[0], axis[1]))
        plane_a = to_world(place_a, reference)
        p1 = on_face(to_world(place_b, local_1), plane_a, n_a, radius_a, radius_b)
        p2 = on_face(to_world(place_b, local_2), plane_a, n_a, radius_a, radius_b)
        return n_a, p1, p2
    n_b = rotate(place_b, wp.vec2(axis[0], axis[1]))
    plane_b = to_world(place_b, reference)
    q1 = on_face(to_world(place_a, local_1), plane_b, n_b, radius_b, radius_a)
    q2 = on_face(to_world(place_a, local_2), plane_b, n_b, radius_b, radius_a)
    return -n_b, q1, q2


@wp.func
def separation(
    kind: int,
    axis: wp.vec4,
    local: wp.vec2,
    place_a: wp.vec4,
    radius_a: float,
    place_b: wp.vec4,
    radius_b: float,
) -> tuple[wp.vec2, wp.vec2, float]:
    """The normal from A to B at a manifold point, where it lies, and the gap there (negative: overlap)."""
    reference = wp.vec2(axis[2], axis[3])
    if kind == CIRCLES:
        pa = to_world(place_a, reference)
        pb = to_world(place_b, local)
        n = normalized(pb - pa)
        return (
            n,
            wp.vec2(0.5 * (pa[0] + pb[0]), 0.5 * (pa[1] + pb[1])),
            wp.dot(pb - pa, n) - radius_a - radius_b,
        )
    if kind == FACE_A:
        n_a = rotate(place_a, wp.vec2(axis[0], axis[1]))
        clipped_b = to_world(place_b, local)
        gap_a = wp.dot(clipped_b - to_world(place_a, reference), n_a) - radius_a - radius_b
        return n_a, clipped_b, gap_a
    n_b = rotate(place_b, wp.vec2(axis[0], axis[1]))
    clipped_a = to_world(place_a, local)
    gap_b = wp.dot(clipped_a - to_world(place_b, reference), n_b) - radius_a - radius_b
    return -n_b, clipped_a, gap_b
