"""Mass, centre and inertia of bodies, in single precision and in Box2D's order of summation (outside kernels)."""

from collections.abc import Sequence

import numpy as np

from tumble.engine.math.constants import PI

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
