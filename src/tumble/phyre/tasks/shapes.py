"""The shapes of bodies in templates: ball, bar, jar and standing sticks.

Sizes are in scene units: the scene is 1 wide and 1 high, and `PX` is one of its 256 pixels.
"""

import math
from dataclasses import dataclass
from functools import cache

from tumble.scene import Circle, Polygon, Shape, Vec, box

SIZE = 256.0
"""Pixels along each side of the scene."""
PX = 1.0 / SIZE
THICKNESS = SIZE / 50.0
"""Thickness of a bar in pixels."""
STICKS_ANGLE = math.radians(77.5)


@dataclass(frozen=True, eq=False)
class BodyShape:
    """The shapes of a body, in pixels about its origin; equal calls of the functions below give the same object."""

    shapes: tuple[Shape, ...]


@cache
def ball(size: float) -> BodyShape:
    """A ball about `size` wide: its radius in pixels is a whole number and a half.

    >>> ball(0.1).shapes[0].radius
    12.5
    """
    return ball_of_radius(size / 2.0)


@cache
def ball_of_radius(radius: float) -> BodyShape:
    """A ball of this radius, cut to whole pixels and half a pixel added."""
    return BodyShape((Circle(int(SIZE * radius) + 0.5),))


@cache
def bar(length: float) -> BodyShape:
    """A horizontal bar."""
    return BodyShape((box(SIZE * length, THICKNESS),))


@cache
def jar(height: float) -> BodyShape:
    """An open jar that widens towards its top; its origin is the middle of its base."""
    tall = SIZE * height
    top = tall / 1.2
    base = 0.8 * top
    thick = THICKNESS * math.log(tall) / math.log(0.3 * SIZE)
    overhang = (top - base) / 2.0
    side = math.hypot(tall, overhang)
    sine, cosine = tall / side, overhang / side
    rim, foot = tall - thick / 2.0, -thick / 2.0
    wall: tuple[Vec, ...] = (
        (-top / 2.0, rim),
        (-base / 2.0, foot),
        (-base / 2.0 + thick * sine, thick * cosine + foot),
        (-top / 2.0 + thick / sine, rim),
    )
    mirrored = tuple((-x, y) for x, y in (wall[0], *reversed(wall[1:])))
    return BodyShape((box(base, thick), Polygon(wall), Polygon(mirrored)))


@cache
def sticks(size: float) -> BodyShape:
    """Two crossed sticks that stand like an X, two thirds as long and as thick as a bar of that size."""
    stick = box(SIZE * size * 2.0 / 3.0, THICKNESS * 2.0 / 3.0)
    return BodyShape((_rotated(stick, -STICKS_ANGLE), _rotated(stick, STICKS_ANGLE)))


def _rotated(polygon: Polygon, angle: float) -> Polygon:
    c, s = math.cos(angle), math.sin(angle)
    return Polygon(tuple((x * c - y * s, x * s + y * c) for x, y in polygon.vertices))


@cache
def extent(shape: BodyShape, angle: float) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a shape rotated by `angle` degrees, in scene units from its origin."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    xs: list[float] = []
    ys: list[float] = []
    for part in shape.shapes:
        corners = [part.centre] if isinstance(part, Circle) else part.vertices
        radius = part.radius if isinstance(part, Circle) else 0.0
        for x, y in corners:
            xs += [x * c - y * s - radius, x * c - y * s + radius]
            ys += [x * s + y * c - radius, x * s + y * c + radius]
    return min(xs) * PX, max(xs) * PX, min(ys) * PX, max(ys) * PX
