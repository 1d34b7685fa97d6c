"""The part of the picture in which a body, its shadow or its contact shade can be seen."""

import numpy as np

from tumble.comphy.camera import Camera
from tumble.comphy.renderer.rays import ABSENT
from tumble.comphy.renderer.shading import LAMP, LAMP_RADIUS

SHADE_REACH = 1.0
"""A body's middle takes no light of the sky away further off than this."""
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def areas_of(rows: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """BodyRow [frame, body] to int32 [frame, body, 4]: x from, y from, x to, y to; empty for what is not there."""
    centers = rows["center"].astype(float)
    corners = centers[..., None, :] + rows["reach"][..., None, None] * CORNERS
    points = np.concatenate([corners, _shadows(corners), _shades(centers)], axis=-2)
    seen = camera.project(points)
    pixels = seen[..., :2] * size
    low = np.floor(pixels.min(axis=-2)) - 1
    high = np.ceil(pixels.max(axis=-2)) + 1
    behind = (seen[..., 2] < 0.05).any(axis=-1)
    areas = np.concatenate([np.where(behind[..., None], 0, low), np.where(behind[..., None], size, high)], axis=-1)
    areas = np.clip(areas, 0, np.tile(size, 2))
    areas[rows["shape"] == ABSENT] = 0
    return areas.astype(np.int32)


def _shadows(corners: np.ndarray) -> np.ndarray:
    """Where a box around a body throws its shadow on the table, half-shadow included."""
    height = np.maximum(corners[..., 2:], 0.0)
    slope = height / (LAMP[2] - height)
    middle = corners[..., :2] + (corners[..., :2] - LAMP[:2]) * slope
    spread = np.array([[x, y] for x in (-1, 1) for y in (-1, 1)], float)
    around = middle[..., None, :] + spread * (LAMP_RADIUS * slope)[..., None, :]
    flat = around.reshape(*around.shape[:-3], -1, 2)
    return np.concatenate([flat, np.zeros((*flat.shape[:-1], 1))], axis=-1)


def _shades(centers: np.ndarray) -> np.ndarray:
    """Corners of a square on the table around a body's contact shade."""
    radius = np.sqrt(np.maximum(SHADE_REACH**2 - centers[..., 2:] ** 2, 0.0))[..., None, :]
    corners = centers[..., None, :] + CORNERS[::2] * radius
    corners[..., 2] = 0.0
    return corners
