"""Layers of objects in drawing order, which are placed at poses and drawn as colour indices of subpixels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp

from tumble.errors import TumbleError
from tumble.phyq.observation.appearance import Layer
from tumble.scene.raster_kernel import paint as paint_shapes


class DrawingError(TumbleError):
    """Poses that do not fit the objects to draw, or a picture of an impossible size."""


class PlacedLayers:
    """Draws layers, each with the number of the pose at which it is placed."""

    def __init__(
        self,
        drawn: Sequence[tuple[int, Layer]],
        colour_index: Mapping[str, int],
        to_pixels: Callable[[np.ndarray], np.ndarray],
        pixels_per_unit: float,
        smoothness: int,
    ) -> None:
        count = np.array([len(layer.points) for _, layer in drawn], np.int32)
        scale = smoothness * pixels_per_unit
        self._pose_of_point = np.repeat([k for k, _ in drawn], count)
        self._points = np.concatenate([layer.points for _, layer in drawn])
        self._to_pixels, self._smoothness = to_pixels, smoothness
        self._table = [
            shared((np.cumsum(count) - count).astype(np.int32), wp.int32),
            shared(count, wp.int32),
            shared(np.array([layer.radius * scale for _, layer in drawn], np.float32), wp.float32),
            shared(np.array([colour_index[layer.colour] for _, layer in drawn], np.uint8), wp.uint8),
        ]

    def draw(self, poses: np.ndarray, fine: np.ndarray) -> None:
        """Draws over pictures uint8 [n, rows, columns] of subpixels, for poses [n, poses, (x, y, radians)]."""
        x, y, turn = np.moveaxis(poses, -1, 0)
        c, s = (wave(turn)[:, self._pose_of_point] for wave in (np.cos, np.sin))
        along, up = self._points.T
        at_x, at_y = x[:, self._pose_of_point], y[:, self._pose_of_point]
        world = np.stack([at_x + along * c - up * s, at_y + along * s + up * c], axis=-1)
        # whole numbers are the centres of subpixels
        subpixels = (self._to_pixels(world) * self._smoothness - 0.5).astype(np.float32)
        inputs = [shared(subpixels, wp.vec2), *self._table, 1.0]
        wp.launch(paint_shapes, dim=len(poses), inputs=inputs, outputs=[shared(fine, wp.uint8)], device="cpu")


def checked_poses(poses: np.ndarray | None, start: np.ndarray) -> np.ndarray:
    """Poses [n, objects, 3], NaN where an object is absent; without any, those at the start [objects, 3]."""
    given = start[None] if poses is None else np.asarray(poses, float)
    if given.ndim != 3 or given.shape[1:] != start.shape:
        raise DrawingError(f"poses must be [n, {len(start)}, 3], got {list(given.shape)}")
    return np.where(np.isfinite(given).all(axis=-1, keepdims=True), given, np.nan)


def shared(array: np.ndarray, dtype: type) -> Any:
    """A Warp array on the CPU with the memory of a NumPy one."""
    return wp.array(array, dtype=dtype, device="cpu", copy=False)
