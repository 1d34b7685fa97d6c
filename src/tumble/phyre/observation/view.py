"""What an agent sees of a scene: pictures, features of objects, masks and boxes; one pose or many frames at a time.

Poses are [bodies, 3] or [frames, bodies, 3] (x, y, angle, in pixels and radians); None for the start.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from tumble.checks import whole_number
from tumble.errors import TumbleError
from tumble.scene import Body, Circle, Polygon, Scene, as_poses, colour_index, rasterize
from tumble.scene.drawing import shape_table

COLOURS = 7
"""Background, placed ball, goal object, dynamic and static goal subject, dynamic and static confounder."""
KINDS = ("ball", "bar", "jar", "sticks")
FEATURES = 4 + len(KINDS) + COLOURS - 1
MAX_OBJECTS = 64
"""Objects of the largest published task, placed balls included, and one to spare."""


class ViewError(TumbleError):
    """A view that cannot be made of a scene."""


def picture(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """uint8 [..., 256, 256]: colour indices, the top row first."""
    return np.asarray(rasterize(scene, poses))


def one_hot(pictures: np.ndarray, dtype: DTypeLike = np.float32) -> np.ndarray:
    """[..., 7, rows, columns]: a plane for each colour.

    >>> one_hot(np.array([[0, 2]]))[:3, 0].tolist()
    [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
    """
    planes = np.arange(COLOURS).reshape(-1, 1, 1) == np.asarray(pictures)[..., None, :, :]
    return np.asarray(planes, dtype)


def objects(scene: Scene) -> np.ndarray:
    """int [objects]: the indices of all bodies but static ones outside the view, such as the four walls."""
    left, bottom, right, top = _extents(scene, as_poses(scene, None)).T
    visible = (right > 0.0) & (top > 0.0) & (left < scene.width) & (bottom < scene.height)
    dynamic = np.array([body.dynamic for body in scene.bodies], bool)
    return np.flatnonzero(visible | dynamic)


def features(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """float32 [..., objects, 14]: x, y, angle, diameter, one-hot kind (4), one-hot colour (6).

    Lengths are fractions of the scene's width, the angle is a fraction of a full turn, from 0 up to 1.
    """
    indices = objects(scene)
    states = as_poses(scene, poses)[..., indices, :]
    table = np.zeros((*states.shape[:-1], FEATURES), np.float32)
    table[..., :2] = states[..., :2] / scene.width
    table[..., 2] = states[..., 2] / (2.0 * math.pi) % 1.0
    table[..., 2] %= 1.0  # an angle just below 0 becomes 1.0 when rounded to float32
    for k, index in enumerate(indices):
        body = scene.bodies[index]
        table[..., k, 3] = diameter(body) / scene.width
        table[..., k, 4 + KINDS.index(kind(body))] = 1.0
        table[..., k, 4 + len(KINDS) + colour_index(body) - 1] = 1.0
    return table


def padded(table: np.ndarray, rows: int = MAX_OBJECTS) -> tuple[np.ndarray, np.ndarray]:
    """Features [..., objects, 14] padded with zeros to [..., rows, 14], and bool [..., rows]: which rows are real."""
    rows = whole_number("rows", rows, at_least=1, error=ViewError)
    count = table.shape[-2]
    if count > rows:
        raise ViewError(f"{count} objects do not fit into {rows} rows")
    full = np.zeros((*table.shape[:-2], rows, table.shape[-1]), table.dtype)
    full[..., :count, :] = table
    real = np.zeros(full.shape[:-1], bool)
    real[..., :count] = np.isfinite(table[..., 0])
    full[~real] = 0.0
    return full, real


def kind(body: Body) -> str:
    """The kind of a body, by its shapes: a circle is a ball, one polygon a bar, two are sticks, more a jar."""
    if isinstance(body.shapes[0], Circle):
        return "ball"
    return {1: "bar", 2: "sticks"}.get(len(body.shapes), "jar")


def diameter(body: Body) -> float:
    """The size of a body as the benchmark defines it: the largest distance between two of its points.

    For crossed sticks it is that of the bar of their size, which is 1.5 times as long as a stick.
    """
    if kind(body) == "ball":
        return 2.0 * max(shape.radius for shape in body.shapes if isinstance(shape, Circle))
    shapes = body.shapes[:1] if kind(body) == "sticks" else body.shapes
    corners = np.array([vertex for shape in shapes if isinstance(shape, Polygon) for vertex in shape.vertices])
    largest = float(np.hypot(*(corners[:, None] - corners[None]).T).max())
    return 1.5 * largest if kind(body) == "sticks" else largest


def masks(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """bool [..., objects, 256, 256]: the pixels that each object covers, hidden ones included."""
    indices, states = objects(scene), as_poses(scene, poses)
    isolated = np.full((*states.shape[:-2], len(indices), len(scene.bodies), 3), np.nan)  # absent but for one object
    for k, index in enumerate(indices):
        isolated[..., k, index, :] = states[..., index, :]
    covered = rasterize(scene, isolated.reshape(math.prod(isolated.shape[:-2]), len(scene.bodies), 3)) > 0
    return np.asarray(covered.reshape(*isolated.shape[:-2], *covered.shape[-2:]))


def boxes(scene: Scene, poses: ArrayLike | None = None) -> np.ndarray:
    """float [..., objects, 4]: left, bottom, right and top of each object, in pixels."""
    return np.asarray(_extents(scene, as_poses(scene, poses))[..., objects(scene), :])


def _extents(scene: Scene, poses: np.ndarray) -> np.ndarray:
    """The bounding boxes [..., bodies, (left, bottom, right, top)] of bodies at poses [..., bodies, 3]."""
    table = shape_table(scene)
    pose = poses[..., table.body_of_point, :]
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    x, y = table.points.T
    points = np.stack([pose[..., 0] + x * c - y * s, pose[..., 1] + x * s + y * c], axis=-1)
    radius = np.repeat(table.radius, table.point_count)[:, None]
    first_point = np.flatnonzero(np.diff(table.body_of_point, prepend=-1))
    low = np.minimum.reduceat(points - radius, first_point, axis=-2)
    high = np.maximum.reduceat(points + radius, first_point, axis=-2)
    return np.concatenate([low, high], axis=-1)
