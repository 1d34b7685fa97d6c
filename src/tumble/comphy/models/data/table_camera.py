"""The camera in PyTorch: from the table to the picture and back, and the boxes of bodies in the picture."""

import math

import torch
from torch import Tensor

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.observation.camera import CAMERA

PICTURE = (240.0, 160.0)
"""Width and height of the picture in whose pixels errors are given."""
ABSENT = -1.0
"""Coordinates of an invisible body's box."""
SCALE = CAMERA.focal_length / CAMERA.sensor_width


def to_picture(places: Tensor, heights: Tensor) -> Tensor:
    """[..., 2]: where points (x, y) [..., 2] at heights [...] are in the picture, from 0 to 1."""
    across, up, depth = _camera_axes(torch.cat([places, heights[..., None]], -1)).unbind(-1)
    depth = depth.clamp(min=0.1)
    return torch.stack([0.5 + across / depth * SCALE, 0.5 - up / depth * (SCALE * CAMERA.aspect)], -1)


def to_table(points: Tensor, heights: Tensor) -> Tensor:
    """[..., 2]: the points (x, y) at heights [...] that are seen at points [..., 2] of the picture."""
    right, up, forward = _axes(points)
    x, y = points[..., :1] - 0.5, points[..., 1:] - 0.5
    rays = forward + x / SCALE * right - y / (SCALE * CAMERA.aspect) * up
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
    for weight, found in ((cube, _cube(places, yaws)), (sphere, _sphere(places)), (cylinder, _cylinder(places))):
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
    slope = SCALE * CAMERA.aspect
    low_corner = torch.stack([0.5 + left * SCALE, 0.5 - high * slope], -1).clamp(0.0, 1.0)
    high_corner = torch.stack([0.5 + right * SCALE, 0.5 - low * slope], -1).clamp(0.0, 1.0)
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


def _cube(places: Tensor, yaws: Tensor) -> Tensor:
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


def _sphere(places: Tensor) -> Tensor:
    """[..., 4]: slopes of the tangents to a sphere."""
    across, up, depth = _camera_axes(_with_height(places, RADIUS)).unbind(-1)
    depth = depth.clamp(min=0.5)
    bounds = []
    for offset in (across, up):
        centre = torch.atan2(offset, depth)
        half = torch.asin((RADIUS / torch.hypot(offset, depth)).clamp(max=0.99))
        bounds += [(centre - half).tan(), (centre + half).tan()]
    return torch.stack(bounds, -1)


def _cylinder(places: Tensor) -> Tensor:
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
