"""The tiles of the picture in which a body, its shadow or its contact shade can be seen."""

import numpy as np

from tumble.comphy.camera import Camera
from tumble.comphy.renderer.rays import ABSENT
from tumble.comphy.renderer.shading import LAMP, LAMP_RADIUS, SHADE_REACH

TILE = 8
"""Pixels along each side of a tile."""
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SQUARE = CORNERS[::2, :2]


def tiles_of(rows: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """BodyRow [frame, body] to int32 [tile, 3]: the frame, y and x of the first pixel of each, by frame."""
    centers = rows["center"].astype(float)
    corners = centers[..., None, :] + rows["reach"][..., None, None] * CORNERS
    seen = [_pixels(points, camera, size) for points in (corners, _shadows(corners), _shades(centers))]
    spans = np.concatenate([span // TILE for span in seen], axis=1)
    there = np.tile(rows["shape"] != ABSENT, (1, len(seen)))
    across, down = np.arange(-(-size[0] // TILE)), np.arange(-(-size[1] // TILE))
    columns = (across >= spans[..., 0, None]) & (across <= spans[..., 2, None])
    lines = (down >= spans[..., 1, None]) & (down <= spans[..., 3, None]) & there[..., None]
    touched = np.einsum("fby,fbx->fyx", lines.astype(np.float32), columns.astype(np.float32)) > 0.0
    return (np.argwhere(touched) * (1, TILE, TILE)).astype(np.int32)


def _pixels(points: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """[frame, body, point, 3] to int [frame, body, 4]: the first and last pixel, x and y, around all points."""
    seen = camera.project(points)
    pixels = np.clip(seen[..., :2] * size, -1e6, 1e6)
    low, high = np.floor(pixels.min(axis=-2)) - 1, np.floor(pixels.max(axis=-2)) + 1
    behind = (seen[..., 2] < 0.05).any(axis=-1)[..., None]
    return np.concatenate([np.where(behind, 0, low), np.where(behind, size, high)], axis=-1).astype(int)


def _shadows(corners: np.ndarray) -> np.ndarray:
    """Where a box around a body throws its shadow on the table, half-shadow included."""
    slope = np.maximum(corners[..., 2:], 0.0)
    slope = slope / (LAMP[2] - slope)
    middle = corners[..., :2] + (corners[..., :2] - LAMP[:2]) * slope
    around = middle[..., None, :] + SQUARE * (LAMP_RADIUS * slope)[..., None, :]
    return _on_table(around.reshape(*around.shape[:-3], -1, 2))


def _shades(centers: np.ndarray) -> np.ndarray:
    """Corners of a square on the table around a body's contact shade."""
    radius = np.sqrt(np.maximum(SHADE_REACH**2 - centers[..., 2:] ** 2, 0.0))
    return _on_table(centers[..., None, :2] + SQUARE * radius[..., None, :])


def _on_table(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)
