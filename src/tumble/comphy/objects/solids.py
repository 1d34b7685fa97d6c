"""What categories design objects with: curves, solids as closed surfaces, and convex parts to collide with.

Solids are of revolution, swept along a path, lofted between outlines, or boxes. All are made by one function: rings
of points are joined by triangles, and both ends are closed. The same bits on every machine.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

TERMS = 10
"""Of the power series of sine and cosine; enough for an eighth of a turn."""


def cos_sin(turns: float) -> tuple[float, float]:
    """Cosine and sine of an angle in turns, by additions and multiplications only: C libraries differ in the last bit.

    >>> cos_sin(0.25)
    (0.0, 1.0)
    >>> [round(x, 12) for x in cos_sin(1 / 6)]
    [0.5, 0.866025403784]
    """
    quarters = round(4.0 * turns)
    angle = (turns - quarters / 4.0) * math.tau
    cosine = sine = 1.0
    for term in range(TERMS, 0, -1):
        cosine = 1.0 - angle * angle / ((2 * term - 1) * (2 * term)) * cosine
        sine = 1.0 - angle * angle / ((2 * term) * (2 * term + 1)) * sine
    sine *= angle
    x, y = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarters % 4]
    return x + 0.0, y + 0.0


def circle(count: int) -> np.ndarray:
    """[count, 2]: cosine and sine of evenly spaced angles, counter-clockwise from (1, 0)."""
    return np.array([cos_sin(number / count) for number in range(count)])


def arc(start: float, end: float, steps: int) -> np.ndarray:
    """[steps + 1, 2]: points of the unit circle from one angle to another, in turns."""
    return np.array([cos_sin(start + (end - start) * step / steps) for step in range(steps + 1)])


def smooth(points: Sequence[Sequence[float]], steps: int = 4) -> np.ndarray:
    """A smooth curve through points [k, d], with some steps between each two (Catmull-Rom).

    >>> smooth([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], 2).tolist()
    [[0.0, 0.0], [0.5, 0.625], [1.0, 1.0], [1.5, 0.625], [2.0, 0.0]]
    """
    given = np.array(points, float)
    padded = np.concatenate([2.0 * given[:1] - given[1:2], given, 2.0 * given[-1:] - given[-2:-1]])
    curve = [given[:1]]
    for step in range(len(given) - 1):
        before, start, end, after = padded[step : step + 4]
        for part in range(1, steps + 1):
            t = part / steps
            curve.append(
                (
                    start
                    + 0.5 * t * (end - before)
                    + t * t * (before - 2.5 * start + 2.0 * end - 0.5 * after)
                    + t * t * t * (1.5 * (start - end) + 0.5 * (after - before))
                )[None]
            )
    return np.concatenate(curve)


@dataclass(frozen=True, eq=False)
class Surface:
    """A closed surface; triangles are counter-clockwise as seen from outside."""

    vertices: np.ndarray
    """[n, 3]."""
    faces: np.ndarray
    """int [m, 3]: indices of vertices."""

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> "Surface":
        """The same surface elsewhere."""
        return Surface(self.vertices + np.array([x, y, z]), self.faces)


def skin(rings: np.ndarray, ends: np.ndarray | None = None) -> Surface:
    """The surface around rings of points [k, s, 3], each counter-clockwise as seen from the next one.

    `ends` [2, 3] are the middles of the two caps. Without them the last ring is joined to the first, as in a torus.
    """
    count, sides, _ = rings.shape
    index = np.arange(count * sides).reshape(count, sides)
    if ends is None:
        index = np.concatenate([index, index[:1]])
    here, right = index[:-1], np.roll(index[:-1], -1, axis=1)
    above, above_right = index[1:], np.roll(index[1:], -1, axis=1)
    faces = [
        np.stack(corners, axis=-1).reshape(-1, 3)
        for corners in ((here, right, above_right), (here, above_right, above))
    ]
    vertices = rings.reshape(-1, 3)
    if ends is not None:
        first, last = np.full(sides, count * sides), np.full(sides, count * sides + 1)
        faces += [
            np.stack([first, right[0], here[0]], axis=-1),
            np.stack([last, index[-1], np.roll(index[-1], -1)], axis=-1),
        ]
        vertices = np.concatenate([vertices, ends])
    return Surface(vertices, np.concatenate(faces))


def join_surfaces(surfaces: Sequence[Surface]) -> Surface:
    """Surfaces as one; they stay closed, and may reach into each other."""
    starts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces)])
    faces = [surface.faces + start for surface, start in zip(surfaces, starts[:-1], strict=True)]
    return Surface(np.concatenate([surface.vertices for surface in surfaces]), np.concatenate(faces))


def is_closed(faces: np.ndarray) -> bool:
    """Whether every edge belongs to exactly two triangles, which go along it in opposite directions.

    >>> pyramid = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
    >>> is_closed(pyramid), is_closed(pyramid[1:]), is_closed(np.concatenate([pyramid[:3], pyramid[3:, ::-1]]))
    (True, False, False)
    """
    edges = np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]])
    if (edges[:, 0] == edges[:, 1]).any():
        return False
    there, count = np.unique(edges, axis=0, return_counts=True)
    return bool((count == 1).all()) and np.array_equal(there, np.unique(edges[:, ::-1], axis=0))


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


PART_SIDES = 16
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


def round_parts(outline: Points, sides: int = PART_SIDES) -> list[ConvexPart]:
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
