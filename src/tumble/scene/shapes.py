"""The shapes of bodies: circles and convex polygons, in body coordinates.

A shape is checked by the body that has it, so that the message can name the body.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

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
from tumble.scene.convexity import convexity_problems

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
