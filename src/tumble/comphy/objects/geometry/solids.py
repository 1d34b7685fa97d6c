"""Solids as closed surfaces: of revolution, swept along a path, lofted between outlines, boxes."""

from collections.abc import Sequence

import numpy as np

from tumble.comphy.objects.geometry.curves import circle
from tumble.comphy.objects.geometry.surface import Surface, skin

SIDES = 32
"""Of a surface of revolution."""
INNER_CUT = 0.4
"""By how much the corners of a box's top and bottom are cut off, as a share of its bevel."""

Point = Sequence[float] | np.ndarray
Points = Sequence[Point] | np.ndarray


def revolve(profile: Points, sides: int = SIDES) -> Surface:
    """A profile of points (radius, z) turned about the vertical axis.

    The profile goes from the axis at the bottom outwards, up and back to the axis. If neither of its ends is on the
    axis, it is a closed outline, counter-clockwise with the radius to the right, and gives a ring.
    """
    points = np.array(profile, float)
    on_axis = points[[0, -1], 0] == 0.0
    if on_axis.all():
        return skin(_rings(points[1:-1], sides), np.array([(0.0, 0.0, z) for z in points[[0, -1], 1]]))
    if on_axis.any():
        raise ValueError("a profile has both ends on the axis, or none")
    return skin(_rings(points, sides))


def _rings(points: np.ndarray, sides: int) -> np.ndarray:
    around = circle(sides)
    rings = np.empty((len(points), sides, 3))
    rings[..., :2] = points[:, None, :1] * around
    rings[..., 2] = points[:, 1:]
    return rings


def tube_rings(path: Points, radii: Point | Points, normal: Point = (0.0, 1.0, 0.0), sides: int = 10) -> np.ndarray:
    """[k, sides, 3]: ellipses around the points of a path in the plane with a unit normal.

    `radii` [k, 2] or [2] are half the width in that plane and half the width along the normal.
    """
    points = np.array(path, float)
    along = np.empty_like(points)
    along[1:-1] = points[2:] - points[:-2]
    along[0], along[-1] = points[1] - points[0], points[-1] - points[-2]
    along /= np.sqrt((along * along).sum(axis=1, keepdims=True))
    across = np.cross(np.array(normal, float), along)
    width, depth = np.broadcast_to(np.array(radii, float), (len(points), 2)).T[..., None, None]
    around = circle(sides)
    rings = points[:, None] + width * around[:, :1] * across[:, None] + depth * around[:, 1:] * np.array(normal, float)
    return np.asarray(rings)


def sweep(path: Points, radii: Point | Points, normal: Point = (0.0, 1.0, 0.0), sides: int = 10) -> Surface:
    """A tube of elliptic section along a path, as in `tube_rings`, with flat ends."""
    return skin(tube_rings(path, radii, normal, sides), np.array([path[0], path[-1]], float))


def loft(outlines: Sequence[Points] | np.ndarray) -> Surface:
    """The solid between outlines [k, s, 3] that follow each other upwards, each counter-clockwise from above."""
    rings = np.array(outlines, float)
    return skin(rings, np.stack([rings[0].sum(axis=0), rings[-1].sum(axis=0)]) / rings.shape[1])


def rectangle(x: float, y: float, half_x: float, half_y: float, z: float) -> np.ndarray:
    """[4, 3]: the outline of a rectangle at a height, for `loft`."""
    signs = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
    return np.asarray(np.array([x, y, z]) + signs * np.array([half_x, half_y, 0.0]))


def box(low: Point, high: Point, bevel: float = 0.004) -> Surface:
    """The box between two corners, with its edges cut off by `bevel`, so that they catch some light."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    centre, half = ((x0 + x1) / 2.0, (y0 + y1) / 2.0), ((x1 - x0) / 2.0, (y1 - y0) / 2.0)

    def outline(half_x: float, half_y: float, cut: float, z: float) -> list[tuple[float, float, float]]:
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = []
        for number, (a, b) in enumerate(signs):
            cuts = ((0.0, cut), (cut, 0.0)) if number % 2 == 0 else ((cut, 0.0), (0.0, cut))
            corners += [(centre[0] + a * (half_x - u), centre[1] + b * (half_y - v), z) for u, v in cuts]
        return corners

    full = (*half, bevel)
    inner = (half[0] - bevel, half[1] - bevel, INNER_CUT * bevel)
    return loft([outline(*inner, z0), outline(*full, z0 + bevel), outline(*full, z1 - bevel), outline(*inner, z1)])
