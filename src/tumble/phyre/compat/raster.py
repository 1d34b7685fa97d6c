"""Pictures drawn from features of objects."""

import math
from collections.abc import Callable

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.compat.objects import centre_of_mass
from tumble.phyre.compat.simulation import FIRST_COLOR, FIRST_SHAPE
from tumble.phyre.observation import view
from tumble.phyre.tasks.shapes import SIZE, THICKNESS, bar, jar, sticks
from tumble.scene import Body, Circle, Scene, Shape

JAR_DIAMETER = 1.25
"""The diameter of a jar over its height: from a corner of its rim to the opposite corner of its base."""

_LOOKS = (("placed", True), ("object", True), ("subject", True), ("subject", False), ("", True), ("", False))
"""Role and dynamic of a body of each colour."""
_SHAPES: tuple[Callable[[float], tuple[Shape, ...]], ...] = (
    lambda diameter: (Circle(diameter / 2.0),),
    lambda diameter: bar(_length(diameter)).shapes,
    lambda diameter: jar(diameter / JAR_DIAMETER / SIZE).shapes,
    lambda diameter: sticks(_length(diameter)).shapes,
)
"""The shapes of a body of each kind, given its diameter in pixels."""


def featurized_objects_vector_to_raster(features: np.ndarray) -> np.ndarray:
    """uint8 [256, 256]: the colour indices of objects with features [objects, 14], the bottom row first.

    Features of one step, [1, objects, 14], work as well.
    """
    table = np.asarray(features, float)
    table = table[0] if table.ndim == 3 and len(table) == 1 else table
    if table.ndim != 2 or table.shape[1] != view.FEATURES:
        raise TumbleError(f"features must have the shape [objects, {view.FEATURES}], not {list(np.shape(features))}")
    return np.ascontiguousarray(view.picture(Scene(tuple(_body(row) for row in table)))[::-1])


def _body(row: np.ndarray) -> Body:
    """A body with these features [14]."""
    x, y, angle, diameter = (float(value) for value in row[:FIRST_SHAPE] * (SIZE, SIZE, 2.0 * math.pi, SIZE))
    shapes = _SHAPES[int(row[FIRST_SHAPE:FIRST_COLOR].argmax())](diameter)
    role, dynamic = _LOOKS[int(row[FIRST_COLOR:].argmax())]
    u, v = centre_of_mass(Body(shapes))
    c, s = math.cos(angle), math.sin(angle)
    return Body(shapes, (x - u * c + v * s, y - u * s - v * c), angle, role=role, dynamic=dynamic)


def _length(diameter: float) -> float:
    """The length of a bar in scene units, given its diagonal in pixels."""
    return math.sqrt(max(diameter**2 - THICKNESS**2, 1.0)) / SIZE
