"""Convex parts, with which an object collides."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tumble.comphy.objects.geometry.curves import circle
from tumble.comphy.objects.geometry.solids import Point, Points

SIDES = 16
"""Of the prisms that stand for round parts."""
ROUND = 1.01
"""By how much the corners of such a prism lie outside the circle, so that its sides lie as far inside."""


@dataclass(frozen=True, eq=False)
class ConvexPart:
    """A convex part of an object."""

    kind: str
    """"box" (its sides along the axes), "cylinder" (upright) or "hull"."""
    centre: tuple[float, float, float]
    """Of a box or cylinder; of a hull, the mean of its vertices."""
    half_size: tuple[float, float, float]
    """Half of its extent along x, y and z."""
    vertices: np.ndarray
    """[k, 3] points whose convex hull is the part; a cylinder's are those of a prism."""

    def moved(self, x: float, y: float) -> "ConvexPart":
        """The same part elsewhere."""
        centre = (self.centre[0] + x, self.centre[1] + y, self.centre[2])
        return ConvexPart(self.kind, centre, self.half_size, self.vertices + np.array([x, y, 0.0]))


def hull(vertices: np.ndarray, kind: str = "hull") -> ConvexPart:
    """The convex hull of points [..., 3]."""
    points = np.array(vertices, float).reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    centre = points.sum(axis=0) / len(points) if kind == "hull" else (low + high) / 2.0
    return ConvexPart(kind, tuple(centre.tolist()), tuple(((high - low) / 2.0).tolist()), points)


def box_part(low: Point, high: Point) -> ConvexPart:
    """The box between two corners."""
    return hull(
        np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]), "box"
    )


def round_parts(outline: Points, sides: int = SIDES) -> list[ConvexPart]:
    """Cylinders and cut cones upon each other, between successive points (radius, z) of an outline."""
    parts = []
    around = ROUND * circle(sides)
    for (radius, low), (next_radius, high) in pairwise(outline):
        if high <= low:
            raise ValueError("an outline of round parts goes up")
        rings = [np.column_stack([r * around, np.full(sides, z)]) for r, z in ((radius, low), (next_radius, high))]
        parts.append(_cylinder(float(radius), rings) if radius == next_radius else hull(np.concatenate(rings)))
    return parts


def _cylinder(radius: float, rings: Sequence[np.ndarray]) -> ConvexPart:
    low, high = float(rings[0][0, 2]), float(rings[1][0, 2])
    half_size = (radius, radius, (high - low) / 2.0)
    return ConvexPart("cylinder", (0.0, 0.0, (low + high) / 2.0), half_size, np.concatenate(rings))


def tube_parts(rings: np.ndarray, count: int) -> list[ConvexPart]:
    """Hulls along a tube, each around as many of its rings [k, s, 3] as the others."""
    bounds = [round(number * (len(rings) - 1) / count) for number in range(count + 1)]
    return [hull(rings[start : end + 1]) for start, end in pairwise(bounds)]
