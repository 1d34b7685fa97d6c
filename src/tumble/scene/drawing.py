"""What pictures of a scene are drawn from: the palette, poses of its bodies, its shapes as flat arrays.

The colour of a body follows from its role. A pose is x, y and angle of a body, in scene units and radians, NaN where
the body is absent.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.checks import PictureError
from tumble.scene.scene import Body, Scene
from tumble.scene.shapes import Circle

BACKGROUND = 0
PLACED = 1
OBJECT = 2
DYNAMIC_SUBJECT = 3
STATIC_SUBJECT = 4
OTHER_DYNAMIC = 5
OTHER_STATIC = 6

_HEX_COLOURS = (0xFFFFFF, 0xF34F46, 0x6BCEBB, 0x1877F2, 0x4B4AA4, 0xB9CAD2, 0x000000)

PALETTE: NDArray[np.uint8] = np.array([tuple(c.to_bytes(3, "big")) for c in _HEX_COLOURS], dtype=np.uint8)
"""Red, green and blue of each colour index: white, red, green, blue, purple, gray, black."""
PALETTE.setflags(write=False)


def colour_index(body: Body) -> int:
    """Index into PALETTE by the body's role ("placed", "object", "subject", other) and whether it moves."""
    if body.role == "placed":
        return PLACED
    if body.role == "object":
        return OBJECT
    if body.role == "subject":
        return DYNAMIC_SUBJECT if body.dynamic else STATIC_SUBJECT
    return OTHER_DYNAMIC if body.dynamic else OTHER_STATIC


def initial_poses(scene: Scene) -> NDArray[np.float64]:
    """Where the bodies start, [bodies, 3]; dormant ones are absent."""
    poses = np.full((len(scene.bodies), 3), np.nan)
    for k, body in enumerate(scene.bodies):
        if not body.dormant:
            poses[k] = (*body.position, body.angle)
    return poses


def as_poses(scene: Scene, poses: ArrayLike | None) -> NDArray[np.float64]:
    """Poses of the scene's bodies as float64 [bodies, 3] or [pictures, bodies, 3]; None: the initial ones.

    A pose with a number that is not finite becomes all NaN: the body is absent.
    """
    if poses is None:
        return initial_poses(scene)
    array = np.array(poses, dtype=np.float64)
    expected = (len(scene.bodies), 3)
    if array.ndim not in (2, 3) or array.shape[-2:] != expected:
        raise PictureError(
            f"poses must have the shape {list(expected)} or [pictures, {expected[0]}, 3] "
            f"(x, y, angle of each body of the scene), got {list(array.shape)}"
        )
    array[~np.isfinite(array).all(axis=-1)] = np.nan
    return array


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
