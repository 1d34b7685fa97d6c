"""The tiles of the picture in which a body, its shadow or its ambient occlusion can be seen."""

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.rays import ABSENT
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, OCCLUSION_RADIUS

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

TILE = 8
"""Pixels along each side of a tile."""
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SQUARE = CORNERS[::2, :2]


@wp.struct
class Tile:
    """A square of pixels of a frame, and the bodies that matter there, as sets with one bit for each body."""

    frame: int
    y: int
    """Of its first pixel."""
    x: int
    visible: int
    """Bodies that may be visible."""
    shadowing: int
    """Bodies that may cast a shadow on the table or occlude its sky."""


TILE_ROW: np.dtype[np.void] = Tile.numpy_dtype()  # type: ignore[attr-defined]


def tiles_of(rows: np.ndarray, camera: Camera, size: tuple[int, int]) -> tuple[np.ndarray, int]:
    """The tiles to trace, Tile [tile], for bodies BodyRow [frame, body].

    Those that may show a body come first; their number is returned too.
    """
    centers = rows["center"].astype(float)
    corners = centers[..., None, :] + rows["bounding_radius"][..., None, None] * CORNERS
    spans = [_pixel_spans(points, camera, size) for points in (corners, _shadows(corners), _occlusions(centers))]
    is_present = np.tile(rows["shape"] != ABSENT, (1, len(spans)))
    codes = _coverage(np.concatenate(spans, axis=1) // TILE, is_present, size)
    bodies = rows.shape[1]
    all_bodies = (1 << bodies) - 1
    touched = np.flatnonzero(codes)
    shows_body = codes.reshape(-1)[touched].astype(np.int64) & all_bodies != 0
    touched = np.concatenate([touched[shows_body], touched[~shows_body]])
    bits = codes.reshape(-1)[touched].astype(np.int64)
    frame, y, x = np.unravel_index(touched, codes.shape)
    tiles = np.zeros(len(touched), TILE_ROW)
    tiles["frame"], tiles["y"], tiles["x"] = frame, y * TILE, x * TILE
    tiles["visible"], tiles["shadowing"] = bits & all_bodies, (bits >> bodies | bits >> 2 * bodies) & all_bodies
    return tiles, int(shows_body.sum())


def _coverage(spans: np.ndarray, is_present: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """[frame, span, 4] to [frame, tile row, tile column]: the sum of 2 ** span over the spans that cover a tile."""
    across, down = np.arange(-(-size[0] // TILE)), np.arange(-(-size[1] // TILE))
    columns = (across >= spans[..., 0, None]) & (across <= spans[..., 2, None])
    rows = (down >= spans[..., 1, None]) & (down <= spans[..., 3, None]) & is_present[..., None]
    weights = 2.0 ** np.arange(spans.shape[1])
    return np.asarray(np.swapaxes(rows * weights[:, None], 1, 2) @ columns.astype(float))


def _pixel_spans(points: np.ndarray, camera: Camera, size: tuple[int, int]) -> np.ndarray:
    """[frame, body, point, 3] to int [frame, body, 4]: first x, first y, last x, last y around all points."""
    projected = camera.project(points)
    pixels = np.clip(projected[..., :2] * size, -1e6, 1e6)
    low, high = np.floor(pixels.min(axis=-2)) - 1, np.floor(pixels.max(axis=-2)) + 1
    is_behind = (projected[..., 2] < 0.05).any(axis=-1, keepdims=True)
    return np.concatenate([np.where(is_behind, 0, low), np.where(is_behind, size, high)], axis=-1).astype(int)


def _shadows(corners: np.ndarray) -> np.ndarray:
    """[frame, body, corner, 3] to [frame, body, point, 3]: the shadow of a box on the table, penumbra included."""
    slope = np.maximum(corners[..., 2:], 0.0)
    slope = slope / (LAMP[2] - slope)
    middle = corners[..., :2] + (corners[..., :2] - LAMP[:2]) * slope
    around = middle[..., None, :] + SQUARE * (LAMP_RADIUS * slope)[..., None, :]
    return _on_table(around.reshape(*around.shape[:-3], -1, 2))


def _occlusions(centers: np.ndarray) -> np.ndarray:
    """[frame, body, 3] to [frame, body, 4, 3]: a square on the table around each body's ambient occlusion."""
    radius = np.sqrt(np.maximum(OCCLUSION_RADIUS**2 - centers[..., 2:] ** 2, 0.0))
    return _on_table(centers[..., None, :2] + SQUARE * radius[..., None, :])


def _on_table(points: np.ndarray) -> np.ndarray:
    """[..., 2] to [..., 3], at height 0."""
    return np.concatenate([points, np.zeros((*points.shape[:-1], 1))], axis=-1)
