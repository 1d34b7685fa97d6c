"""The tiles of the picture in which a body, its shadow or its contact shade can be seen."""

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.rays import ABSENT
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, SHADE_REACH

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

TILE = 8
"""Pixels along each side of a tile."""
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SQUARE = CORNERS[::2, :2]


@wp.struct
class Tile:
    """Some pixels of a frame, and which bodies matter there, one bit for each."""

    frame: int
    y: int
    """Of its first pixel."""
    x: int
    seen: int
    """Bodies that may be seen …"""
    shading: int
    """… or may throw a shadow or a shade on the table."""


TILE_ROW: np.dtype[np.void] = Tile.numpy_dtype()  # type: ignore[attr-defined]


def tiles_of(rows: np.ndarray, camera: Camera, size: tuple[int, int]) -> tuple[np.ndarray, int]:
    """The tiles that the bodies of BodyRow [frame, body] matter to, and how many of them, the first, may show one."""
    centers = rows["center"].astype(float)
    corners = centers[..., None, :] + rows["reach"][..., None, None] * CORNERS
    spans = [_pixels(points, camera, size) for points in (corners, _shadows(corners), _shades(centers))]
    there = np.tile(rows["shape"] != ABSENT, (1, len(spans)))
    codes = _covered(np.concatenate(spans, axis=1) // TILE, there, size)
    bodies = rows.shape[1]
    every = (1 << bodies) - 1
    touched = np.flatnonzero(codes)
    shows = codes.reshape(-1)[touched].astype(np.int64) & every != 0
    touched = np.concatenate([touched[shows], touched[~shows]])
    found = codes.reshape(-1)[touched].astype(np.int64)
    frame, y, x = np.unravel_index(touched, codes.shape)
    tiles = np.zeros(len(touched), TILE_ROW)
    tiles["frame"], tiles["y"], tiles["x"] = frame, y * TILE, x * TILE
    tiles["seen"], tiles["shading"] = found & every, (found >> bodies | found >> 2 * bodies) & every
    return tiles, int(shows.sum())


def _covered(spans: np.ndarray, there: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """[frame, span, 4] to [frame, tile down, tile across]: the sum of 2 ** span over the spans that cover a tile."""
    across, down = np.arange(-(-size[0] // TILE)), np.arange(-(-size[1] // TILE))
    columns = (across >= spans[..., 0, None]) & (across <= spans[..., 2, None])
    lines = (down >= spans[..., 1, None]) & (down <= spans[..., 3, None]) & there[..., None]
    weights = 2.0 ** np.arange(spans.shape[1])
    return np.asarray(np.swapaxes(lines * weights[:, None], 1, 2) @ columns.astype(float))


def _pixels(points: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """[frame, body, point, 3] to int [frame, body, 4]: the first and last pixel, x and y, around all points."""
    seen = camera.project(points)
    pixels = np.clip(seen[..., :2] * size, -1e6, 1e6)
    low, high = np.floor(pixels.min(axis=-2)) - 1, np.floor(pixels.max(axis=-2)) + 1
    behind = (seen[..., 2] < 0.05).any(axis=-1, keepdims=True)
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
