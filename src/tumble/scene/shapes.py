"""The shapes of bodies: circles and convex polygons, in body coordinates; convexity, hulls, splitting.

A shape is checked by the body that has it, so that the message can name the body. A polygon is a ring of vertices,
listed counter-clockwise; if it is not convex, a message says why not. `convex_parts` splits a simple polygon into
convex ones: it cuts off ears, then joins what stays convex.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from tumble.scene.checks import (
    LARGEST_NUMBER,
    SMALLEST_SIZE,
    SceneError,
    as_number,
    as_tuple,
    as_vector,
    is_pair,
    number_problems,
    shown,
    vector_problems,
)

Vertex = tuple[float, float]

SMALLEST_EDGE = 1.0e-6
"""As a share of the largest coordinate: a shorter edge is lost when vertices are rounded to float32."""

SMALLEST_TURN = 1.0e-5
"""Sine of the turn at a vertex, in either direction, below which its two edges count as one straight line."""


def convexity_problems(vertices: Sequence[Vertex]) -> Iterator[str]:
    """Complain unless three or more finite vertices form a convex, counter-clockwise polygon with an area."""
    edges = [_minus(b, a) for a, b in zip(vertices, _rotated(vertices), strict=True)]
    lengths = [math.hypot(*edge) for edge in edges]
    largest = max(abs(number) for vertex in vertices for number in vertex)
    for k, length in enumerate(lengths):
        if length <= max(SMALLEST_SIZE, SMALLEST_EDGE * largest):
            yield f"polygon is degenerate: vertices {k} and {(k + 1) % len(vertices)} coincide"
            return

    turns = _turns(edges, lengths)
    if all(turn > SMALLEST_TURN for turn in turns):
        if _turns_more_than_once(edges):
            yield "polygon crosses itself: it must go round only once"
        return

    if all(abs(turn) <= SMALLEST_TURN for turn in turns):
        yield "polygon is degenerate: its vertices lie on one line, so it has no area"
    elif crosses_itself(vertices):
        yield "polygon crosses itself: list its vertices in order around its edge"
    elif all(turn <= SMALLEST_TURN for turn in turns):
        yield "polygon is clockwise: list its vertices counter-clockwise (y points up)"
    else:
        yield _first_bad_turn(turns, clockwise=_doubled_area(vertices) < 0.0)


def convex_hull(points: Sequence[Vertex]) -> tuple[Vertex, ...]:
    """The vertices of the smallest convex polygon around points, counter-clockwise from the leftmost.

    >>> convex_hull([(0.0, 0.0), (2.0, 0.0), (1.0, 1.0), (1.0, 0.0), (1.0, 0.2)])
    ((0.0, 0.0), (2.0, 0.0), (1.0, 1.0))
    """
    largest = max((abs(number) for point in points for number in point), default=0.0)
    distinct = _distinct(sorted(points), SMALLEST_EDGE * largest)
    lower, upper = _half_hull(distinct), _half_hull(distinct[::-1])
    return tuple(lower[:-1] + upper[:-1])


def _distinct(points: Sequence[Vertex], gap: float) -> list[Vertex]:
    """The points without those that are at most `gap` from an earlier one that is kept."""
    if not gap:
        return list(dict.fromkeys(points))
    kept: list[Vertex] = []
    cells: dict[tuple[int, int], list[Vertex]] = {}  # squares of that size: others are near only in those around
    for point in points:
        column, row = math.floor(point[0] / gap), math.floor(point[1] / gap)
        around = ((column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if not any(math.dist(point, other) <= gap for cell in around for other in cells.get(cell, ())):
            kept.append(point)
            cells.setdefault((column, row), []).append(point)
    return kept


def _half_hull(points: Sequence[Vertex]) -> list[Vertex]:
    """The hull of sorted points on the right of the way from the first to the last."""
    hull: list[Vertex] = []
    for point in points:
        while len(hull) > 1:
            edge, next_edge = _minus(hull[-1], hull[-2]), _minus(point, hull[-1])
            if _cross(edge, next_edge) > SMALLEST_TURN * math.hypot(*edge) * math.hypot(*next_edge):
                break
            hull.pop()
        hull.append(point)
    return hull


def _first_bad_turn(turns: Sequence[float], clockwise: bool) -> str:
    direction = -1.0 if clockwise else 1.0
    k = next(k for k, turn in enumerate(turns) if turn * direction <= SMALLEST_TURN)
    if abs(turns[k]) <= SMALLEST_TURN:
        return f"polygon is degenerate: vertex {k} lies on the line through its neighbours, leave it out"
    return f"polygon is not convex at vertex {k}: split it into convex shapes"


def _turns(edges: Sequence[Vertex], lengths: Sequence[float]) -> list[float]:
    """The sine of the turn at each vertex, positive to the left."""
    return [_cross(edges[k - 1], edges[k]) / (lengths[k - 1] * lengths[k]) for k in range(len(edges))]


def _turns_more_than_once(edges: Sequence[Vertex]) -> bool:
    """Whether a ring of left turns only goes round twice or more, like a five-pointed star."""
    pairs = zip(edges, _rotated(edges), strict=True)
    return sum(math.atan2(_cross(a, b), _dot(a, b)) for a, b in pairs) > 3.0 * math.pi


def crosses_itself(vertices: Sequence[Vertex]) -> bool:
    """Whether two sides of a ring of vertices cross."""
    sides = list(zip(vertices, _rotated(vertices), strict=True))
    return any(_cross_in_the_middle(*p, *q) for p, q in combinations(sides, 2))


def _cross_in_the_middle(a: Vertex, b: Vertex, c: Vertex, d: Vertex) -> bool:
    """Whether the segments ab and cd cross at a point that is an end of neither."""
    along_ab = _cross(_minus(b, a), _minus(c, a)) * _cross(_minus(b, a), _minus(d, a))
    along_cd = _cross(_minus(d, c), _minus(a, c)) * _cross(_minus(d, c), _minus(b, c))
    return along_ab < 0.0 and along_cd < 0.0


def _doubled_area(vertices: Sequence[Vertex]) -> float:
    return sum(_cross(a, b) for a, b in zip(vertices, _rotated(vertices), strict=True))


def _rotated(vertices: Sequence[Vertex]) -> list[Vertex]:
    return [*vertices[1:], vertices[0]]


def _minus(a: Vertex, b: Vertex) -> Vertex:
    return a[0] - b[0], a[1] - b[1]


def _cross(a: Vertex, b: Vertex) -> float:
    return a[0] * b[1] - a[1] * b[0]


def _dot(a: Vertex, b: Vertex) -> float:
    return a[0] * b[0] + a[1] * b[1]


Vec = tuple[float, float]

MAX_VERTICES = 16


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc about `centre`."""

    radius: float
    centre: Vec = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_number(self.radius))
        object.__setattr__(self, "centre", as_vector(self.centre))

    def problems(self) -> Iterator[str]:
        """Messages about what is wrong with this circle."""
        yield from number_problems("radius", self.radius, above=SMALLEST_SIZE)
        yield from vector_problems("centre", self.centre)


@dataclass(frozen=True, slots=True)
class Polygon:
    """A convex polygon of 3 to MAX_VERTICES vertices, listed counter-clockwise."""

    vertices: tuple[Vec, ...]

    def __post_init__(self) -> None:
        vertices = as_tuple(self.vertices)
        if isinstance(vertices, tuple):
            vertices = tuple(as_vector(vertex) for vertex in vertices)
        object.__setattr__(self, "vertices", vertices)

    def problems(self) -> Iterator[str]:
        """Messages about what is wrong with this polygon."""
        vertices: object = self.vertices
        if not isinstance(vertices, tuple):
            yield f"vertices must be a sequence of (x, y) pairs, got {shown(vertices)}"
            return
        if not 3 <= len(vertices) <= MAX_VERTICES:
            yield f"polygon must have 3 to {MAX_VERTICES} vertices, got {len(vertices)}"
            return
        for k, vertex in enumerate(vertices):
            if is_pair(vertex) and abs(vertex[0]) <= LARGEST_NUMBER and abs(vertex[1]) <= LARGEST_NUMBER:
                continue
            for problem in vector_problems(f"vertex {k}", vertex):
                yield problem
                return
        yield from _convexity_problems(vertices)


@lru_cache(maxsize=4096)
def _convexity_problems(vertices: tuple[Vec, ...]) -> tuple[str, ...]:
    """The problems of vertices that are pairs of numbers; equal polygons are checked once."""
    return tuple(convexity_problems(vertices))


Shape = Circle | Polygon


def box(width: float, height: float, centre: Vec = (0.0, 0.0)) -> Polygon:
    """A rectangle about `centre`."""
    for field, value in (("width", width), ("height", height)):
        for problem in number_problems(field, as_number(value), above=SMALLEST_SIZE):
            raise SceneError(problem, "box")
    x, y = centre
    right, top = width / 2.0, height / 2.0
    return Polygon(((x + right, y + top), (x - right, y + top), (x - right, y - top), (x + right, y - top)))


def regular_polygon(sides: int, radius: float, turn: float = 0.0) -> Polygon:
    """A polygon of equal sides with its vertices on a circle about the origin, the first at angle `turn`."""
    corners = [turn + 2.0 * math.pi * k / sides for k in range(sides)]
    return Polygon(tuple((radius * math.cos(corner), radius * math.sin(corner)) for corner in corners))


MAX_RING = 128
"""Vertices of a polygon that is split: the time grows with their cube."""


def convex_parts(vertices: Sequence[Vertex]) -> list[tuple[Vertex, ...]]:
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
    if _doubled_ring_area(ring) < 0.0:
        ring.reverse()
    if len(ring) <= MAX_VERTICES and not any(convexity_problems(ring)):
        return [tuple(ring)]
    return [tuple(ring[k] for k in part) for part in _joined_parts(ring, _triangles(ring))]


def _simplified(ring: list[Vertex]) -> list[Vertex]:
    """The ring without vertices that repeat, or lie on the line between their neighbours."""
    k = 0
    while k < len(ring) and len(ring) >= 3:
        a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
        if abs(_doubled_triangle(a, b, c)) <= SMALLEST_TURN * math.dist(a, b) * math.dist(b, c):
            del ring[k]
            k = max(0, k - 2)
        else:
            k += 1
    return ring


def _triangles(ring: Sequence[Vertex]) -> list[tuple[int, ...]]:
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


def _ear_quality(ring: Sequence[Vertex], left: Sequence[int], k: int) -> float:
    """0 if a vertex is no ear of what is left of the ring; else larger the less its triangle is a sliver."""
    before, at, after = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = ring[before], ring[at], ring[after]
    turn = _doubled_triangle(a, b, c)
    if turn <= 0.0:
        return 0.0
    for other in left:
        p = ring[other]
        inside = (
            _doubled_triangle(a, b, p) >= 0.0
            and _doubled_triangle(b, c, p) >= 0.0
            and _doubled_triangle(c, a, p) >= 0.0
        )
        if other not in (before, at, after) and inside:
            return 0.0
    longest = max((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in ((a, b), (b, c), (c, a)))
    return turn / longest


def _joined_parts(ring: Sequence[Vertex], parts: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The parts, those with a common edge joined as long as they stay convex and have few enough vertices."""
    k = 0
    while k < len(parts):
        for other in range(k + 1, len(parts)):
            whole = _joined_pair(parts[k], parts[other])
            if whole and len(whole) <= MAX_VERTICES and not any(convexity_problems([ring[v] for v in whole])):
                parts[k] = whole
                del parts[other]
                break
        else:
            k += 1
    return parts


def _joined_pair(part: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """Two polygons joined along an edge that they have in common; empty if there is none."""
    for k in range(len(part)):
        a, b = part[k], part[(k + 1) % len(part)]
        if a in other and b in other:
            at = other.index(b)
            if other[(at + 1) % len(other)] == a:
                rest = [other[(at + 1 + step) % len(other)] for step in range(1, len(other) - 1)]
                return (*part[: k + 1], *rest, *part[k + 1 :])
    return ()


def _doubled_triangle(a: Vertex, b: Vertex, c: Vertex) -> float:
    """Twice the area of a triangle, positive if it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _doubled_ring_area(ring: Sequence[Vertex]) -> float:
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))
