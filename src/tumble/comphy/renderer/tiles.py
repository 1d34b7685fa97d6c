"""The tiles of the picture in which a body, its shadow or its contact shade can be seen."""

import numpy as np
import warp as wp

from tumble.comphy.camera import Camera
from tumble.comphy.renderer.rays import ABSENT
from tumble.comphy.renderer.shading import LAMP, LAMP_RADIUS, SHADE_REACH

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
    there = rows["shape"] != ABSENT
    seen = _bits(_covered(corners, there, camera, size))
    shadows = _covered(_shadows(corners), there, camera, size)
    shading = _bits(shadows | _covered(_shades(centers), there, camera, size))
    frame, y, x = np.nonzero(seen | shading)
    tiles = np.zeros(len(frame), TILE_ROW)
    tiles["frame"], tiles["y"], tiles["x"] = frame, y * TILE, x * TILE
    tiles["seen"], tiles["shading"] = seen[frame, y, x], shading[frame, y, x]
    return tiles[np.argsort(tiles["seen"] == 0, kind="stable")], int((tiles["seen"] != 0).sum())


def _bits(covered: np.ndarray) -> np.ndarray:
    """bool [frame, body, …] to int [frame, …]: bit k for body k."""
    return np.einsum("fb...,b->f...", covered, 1 << np.arange(covered.shape[1]))


def _covered(points: np.ndarray, there: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """bool [frame, body, tile down, tile across]: the tiles of the upright rectangle around points of each body."""
    spans = _pixels(points, camera, size) // TILE
    across, down = np.arange(-(-size[0] // TILE)), np.arange(-(-size[1] // TILE))
    columns = (across >= spans[..., 0, None]) & (across <= spans[..., 2, None])
    lines = (down >= spans[..., 1, None]) & (down <= spans[..., 3, None]) & there[..., None]
    return lines[..., None] & columns[..., None, :]


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
