"""What an agent sees of a scene: pictures, features of objects, masks and boxes; one pose or many frames at a time.

Poses are [bodies, 3] or [frames, bodies, 3] (x, y, angle, in pixels and radians); None stands for the start.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tumble.scene import Body, Circle, Polygon, Scene, as_poses, colour_index, rasterize
from tumble.scene.shape_table import shape_table

COLOURS = 7
"""Background, placed ball, goal object, dynamic and static goal subject, dynamic and static confounder."""
KINDS = ("ball", "bar", "jar", "sticks")
FEATURES = 4 + len(KINDS) + COLOURS - 1
MOST_OBJECTS = 64
"""Objects of the largest published task, placed balls included, and one to spare."""


def picture(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """uint8 [..., 256, 256]: colour indices, the top row first."""
    return np.asarray(rasterize(scene, poses))


def one_hot(pictures: np.ndarray, dtype: DTypeLike = np.float32) -> np.ndarray:
    """[..., 7, rows, columns]: a plane for each colour."""
    planes = np.arange(COLOURS).reshape(-1, 1, 1) == np.asarray(pictures)[..., None, :, :]
    return np.asarray(planes, dtype)


def objects(scene: Scene) -> np.ndarray:
    """The bodies that count as objects: all but static ones that lie outside the view, such as the four walls."""
    left, bottom, right, top = _extents(scene, as_poses(scene, None)).T
    seen = (right > 0.0) & (top > 0.0) & (left < scene.width) & (bottom < scene.height)
    dynamic = np.array([body.dynamic for body in scene.bodies], bool)
    return np.flatnonzero(seen | dynamic)


def features(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """float32 [..., objects, 14]: x, y, angle, diameter, which of 4 kinds, which of 6 colours.

    Lengths are shares of the scene's width, the angle is a share of a full turn, from 0 up to 1.
    """
    chosen = objects(scene)
    places = as_poses(scene, poses)[..., chosen, :]
    table = np.zeros((*places.shape[:-1], FEATURES), np.float32)
    table[..., :2] = places[..., :2] / scene.width
    table[..., 2] = places[..., 2] / (2.0 * math.pi) % 1.0
    table[..., 2] %= 1.0  # a hair below 0 is a hair below 1, which is 1 in float32
    for k, index in enumerate(chosen):
        body = scene.bodies[index]
        table[..., k, 3] = diameter(body) / scene.width
        table[..., k, 4 + KINDS.index(kind(body))] = 1.0
        table[..., k, 4 + len(KINDS) + colour_index(body) - 1] = 1.0
    return table


def padded(table: np.ndarray, most: int = MOST_OBJECTS) -> tuple[np.ndarray, np.ndarray]:
    """Features [..., objects, 14] with rows of zeros up to a fixed number of objects, and which rows are real."""
    count = table.shape[-2]
    if count > most:
        raise ValueError(f"{count} objects do not fit into {most} rows")
    full = np.zeros((*table.shape[:-2], most, table.shape[-1]), table.dtype)
    full[..., :count, :] = table
    real = np.zeros(full.shape[:-1], bool)
    real[..., :count] = np.isfinite(table[..., 0])
    full[~real] = 0.0
    return full, real


def kind(body: Body) -> str:
    """What a body is, by its shapes: one circle, one polygon, two crossed ones, or more."""
    if isinstance(body.shapes[0], Circle):
        return "ball"
    return {1: "bar", 2: "sticks"}.get(len(body.shapes), "jar")


def diameter(body: Body) -> float:
    """The size of a body as the benchmark gives it: the largest distance within it.

    For crossed sticks that of the bar that they were cut from, which is half as long again as one of them.
    """
    if kind(body) == "ball":
        return 2.0 * max(shape.radius for shape in body.shapes if isinstance(shape, Circle))
    shapes = body.shapes[:1] if kind(body) == "sticks" else body.shapes
    corners = np.array([vertex for shape in shapes if isinstance(shape, Polygon) for vertex in shape.vertices])
    largest = float(np.hypot(*(corners[:, None] - corners[None]).T).max())
    return 1.5 * largest if kind(body) == "sticks" else largest


def masks(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """bool [..., objects, 256, 256]: the pixels that each object covers, hidden ones included."""
    chosen, places = objects(scene), as_poses(scene, poses)
    alone = np.full((*places.shape[:-2], len(chosen), len(scene.bodies), 3), np.nan)
    for k, index in enumerate(chosen):
        alone[..., k, index, :] = places[..., index, :]
    drawn = rasterize(scene, alone.reshape(math.prod(alone.shape[:-2]), len(scene.bodies), 3)) > 0
    return np.asarray(drawn.reshape(*alone.shape[:-2], *drawn.shape[-2:]))


def boxes(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """float [..., objects, 4]: left, bottom, right and top of each object, in pixels."""
    return np.asarray(_extents(scene, as_poses(scene, poses))[..., objects(scene), :])


def _extents(scene: Scene, poses: np.ndarray) -> np.ndarray:
    """[..., bodies, (left, bottom, right, top)]."""
    table = shape_table(scene)
    place = poses[..., table.body_of_point, :]
    c, s = np.cos(place[..., 2]), np.sin(place[..., 2])
    x, y = table.points.T
    points = np.stack([place[..., 0] + x * c - y * s, place[..., 1] + x * s + y * c], axis=-1)
    reach = np.repeat(table.radius, table.point_count)[:, None]
    first = np.flatnonzero(np.diff(table.body_of_point, prepend=-1))
    low = np.minimum.reduceat(points - reach, first, axis=-2)
    high = np.maximum.reduceat(points + reach, first, axis=-2)
    return np.concatenate([low, high], axis=-1)
