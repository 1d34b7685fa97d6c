"""Plane vectors and rigid transforms inside kernels.

The order of operations is part of the physics: sums and products are never regrouped.
"""

import warp as wp

from tumble.engine.math.constants import EPSILON

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Transform:
    """A rotation, given by its sine and cosine, followed by a translation."""

    position: wp.vec2
    sine: float
    cosine: float


@wp.func
def cross(a: wp.vec2, b: wp.vec2) -> float:
    return a[0] * b[1] - a[1] * b[0]


@wp.func
def right_normal(v: wp.vec2) -> wp.vec2:
    """The vector turned by 90 degrees clockwise: outwards for an edge of a counter-clockwise polygon."""
    return wp.vec2(v[1], -v[0])


@wp.func
def midpoint(a: wp.vec2, b: wp.vec2) -> wp.vec2:
    return wp.vec2(0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]))


@wp.func
def rotate(t: Transform, v: wp.vec2) -> wp.vec2:
    return wp.vec2(t.cosine * v[0] - t.sine * v[1], t.sine * v[0] + t.cosine * v[1])


@wp.func
def unrotate(t: Transform, v: wp.vec2) -> wp.vec2:
    return wp.vec2(t.cosine * v[0] + t.sine * v[1], t.cosine * v[1] - t.sine * v[0])


@wp.func
def to_world(t: Transform, v: wp.vec2) -> wp.vec2:
    return rotate(t, v) + t.position


@wp.func
def to_local(t: Transform, v: wp.vec2) -> wp.vec2:
    return unrotate(t, v - t.position)


@wp.func
def length_squared(v: wp.vec2) -> float:
    return v[0] * v[0] + v[1] * v[1]


@wp.func
def length(v: wp.vec2) -> float:
    return wp.sqrt(v[0] * v[0] + v[1] * v[1])


@wp.func
def normalized(v: wp.vec2) -> wp.vec2:
    """The vector at length 1; unchanged where it is too short to have a direction."""
    size = length(v)
    if size < EPSILON:
        return v
    scale = 1.0 / size
    return wp.vec2(v[0] * scale, v[1] * scale)
