"""Splitting a simple polygon into convex ones: by cutting off ears, then joining what stays convex."""

import math
from collections.abc import Sequence

from tumble.scene.checks import SceneError
from tumble.scene.convexity import SMALLEST_TURN, Vec, convexity_problems, crosses_itself
from tumble.scene.shapes import MAX_VERTICES

MAX_RING = 128
"""Vertices of a polygon that is split: the time grows with their cube."""


def convex_parts(vertices: Sequence[Vec]) -> list[tuple[Vec, ...]]:
    """Convex polygons, counter-clockwise, that together are the polygon of a ring of vertices in either direction.

    A SceneError if the ring crosses itself or has no area.

    >>> convex_parts([(0.0, 0.0), (0.0, 1.0), (1.0, 0.0)])
    [((1.0, 0.0), (0.0, 1.0), (0.0, 0.0))]
    >>> len(convex_parts([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)]))
    2
    """
    if len(vertices) > MAX_RING:
        raise SceneError(f"polygon must have at most {MAX_RING} vertices, got {len(vertices)}")
    ring = _simplified([(float(x), float(y)) for x, y in vertices])
    if len(ring) < 3:
        raise SceneError("polygon is degenerate: its vertices lie on one line, so it has no area")
    if crosses_itself(ring):
        raise SceneError("polygon crosses itself: list its vertices in order around its edge")
    if _doubled_area(ring) < 0.0:
        ring.reverse()
    if len(ring) <= MAX_VERTICES and not any(convexity_problems(ring)):
        return [tuple(ring)]
    return [tuple(ring[k] for k in part) for part in _joined(ring, _triangles(ring))]


def _simplified(ring: list[Vec]) -> list[Vec]:
    """The ring without vertices that repeat, or lie on the line between their neighbours."""
    k = 0
    while k < len(ring) and len(ring) >= 3:
        a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
        if abs(_turn(a, b, c)) <= SMALLEST_TURN * math.dist(a, b) * math.dist(b, c):
            del ring[k]
            k = max(0, k - 2)
        else:
            k += 1
    return ring


def _triangles(ring: Sequence[Vec]) -> list[tuple[int, ...]]:
    """Triangles of a simple counter-clockwise polygon, as indices of its vertices."""
    left = list(range(len(ring)))
    triangles = []
    while len(left) > 3:
        ear = max(range(len(left)), key=lambda k: _ear_quality(ring, left, k))
        if _ear_quality(ring, left, ear) <= 0.0:
            raise SceneError("polygon touches itself: split it where it does")
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return [*triangles, tuple(left)]


def _ear_quality(ring: Sequence[Vec], left: Sequence[int], k: int) -> float:
    """0 if a vertex is no ear of what is left of the ring; else larger the less its triangle is a sliver."""
    before, at, after = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = ring[before], ring[at], ring[after]
    turn = _turn(a, b, c)
    if turn <= 0.0:
        return 0.0
    for other in left:
        p = ring[other]
        inside = _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0
        if other not in (before, at, after) and inside:
            return 0.0
    longest = max((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in ((a, b), (b, c), (c, a)))
    return turn / longest


def _joined(ring: Sequence[Vec], parts: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The parts, those with a common edge joined as long as they stay convex and have few enough vertices."""
    k = 0
    while k < len(parts):
        for other in range(k + 1, len(parts)):
            whole = _union(parts[k], parts[other])
            if whole and len(whole) <= MAX_VERTICES and not any(convexity_problems([ring[v] for v in whole])):
                parts[k] = whole
                del parts[other]
                break
        else:
            k += 1
    return parts


def _union(part: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Two polygons joined along an edge that they have in common; empty if there is none."""
    for k in range(len(part)):
        a, b = part[k], part[(k + 1) % len(part)]
        if a in other and b in other:
            at = other.index(b)
            if other[(at + 1) % len(other)] == a:
                rest = [other[(at + 1 + step) % len(other)] for step in range(1, len(other) - 1)]
                return (*part[: k + 1], *rest, *part[k + 1 :])
    return ()


def _turn(a: Vec, b: Vec, c: Vec) -> float:
    """Twice the area of a triangle, positive if it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _doubled_area(ring: Sequence[Vec]) -> float:
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))
