"""Screenshots of levels: 480 rows of 640 pixels in colour, with smooth edges.

>>> from tumble.phyq.catalogue.tasks import task
>>> screenshot(task("6.4:003").level).shape
(480, 640, 3)

`PlacedLayers` draws layers of objects in drawing order, placed at poses, as colour indices of subpixels; pictures for
people use it too.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from PIL import Image

from tumble.errors import TumbleError
from tumble.phyq.catalogue.level import Level
from tumble.phyq.observation.camera import (
    COLUMNS,
    GROUND_ROW,
    PIXELS_PER_UNIT,
    ROWS,
    SCREENSHOT_PALETTE,
    grass_layers,
    scenery_background,
    sling_layers,
    to_pixels,
)
from tumble.phyq.observation.objects import COLOUR_INDEX, GameObject, Layer, layers, objects_of, poses_of
from tumble.scene import Vec
from tumble.scene.files import whole_file
from tumble.scene.painter import paint as paint_shapes


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
            shared_array((np.cumsum(count) - count).astype(np.int32), wp.int32),
            shared_array(count, wp.int32),
            shared_array(np.array([layer.radius * scale for _, layer in drawn], np.float32), wp.float32),
            shared_array(np.array([colour_index[layer.colour] for _, layer in drawn], np.uint8), wp.uint8),
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
        inputs = [shared_array(subpixels, wp.vec2), *self._table, 1.0]
        wp.launch(paint_shapes, dim=len(poses), inputs=inputs, outputs=[shared_array(fine, wp.uint8)], device="cpu")


def checked_poses(poses: np.ndarray | None, start: np.ndarray) -> np.ndarray:
    """Poses [n, objects, 3], NaN where an object is absent; without any, those at the start [objects, 3]."""
    given = start[None] if poses is None else np.asarray(poses, float)
    if given.ndim != 3 or given.shape[1:] != start.shape:
        raise DrawingError(f"poses must be [n, {len(start)}, 3], got {list(given.shape)}")
    return np.where(np.isfinite(given).all(axis=-1, keepdims=True), given, np.nan)


def shared_array(array: np.ndarray, dtype: type) -> Any:
    """A Warp array on the CPU with the memory of a NumPy one."""
    return wp.array(array, dtype=dtype, device="cpu", copy=False)


SMOOTHNESS = 3
"""Subpixels along the side of each pixel, whose colour is their mean."""
SEEN_ROWS = math.ceil(GROUND_ROW) + 6
"""Rows from the top in which objects are drawn; below there is only earth."""
CHUNK = 16
"""Pictures that are drawn in one call."""
_BITS = 12
"""Bits for the sum of a colour channel over the subpixels of a pixel."""


class Painter:
    """Draws the same objects in many poses."""

    def __init__(self, objects: Sequence[GameObject], slingshot: Vec = Level.slingshot) -> None:
        self._start = poses_of(objects)
        world = len(objects)  # slingshot and grass share one fixed pose, which comes after those of the objects
        drawn: list[tuple[int, Layer]] = []
        for behind in (True, False):
            drawn += [
                (k, layer)
                for k, one in enumerate(objects)
                if (one.kind == "platform") == behind
                for layer in layers(one)
            ]
            drawn += [(world, layer) for layer in (sling_layers(slingshot) if behind else grass_layers())]
        self._layers = PlacedLayers(drawn, COLOUR_INDEX, to_pixels, PIXELS_PER_UNIT, SMOOTHNESS)

    def paint(self, poses: np.ndarray | None = None) -> np.ndarray:
        """Pictures uint8 [n, 480, 640, 3] for poses [n, objects, (x, y, radians)], NaN where an object is absent.

        Without poses, one picture of the objects where they are.
        """
        given = checked_poses(poses, self._start)
        pictures = np.empty((len(given), ROWS, COLUMNS, 3), np.uint8)
        for first in range(0, len(given), CHUNK):
            self._paint_chunk(given[first : first + CHUNK], pictures[first : first + CHUNK])
        return pictures

    def _paint_chunk(self, poses: np.ndarray, pictures: np.ndarray) -> None:
        fine = np.repeat(_fine_background()[None], len(poses), axis=0)
        self._layers.draw(np.concatenate([poses, np.zeros((len(poses), 1, 3))], axis=1), fine)
        for picture, indices in zip(pictures, fine, strict=True):
            picture[:] = _coarse_background()
            rows, columns = _changed(indices)
            picture[rows, columns] = _means(_cells(indices)[rows, :, columns, :])


def screenshot(level: Level, objects: Iterable[GameObject] | None = None) -> np.ndarray:
    """A picture uint8 [480, 640, 3] of a level at its start, or of the given objects."""
    return np.asarray(Painter(objects_of(level) if objects is None else tuple(objects), level.slingshot).paint()[0])


def save_png(path: str | Path, picture: np.ndarray) -> None:
    """Writes a picture to a PNG file, atomically."""
    with whole_file(path) as temporary:
        Image.fromarray(picture).save(temporary, format="PNG")


def _cells(indices: np.ndarray) -> np.ndarray:
    """The subpixels of every pixel: [rows, SMOOTHNESS, columns, SMOOTHNESS]."""
    return indices.reshape(-1, SMOOTHNESS, COLUMNS, SMOOTHNESS)


def _changed(indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the pixels that differ from the background."""
    differs = indices != _fine_background()
    rows = np.logical_or.reduce([differs[k::SMOOTHNESS] for k in range(SMOOTHNESS)])
    found = np.nonzero(np.logical_or.reduce([rows[:, k::SMOOTHNESS] for k in range(SMOOTHNESS)]))
    return found[0], found[1]


def _means(cells: np.ndarray) -> np.ndarray:
    """Mean colours [n, 3] of cells [n, SMOOTHNESS, SMOOTHNESS]; the three channels are packed into one integer."""
    total = _packed_palette()[cells].sum(axis=(1, 2))
    channels = [(total >> np.uint64(_BITS * k)) & np.uint64((1 << _BITS) - 1) for k in (2, 1, 0)]
    return np.asarray((np.stack(channels, axis=-1) + np.uint64(SMOOTHNESS**2 // 2)) // np.uint64(SMOOTHNESS**2))


@cache
def _packed_palette() -> np.ndarray:
    red, green, blue = SCREENSHOT_PALETTE.astype(np.uint64).T
    return np.asarray(red << np.uint64(2 * _BITS) | green << np.uint64(_BITS) | blue)


@cache
def _fine_background() -> np.ndarray:
    return np.asarray(scenery_background(SMOOTHNESS)[: SEEN_ROWS * SMOOTHNESS])


@cache
def _coarse_background() -> np.ndarray:
    cells = _cells(scenery_background(SMOOTHNESS)).swapaxes(1, 2).reshape(-1, SMOOTHNESS, SMOOTHNESS)
    return _means(cells).astype(np.uint8).reshape(ROWS, COLUMNS, 3)
