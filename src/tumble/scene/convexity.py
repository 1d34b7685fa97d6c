"""Whether a ring of vertices is a convex polygon, listed counter-clockwise; if not, why not. And convex hulls."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from tumble.scene.checks import SMALLEST_SIZE

Vec = tuple[float, float]

SMALLEST_EDGE = 1.0e-6
"""As a share of the largest coordinate: a shorter edge is lost when vertices are rounded to float32."""

SMALLEST_TURN = 1.0e-5
"""Sine of the turn at a vertex, in either direction, below which its two edges count as one straight line."""


def convexity_problems(vertices: Sequence[Vec]) -> Iterator[str]:
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


def convex_hull(points: Sequence[Vec]) -> tuple[Vec, ...]:
    """The vertices of the smallest convex polygon around points, counter-clockwise from the leftmost.

    >>> convex_hull([(0.0, 0.0), (2.0, 0.0), (1.0, 1.0), (1.0, 0.0), (1.0, 0.2)])
    ((0.0, 0.0), (2.0, 0.0), (1.0, 1.0))
    """
    largest = max((abs(number) for point in points for number in point), default=0.0)
    distinct = _distinct(sorted(points), SMALLEST_EDGE * largest)
    lower, upper = _half_hull(distinct), _half_hull(distinct[::-1])
    return tuple(lower[:-1] + upper[:-1])


def _distinct(points: Sequence[Vec], gap: float) -> list[Vec]:
    """The points without those that are at most `gap` from an earlier one that is kept."""
    if not gap:
        return list(dict.fromkeys(points))
    kept: list[Vec] = []
    cells: dict[tuple[int, int], list[Vec]] = {}  # squares of that size: others are near only in those around
    for point in points:
        column, row = math.floor(point[0] / gap), math.floor(point[1] / gap)
        around = ((column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if not any(math.dist(point, other) <= gap for cell in around for other in cells.get(cell, ())):
            kept.append(point)
            cells.setdefault((column, row), []).append(point)
    return kept


def _half_hull(points: Sequence[Vec]) -> list[Vec]:
    """The hull of sorted points on the right of the way from the first to the last."""
    hull: list[Vec] = []
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


def _turns(edges: Sequence[Vec], lengths: Sequence[float]) -> list[float]:
    """The sine of the turn at each vertex, positive to the left."""
    return [_cross(edges[k - 1], edges[k]) / (lengths[k - 1] * lengths[k]) for k in range(len(edges))]


def _turns_more_than_once(edges: Sequence[Vec]) -> bool:
    """Whether a ring of left turns only goes round twice or more, like a five-pointed star."""
    pairs = zip(edges, _rotated(edges), strict=True)
    return sum(math.atan2(_cross(a, b), _dot(a, b)) for a, b in pairs) > 3.0 * math.pi


def crosses_itself(vertices: Sequence[Vec]) -> bool:
    """Whether two sides of a ring of vertices cross."""
    sides = list(zip(vertices, _rotated(vertices), strict=True))
    return any(_cross_in_the_middle(*p, *q) for p, q in combinations(sides, 2))


def _cross_in_the_middle(a: Vec, b: Vec, c: Vec, d: Vec) -> bool:
    """Whether the segments ab and cd cross at a point that is an end of neither."""
    along_ab = _cross(_minus(b, a), _minus(c, a)) * _cross(_minus(b, a), _minus(d, a))
    along_cd = _cross(_minus(d, c), _minus(a, c)) * _cross(_minus(d, c), _minus(b, c))
    return along_ab < 0.0 and along_cd < 0.0


def _doubled_area(vertices: Sequence[Vec]) -> float:
    return sum(_cross(a, b) for a, b in zip(vertices, _rotated(vertices), strict=True))


def _rotated(vertices: Sequence[Vec]) -> list[Vec]:
    return [*vertices[1:], vertices[0]]


def _minus(a: Vec, b: Vec) -> Vec:
    return a[0] - b[0], a[1] - b[1]


def _cross(a: Vec, b: Vec) -> float:
    return a[0] * b[1] - a[1] * b[0]


def _dot(a: Vec, b: Vec) -> float:
    return a[0] * b[0] + a[1] * b[1]
