"""Plane vectors and rigid transforms inside kernels.

A transform is a vec4 (x, y, sine, cosine). The order of operations is part of the physics: sums and products are
never regrouped.
"""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def cross(a: wp.vec2, b: wp.vec2) -> float:
    return a[0] * b[1] - a[1] * b[0]


@wp.func
def right_normal(v: wp.vec2) -> wp.vec2:
    """The vector turned by a quarter to the right: outwards for an edge of a counter-clockwise polygon."""
    return wp.vec2(v[1], -v[0])


@wp.func
def rotate(t: wp.vec4, v: wp.vec2) -> wp.vec2:
    return wp.vec2(t[3] * v[0] - t[2] * v[1], t[2] * v[0] + t[3] * v[1])


@wp.func
def unrotate(t: wp.vec4, v: wp.vec2) -> wp.vec2:
    return wp.vec2(t[3] * v[0] + t[2] * v[1], t[3] * v[1] - t[2] * v[0])


@wp.func
def to_world(t: wp.vec4, v: wp.vec2) -> wp.vec2:
    return wp.vec2((t[3] * v[0] - t[2] * v[1]) + t[0], (t[2] * v[0] + t[3] * v[1]) + t[1])


@wp.func
def to_local(t: wp.vec4, v: wp.vec2) -> wp.vec2:
    return unrotate(t, wp.vec2(v[0] - t[0], v[1] - t[1]))


@wp.func
def normalized(v: wp.vec2) -> wp.vec2:
    """The vector at length 1, unchanged where it is too short to have a direction."""
    length = wp.sqrt(v[0] * v[0] + v[1] * v[1])
    if length < 1.1920928955078125e-07:
        return v
    scale = 1.0 / length
    return wp.vec2(v[0] * scale, v[1] * scale)


@wp.func
def length_squared(v: wp.vec2) -> float:
    return v[0] * v[0] + v[1] * v[1]
