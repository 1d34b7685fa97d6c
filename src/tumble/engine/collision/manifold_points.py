"""Where a manifold's points lie in world coordinates, and how far the shapes are from each other there."""

import warp as wp

from tumble.engine.math.constants import EPSILON_SQUARED
from tumble.engine.math.vectors import Transform, length_squared, midpoint, normalized, rotate, to_world
from tumble.engine.state.contacts import Manifold
from tumble.engine.state.layout import CIRCLES, FACE_A

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
