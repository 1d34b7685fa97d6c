"""The geometry that models know, as tensors: the camera, and the laws, headings and outlines of shapes.

Tensors have shapes as one-hot vectors or probabilities over the shapes of a world. Their width tells the world, since
no two worlds have as many shapes.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import (
    CUBE_HALF_SIZE,
    CYLINDER_HALF_HEIGHT,
    HALF_HEIGHTS,
    PLAIN,
    RADIUS,
    WORLDS,
    ObjectWorld,
    WorldError,
)
from tumble.comphy.objects.shape import build_object
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.laws import deceleration

FOLDS = {
    **{"cube": 4, "sphere": 0, "cylinder": 0},
    **{"mug": 1, "pot": 2, "chair": 1, "table": 2, "sofa": 1, "lamp": 0, "bottle": 0, "teapot": 1, "bucket": 2},
    **{"bowl": 0, "trophy": 2, "hourglass": 0, "cone": 4},
}
"""By how many headings in a full turn each shape looks the same; 0 for a round one, whose heading can't be seen."""
ANGLES = 128
"""Directions in which the reach of an outline is known."""
MEAN_FORMS = range(4)
"""Forms of a shape of which outlines are averaged."""
SEPARATING_DIRECTIONS = torch.linspace(-0.7, 0.7, 9)
"""Radians from the line that joins two bodies, of lines that may separate them."""
_WORLD_BY_WIDTH = {len(world.shapes): world for world in WORLDS.values()}
assert len(_WORLD_BY_WIDTH) == len(WORLDS), "two worlds with as many shapes can't be told apart"


def world_of_shapes(shapes: Tensor) -> ObjectWorld:
    """The world of shapes [..., shape].

    >>> world_of_shapes(torch.zeros(2, 13)).name
    'div'
    """
    width = shapes.shape[-1]
    if width not in _WORLD_BY_WIDTH:
        raise WorldError(f"no world has {width} shapes")
    return _WORLD_BY_WIDTH[width]


def fold_table(world: ObjectWorld) -> np.ndarray:
    """int [shape]: FOLDS of a world's shapes."""
    return np.array([FOLDS[shape] for shape in world.shapes])


def folds_of(shapes: Tensor) -> Tensor:
    """[...]: the folds of shapes [..., shape]."""
    return shapes @ _constant(world_of_shapes(shapes).name, "folds", shapes.dtype, shapes.device)


def has_heading(shapes: Tensor) -> Tensor:
    """[...]: 1 for shapes [..., shape] whose heading can be seen, else 0."""
    return shapes @ _constant(world_of_shapes(shapes).name, "turning", shapes.dtype, shapes.device)


def laws_of(shapes: Tensor) -> Tensor:
    """[..., 2]: friction and damping of shapes [..., shape]."""
    return shapes @ _constant(world_of_shapes(shapes).name, "laws", shapes.dtype, shapes.device)


def heights_of(shapes: Tensor) -> Tensor:
    """[...]: heights of centres above the table, from shapes [..., shape] as one-hot vectors; 0 for no shape."""
    return shapes @ _constant(world_of_shapes(shapes).name, "heights", shapes.dtype, shapes.device)


@lru_cache(maxsize=64)
def _constant(world: str, name: str, dtype: torch.dtype, device: torch.device) -> Tensor:
    shapes = WORLDS[world].shapes
    values = np.array([_VALUES[name](shape) for shape in shapes], float)
    return torch.tensor(values, dtype=dtype, device=device)


def _mean_reach(shape: str) -> np.ndarray:
    """float64 [ANGLES]: how far an object reaches in each direction from above, the mean of some forms."""
    angles = np.arange(ANGLES) * (2.0 * np.pi / ANGLES)
    lines = np.stack([np.cos(angles), np.sin(angles)])
    reaches = [(build_object(shape, form).mesh.vertices[:, :2] @ lines).max(axis=0) for form in MEAN_FORMS]
    return np.asarray(np.mean(reaches, axis=0))


_VALUES: dict[str, Callable[[str], Any]] = {
    "folds": lambda shape: FOLDS[shape],
    "turning": lambda shape: FOLDS[shape] > 0,
    "laws": deceleration,
    "heights": lambda shape: HALF_HEIGHTS[shape],
    "reaches": _mean_reach,
}


def object_gaps(offset: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[world, frame, one, other]: gaps between the mean outlines of objects of the div world; below 0 they overlap.

    Of some lines through both, the one with the largest gap separates convex outlines. offset is
    [world, frame, one, other, 2], yaws [world, frame, body], shapes [world, body, shape].
    """
    assert world_of_shapes(shapes) is not PLAIN
    worlds, _, bodies = yaws.shape
    reaches = shapes @ _constant(world_of_shapes(shapes).name, "reaches", shapes.dtype, shapes.device)
    line = torch.atan2(offset[..., 1], offset[..., 0])[..., None]
    turned = line + SEPARATING_DIRECTIONS.to(offset.device, offset.dtype)
    distance = (
        torch.linalg.vector_norm(offset, dim=-1)[..., None]
        * SEPARATING_DIRECTIONS.to(offset.device, offset.dtype).cos()
    )
    first = torch.arange(worlds * bodies, device=offset.device).view(worlds, 1, bodies) * ANGLES
    one = _looked_up(reaches, first[..., :, None, None], turned - yaws[:, :, :, None, None])
    other = _looked_up(reaches, first[..., None, :, None], turned + torch.pi - yaws[:, :, None, :, None])
    gaps: Tensor = (distance - one - other).amax(-1)
    return gaps


def _looked_up(reaches: Tensor, first: Tensor, angles: Tensor) -> Tensor:
    """Reaches [world, body, ANGLES] of the bodies whose rows start at `first`, in directions relative to them."""
    places = torch.remainder(torch.round(angles * (ANGLES / (2.0 * torch.pi))).long(), ANGLES)
    return reaches.flatten()[first + places]


PICTURE_SIZE = (240.0, 160.0)
"""Width and height of the picture in whose pixels errors are given."""
ABSENT = -1.0
"""Coordinates of an invisible body's box."""
FOCAL_SCALE = CAMERA.focal_length / CAMERA.sensor_width


def to_picture(places: Tensor, heights: Tensor) -> Tensor:
    """[..., 2]: where points (x, y) [..., 2] at heights [...] are in the picture, from 0 to 1."""
    across, up, depth = _camera_axes(torch.cat([places, heights[..., None]], -1)).unbind(-1)
    depth = depth.clamp(min=0.1)
    return torch.stack([0.5 + across / depth * FOCAL_SCALE, 0.5 - up / depth * (FOCAL_SCALE * CAMERA.aspect)], -1)


def to_table(points: Tensor, heights: Tensor) -> Tensor:
    """[..., 2]: the points (x, y) at heights [...] that are seen at points [..., 2] of the picture."""
    right, up, forward = _axes(points)
    x, y = points[..., :1] - 0.5, points[..., 1:] - 0.5
    rays = forward + x / FOCAL_SCALE * right - y / (FOCAL_SCALE * CAMERA.aspect) * up
    position: Tensor = torch.tensor(CAMERA.position, dtype=points.dtype, device=points.device)
    falls = rays[..., 2].clamp(max=-0.02)  # rays near the horizon end far away
    reach: Tensor = (heights - position[2]) / falls
    found: Tensor = position[:2] + reach[..., None] * rays[..., :2]
    return found


def in_picture(points: Tensor) -> Tensor:
    """bool [...]: whether points [..., 2] are in the picture."""
    inside: Tensor = (points >= 0.0) & (points <= 1.0)
    return inside.all(-1)


def project_boxes(places: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[..., 4]: normalised boxes of plain bodies at places [..., 2] with yaws [...] and one-hot shapes [..., 3].

    They are clipped to the picture, as in `dataset.tracks`, and ABSENT where no part of a body is visible.
    """
    cube, sphere, cylinder = shapes.unbind(-1)
    bounds = torch.zeros(*places.shape[:-1], 4, dtype=places.dtype, device=places.device)
    for weight, found in (
        (cube, _cube_slopes(places, yaws)),
        (sphere, _sphere_slopes(places)),
        (cylinder, _cylinder_slopes(places)),
    ):
        bounds = bounds + weight[..., None] * found
    return _boxes(bounds, shapes.any(-1))


def project_outlines(places: Tensor, yaws: Tensor, points: Tensor, exists: Tensor) -> Tensor:
    """[..., 4]: normalised boxes of objects at places [..., 2] with yaws [...], that consist of points [..., point, 3].

    The points are relative to the middle of the base; boxes are as those of `project_boxes`.
    """
    cosine, sine = yaws.cos()[..., None], yaws.sin()[..., None]
    x, y, z = points.unbind(-1)
    turned = torch.stack([cosine * x - sine * y, sine * x + cosine * y], -1) + places[..., None, :]
    across, up, depth = _camera_axes(torch.cat([turned, z[..., None].expand(*turned.shape[:-1], 1)], -1)).unbind(-1)
    depth = depth.clamp(min=0.1)
    return _boxes(_bounds(torch.stack([across / depth, up / depth], -2)), exists)


def _boxes(bounds: Tensor, exists: Tensor) -> Tensor:
    """[..., 4]: normalised boxes from slopes [..., 4], clipped; ABSENT where no part of a body is visible."""
    left, right, low, high = bounds.unbind(-1)
    slope = FOCAL_SCALE * CAMERA.aspect
    low_corner = torch.stack([0.5 + left * FOCAL_SCALE, 0.5 - high * slope], -1).clamp(0.0, 1.0)
    high_corner = torch.stack([0.5 + right * FOCAL_SCALE, 0.5 - low * slope], -1).clamp(0.0, 1.0)
    visible = (high_corner > low_corner).all(-1) & exists
    boxes = torch.cat([(low_corner + high_corner) / 2, high_corner - low_corner], -1)
    return torch.where(visible[..., None], boxes, torch.full_like(boxes, ABSENT))


def _axes(like: Tensor) -> Tensor:
    return torch.tensor(CAMERA.axes, dtype=like.dtype, device=like.device)


def _camera_axes(points: Tensor) -> Tensor:
    """[..., 3]: points in the camera's axes: to the right, up, forward."""
    position = torch.tensor(CAMERA.position, dtype=points.dtype, device=points.device)
    return (points - position) @ _axes(points).T


def _with_height(places: Tensor, height: float) -> Tensor:
    return torch.cat([places, torch.full_like(places[..., :1], height)], -1)


def _cube_slopes(places: Tensor, yaws: Tensor) -> Tensor:
    """[..., 4]: least and greatest slope of a cube's corners to the right, then up."""
    reach = CUBE_HALF_SIZE * math.sqrt(2.0)
    angles = yaws[..., None] + torch.arange(4, device=places.device) * (math.pi / 2) + math.pi / 4
    corners = places[..., None, :] + reach * torch.stack([angles.cos(), angles.sin()], -1)
    points = torch.cat([_with_height(corners, 0.0), _with_height(corners, 2 * CUBE_HALF_SIZE)], -2)
    across, up, depth = _camera_axes(points).unbind(-1)
    depth = depth.clamp(min=0.1)
    return _bounds(torch.stack([across / depth, up / depth], -2))


def _bounds(slopes: Tensor) -> Tensor:
    """[..., 4] from slopes [..., 2, point]."""
    low, high = slopes.aminmax(dim=-1)
    return torch.stack([low, high], -1).flatten(-2)


def _sphere_slopes(places: Tensor) -> Tensor:
    """[..., 4]: slopes of the tangents to a sphere."""
    across, up, depth = _camera_axes(_with_height(places, RADIUS)).unbind(-1)
    depth = depth.clamp(min=0.5)
    bounds = []
    for offset in (across, up):
        centre = torch.atan2(offset, depth)
        half = torch.asin((RADIUS / torch.hypot(offset, depth)).clamp(max=0.99))
        bounds += [(centre - half).tan(), (centre + half).tan()]
    return torch.stack(bounds, -1)


def _cylinder_slopes(places: Tensor) -> Tensor:
    """[..., 4]: the extreme slopes of the two rims, from a quadratic equation each."""
    axes = _axes(places)[:, :2] * RADIUS
    slopes = []
    for height in (0.0, 2 * CYLINDER_HALF_HEIGHT):
        centre = _camera_axes(_with_height(places, height))
        depth = centre[..., 2].clamp(min=0.5)
        a = depth**2 - axes[2] @ axes[2]
        found = []
        for k in (0, 1):
            b = centre[..., k] * depth - axes[k] @ axes[2]
            c = centre[..., k] ** 2 - axes[k] @ axes[k]
            root = (b**2 - a * c).clamp(min=0.0).sqrt()
            found.append(torch.stack([(b - root) / a, (b + root) / a], -1))
        slopes.append(torch.stack(found, -2))
    return _bounds(torch.cat(slopes, -1))


POINTS = 26
"""Extreme points of an object: one in each direction to the sides, edges and corners of a cube."""
FORM_POOL = 40
"""Forms of each shape in training: others are replaced by one of these, since a mesh takes long to prepare."""


@lru_cache(maxsize=1024)
def outline_points(shape: str, form: int) -> np.ndarray:
    """float32 [POINTS, 3]: relative to the middle of the base of an object of the div world."""
    directions = np.array([line for line in product((-1.0, 0.0, 1.0), repeat=3) if any(line)])
    vertices = build_object(shape, form).mesh.vertices
    return np.asarray(vertices[(vertices @ directions.T).argmax(axis=0)], np.float32)
