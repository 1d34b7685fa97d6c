"""The forms that bodies of a template have: ball, bar, jar and standing sticks.

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
"""Pixels that a bar is thick."""
STICKS_ANGLE = math.radians(77.5)


@dataclass(frozen=True, eq=False)
class Form:
    """Shapes in pixels about the origin of the body that takes them; equal forms are one object."""

    shapes: tuple[Shape, ...]


@cache
def ball(size: float) -> Form:
    """A ball about `size` wide: its radius is a whole number of pixels and a half."""
    return ball_of_radius(size / 2.0)


@cache
def ball_of_radius(radius: float) -> Form:
    """A ball of this radius, cut to whole pixels and a half added."""
    return Form((Circle(int(SIZE * radius) + 0.5),))


@cache
def bar(length: float) -> Form:
    """A horizontal bar."""
    return Form((box(SIZE * length, THICKNESS),))


@cache
def jar(height: float) -> Form:
    """An open jar that widens towards its top; its origin is the middle of its base."""
    tall = SIZE * height
    top = tall / 1.2
    base = 0.8 * top
    thick = THICKNESS * math.log(tall) / math.log(0.3 * SIZE)
    lean = (top - base) / 2.0
    side = math.hypot(tall, lean)
    sine, cosine = tall / side, lean / side
    rim, foot = tall - thick / 2.0, -thick / 2.0
    wall: tuple[Vec, ...] = (
        (-top / 2.0, rim),
        (-base / 2.0, foot),
        (-base / 2.0 + thick * sine, thick * cosine + foot),
        (-top / 2.0 + thick / sine, rim),
    )
    mirrored = tuple((-x, y) for x, y in (wall[0], *reversed(wall[1:])))
    return Form((box(base, thick), Polygon(wall), Polygon(mirrored)))


@cache
def sticks(size: float) -> Form:
    """Two crossed sticks that stand like an X, two thirds as long and as thick as a bar of that size."""
    stick = box(SIZE * size * 2.0 / 3.0, THICKNESS * 2.0 / 3.0)
    return Form((_turned(stick, -STICKS_ANGLE), _turned(stick, STICKS_ANGLE)))


def _turned(polygon: Polygon, angle: float) -> Polygon:
    c, s = math.cos(angle), math.sin(angle)
    return Polygon(tuple((x * c - y * s, x * s + y * c) for x, y in polygon.vertices))


@cache
def extent(form: Form, angle: float) -> tuple[float, float, float, float]:
    """Left, right, bottom and top of a form turned by degrees, in scene units from its origin."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    xs: list[float] = []
    ys: list[float] = []
    for shape in form.shapes:
        corners = [shape.centre] if isinstance(shape, Circle) else shape.vertices
        reach = shape.radius if isinstance(shape, Circle) else 0.0
        for x, y in corners:
            xs += [x * c - y * s - reach, x * c - y * s + reach]
            ys += [x * s + y * c - reach, x * s + y * c + reach]
    return min(xs) * PX, max(xs) * PX, min(ys) * PX, max(ys) * PX
