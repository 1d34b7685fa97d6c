"""The shapes of a scene as flat arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tumble.scene.colours import colour_index
from tumble.scene.scene import Scene
from tumble.scene.shapes import Circle


@dataclass(frozen=True, slots=True)
class ShapeTable:
    """The shapes of a scene in drawing order; the only point of a circle is its centre."""

    points: NDArray[np.float64]  # [points, 2]
    body_of_point: NDArray[np.int64]  # [points]
    first_point: NDArray[np.int32]  # [shapes]
    point_count: NDArray[np.int32]  # [shapes]
    radius: NDArray[np.float64]  # [shapes], 0 for a polygon
    colour: NDArray[np.uint8]  # [shapes]


def shape_table(scene: Scene) -> ShapeTable:
    """The table of a scene."""
    shapes = [(k, shape) for k, body in enumerate(scene.bodies) for shape in body.shapes]
    rings = [(shape.centre,) if isinstance(shape, Circle) else shape.vertices for _, shape in shapes]
    count = np.array([len(ring) for ring in rings], dtype=np.int32)
    body_of_shape = np.array([k for k, _ in shapes], dtype=np.int64)
    colour_of_body = np.array([colour_index(body) for body in scene.bodies], dtype=np.uint8)
    return ShapeTable(
        points=np.array([point for ring in rings for point in ring]).reshape(-1, 2),
        body_of_point=np.repeat(body_of_shape, count),
        first_point=np.cumsum(count, dtype=np.int32) - count,
        point_count=count,
        radius=np.array([shape.radius if isinstance(shape, Circle) else 0.0 for _, shape in shapes]),
        colour=colour_of_body[body_of_shape],
    )
