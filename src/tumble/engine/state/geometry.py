"""Plane geometry: vectors, transforms, boxes, sine and cosine inside kernels; mass and inertia outside them.

The order of operations is part of the physics: sums and products are never regrouped. Sine and cosine have the same
bits on every device: double-precision polynomials, rounded once to single. Mass, centre and inertia of bodies are
computed in single precision and in Box2D's order of summation.
"""

from collections.abc import Sequence

import numpy as np
import warp as wp

from tumble.engine.state.constants import EPSILON, PI

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


@wp.struct
class AABB:
    """All points between two corners."""

    low: wp.vec2
    high: wp.vec2


@wp.func
def aabbs_overlap(a: AABB, b: AABB) -> bool:
    return a.low[0] <= b.high[0] and b.low[0] <= a.high[0] and a.low[1] <= b.high[1] and b.low[1] <= a.high[1]


@wp.func
def aabb_contains(outer: AABB, inner: AABB) -> bool:
    return (
        outer.low[0] <= inner.low[0]
        and outer.low[1] <= inner.low[1]
        and inner.high[0] <= outer.high[0]
        and inner.high[1] <= outer.high[1]
    )


@wp.func
def aabb_union(a: AABB, b: AABB) -> AABB:
    """The smallest box around two."""
    low_x = a.low[0]
    low_y = a.low[1]
    high_x = a.high[0]
    high_y = a.high[1]
    if b.low[0] < low_x:
        low_x = b.low[0]
    if b.low[1] < low_y:
        low_y = b.low[1]
    if b.high[0] > high_x:
        high_x = b.high[0]
    if b.high[1] > high_y:
        high_y = b.high[1]
    return AABB(wp.vec2(low_x, low_y), wp.vec2(high_x, high_y))


@wp.func
def aabb_grown(box: AABB, margin: float) -> AABB:
    """The box with a margin on every side."""
    return AABB(
        wp.vec2(box.low[0] - margin, box.low[1] - margin),
        wp.vec2(box.high[0] + margin, box.high[1] + margin),
    )


_TWO_OVER_PI = 0.6366197723675814
_HALF_PI_HIGH = 1.5707963267341256  # 33 bits of pi/2, so that a multiple of it is exact
_HALF_PI_LOW = 6.077100506506192e-11


@wp.func(inline=False)
def sine_cosine(angle: float) -> tuple[float, float]:
    """The sine and the cosine of an angle in radians.

    The angle is reduced to |r| <= pi/4 and a number of quarter turns; the sums are the Taylor series in r.
    """
    x = wp.float64(angle)
    quarter = wp.floor(x * wp.float64(_TWO_OVER_PI) + wp.float64(0.5))
    r = (x - quarter * wp.float64(_HALF_PI_HIGH)) - quarter * wp.float64(_HALF_PI_LOW)
    z = r * r
    s = wp.float64(1.6059043836821613e-10)
    s = s * z - wp.float64(2.505210838544172e-08)
    s = s * z + wp.float64(2.7557319223985893e-06)
    s = s * z - wp.float64(1.984126984126984e-04)
    s = s * z + wp.float64(8.333333333333333e-03)
    s = s * z - wp.float64(1.6666666666666666e-01)
    s = r + r * z * s
    c = wp.float64(-1.1470745597729725e-11)
    c = c * z + wp.float64(2.08767569878681e-09)
    c = c * z - wp.float64(2.755731922398589e-07)
    c = c * z + wp.float64(2.48015873015873e-05)
    c = c * z - wp.float64(1.3888888888888889e-03)
    c = c * z + wp.float64(4.1666666666666664e-02)
    c = c * z - wp.float64(0.5)
    c = wp.float64(1.0) + z * c
    quadrant = int(quarter - wp.float64(4.0) * wp.floor(quarter * wp.float64(0.25)))
    sine = float(s)
    cosine = float(c)
    if quadrant == 1:
        sine = float(c)
        cosine = -float(s)
    elif quadrant == 2:
        sine = -float(s)
        cosine = -float(c)
    elif quadrant == 3:
        sine = -float(c)
        cosine = float(s)
    return sine, cosine


_SINE = (
    -1.6666666666666666e-01,
    8.333333333333333e-03,
    -1.984126984126984e-04,
    2.7557319223985893e-06,
    -2.505210838544172e-08,
    1.6059043836821613e-10,
)
_COSINE = (
    -0.5,
    4.1666666666666664e-02,
    -1.3888888888888889e-03,
    2.48015873015873e-05,
    -2.755731922398589e-07,
    2.08767569878681e-09,
    -1.1470745597729725e-11,
)


def exact_sine_cosine(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine outside kernels, in double precision, with the same bits on every machine."""
    x = np.asarray(angles, np.float64)
    quarter = np.floor(x * _TWO_OVER_PI + 0.5)
    r = (x - quarter * _HALF_PI_HIGH) - quarter * _HALF_PI_LOW
    z = r * r
    s = np.zeros_like(z)
    for factor in reversed(_SINE):
        s = s * z + factor
    s = r + r * z * s
    c = np.zeros_like(z)
    for factor in reversed(_COSINE):
        c = c * z + factor
    c = 1.0 + z * c
    quadrant = quarter.astype(np.int64) % 4
    sine = np.choose(quadrant, [s, c, -s, -c])
    cosine = np.choose(quadrant, [c, -s, -c, s])
    return sine, cosine


_f = np.float32
Vertices = np.ndarray  # float32 [n, 2]


def from_rightmost(vertices: Vertices) -> Vertices:
    """The same polygon, starting at its rightmost vertex (the lower of two), as Box2D numbers vertices."""
    start = np.lexsort((vertices[:, 1], -vertices[:, 0]))[0]
    return np.roll(vertices, -start, axis=0)


def outward_normals(vertices: Vertices) -> Vertices:
    """float32 [n, 2]: unit normals of the edges that begin at each vertex."""
    edges = np.roll(vertices, -1, axis=0) - vertices
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    length = np.sqrt(normals[:, 0] * normals[:, 0] + normals[:, 1] * normals[:, 1])
    return normals * (_f(1) / length)[:, None]


def circle_mass(radius: np.float32, centre: Sequence[np.float32], density: np.float32) -> tuple[np.float32, ...]:
    """Mass, centre x, centre y, inertia about the body's origin: m = density pi r², I = m (r² / 2 + |centre|²)."""
    mass = density * _f(PI) * radius * radius
    inertia = mass * (_f(0.5) * radius * radius + (centre[0] * centre[0] + centre[1] * centre[1]))
    return mass, centre[0], centre[1], inertia


def polygon_mass(vertices: Vertices, density: np.float32) -> tuple[np.float32, ...]:
    """Mass, centre x, centre y, inertia about the body's origin.

    Summed over triangles from the mean vertex to each edge (p, q): area A = (p x q) / 2, centre (p + q) / 3, inertia
    A (p.p + p.q + q.q) / 6; then moved from the mean vertex to the origin by the parallel axis theorem.
    """
    sx, sy = _f(0), _f(0)
    for x, y in vertices:
        sx, sy = sx + x, sy + y
    share = _f(1) / _f(len(vertices))
    sx, sy = sx * share, sy * share
    third = _f(1) / _f(3)
    area, inertia, cx, cy = _f(0), _f(0), _f(0), _f(0)
    for (x1, y1), (x2, y2) in zip(vertices, np.roll(vertices, -1, axis=0), strict=True):
        x1, y1, x2, y2 = x1 - sx, y1 - sy, x2 - sx, y2 - sy
        twice = x1 * y2 - y1 * x2
        part = _f(0.5) * twice
        area = area + part
        cx = cx + part * third * (x1 + x2)
        cy = cy + part * third * (y1 + y2)
        spread = (x1 * x1 + x2 * x1 + x2 * x2) + (y1 * y1 + y2 * y1 + y2 * y2)
        inertia = inertia + (_f(0.25) * third * twice) * spread
    mass = density * area
    cx, cy = cx * (_f(1) / area), cy * (_f(1) / area)
    gx, gy = cx + sx, cy + sy
    inertia = density * inertia
    return mass, gx, gy, inertia + mass * ((gx * gx + gy * gy) - (cx * cx + cy * cy))


def centroid(vertices: Vertices) -> tuple[np.float32, np.float32]:
    """The centre of area, summed over triangles from the origin to each edge."""
    area, cx, cy = _f(0), _f(0), _f(0)
    third = _f(1) / _f(3)
    for (x1, y1), (x2, y2) in zip(vertices, np.roll(vertices, -1, axis=0), strict=True):
        part = _f(0.5) * (x1 * y2 - y1 * x2)
        area = area + part
        cx = cx + part * third * (x1 + x2)
        cy = cy + part * third * (y1 + y2)
    return cx * (_f(1) / area), cy * (_f(1) / area)


def inverse_mass(parts: Sequence[tuple[np.float32, ...]]) -> tuple[np.float32, ...]:
    """Inverse mass, inverse inertia about the centre, and local centre x, y of a body.

    `parts` are what the functions above return, summed from the last shape to the first.
    """
    mass, cx, cy, inertia = _f(0), _f(0), _f(0), _f(0)
    for m, x, y, i in reversed(parts):
        mass, cx, cy, inertia = mass + m, cx + m * x, cy + m * y, inertia + i
    inverse = _f(1) / mass
    cx, cy = cx * inverse, cy * inverse
    inertia = inertia - mass * (cx * cx + cy * cy)
    return inverse, _f(1) / inertia, cx, cy
