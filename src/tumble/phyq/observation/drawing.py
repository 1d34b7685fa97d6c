"""Screenshots of levels: 480 rows of 640 pixels in colour, with smooth edges.

>>> from tumble.phyq.tasks.catalogue import task
>>> screenshot(task("6.4:003").level).shape
(480, 640, 3)
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from PIL import Image

from tumble.errors import TumbleError
from tumble.phyq.observation import scenery
from tumble.phyq.observation.appearance import COLOUR_INDEX, Layer, layers
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, ROWS, to_pixels
from tumble.phyq.observation.objects import GameObject, objects_of, poses_of
from tumble.phyq.tasks.level import Level
from tumble.scene import Vec
from tumble.scene.files import whole_file
from tumble.scene.raster_kernel import paint as paint_shapes

SMOOTHNESS = 3
"""Subpixels along the side of each pixel, whose colour is their mean."""
SEEN_ROWS = math.ceil(GROUND_ROW) + 6
"""Rows from the top in which objects are drawn; below there is only earth."""
CHUNK = 16
"""Pictures that are drawn in one call."""
_BITS = 12
"""Bits for the sum of a colour channel over the subpixels of a pixel."""


class DrawingError(TumbleError):
    """Poses that do not fit the objects to draw."""


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
            drawn += [(world, layer) for layer in (scenery.sling(slingshot) if behind else scenery.grass())]
        count = np.array([len(layer.points) for _, layer in drawn], np.int32)
        self._object_of_point = np.repeat([k for k, _ in drawn], count)
        self._local = np.concatenate([layer.points for _, layer in drawn])
        scale = SMOOTHNESS * float(np.ptp(to_pixels(np.array([[0.0, 0.0], [0.0, 1.0]]))[:, 1]))
        radius = np.array([layer.radius * scale for _, layer in drawn], np.float32)
        self._fixed = [
            _shared((np.cumsum(count) - count).astype(np.int32), wp.int32),
            _shared(count, wp.int32),
            _shared(radius, wp.float32),
            _shared(np.array([COLOUR_INDEX[layer.colour] for _, layer in drawn], np.uint8), wp.uint8),
            1.0,
        ]

    def paint(self, poses: np.ndarray | None = None) -> np.ndarray:
        """Pictures uint8 [n, 480, 640, 3] for poses [n, objects, (x, y, radians)], NaN where an object is absent.

        Without poses, one picture of the objects where they are.
        """
        given = self._start[None] if poses is None else np.asarray(poses, float)
        if given.ndim != 3 or given.shape[1:] != self._start.shape:
            raise DrawingError(f"poses must be [n, {len(self._start)}, 3], got {list(given.shape)}")
        given = np.where(np.isfinite(given).all(axis=-1, keepdims=True), given, np.nan)
        pictures = np.empty((len(given), ROWS, COLUMNS, 3), np.uint8)
        for first in range(0, len(given), CHUNK):
            self._paint_chunk(given[first : first + CHUNK], pictures[first : first + CHUNK])
        return pictures

    def _paint_chunk(self, poses: np.ndarray, pictures: np.ndarray) -> None:
        points = self._placed(poses)
        fine = np.repeat(_fine_background()[None], len(poses), axis=0)
        inputs = [_shared(points, wp.vec2), *self._fixed]
        wp.launch(paint_shapes, dim=len(poses), inputs=inputs, outputs=[_shared(fine, wp.uint8)], device="cpu")
        for picture, indices in zip(pictures, fine, strict=True):
            picture[:] = _coarse_background()
            rows, columns = _changed(indices)
            picture[rows, columns] = _means(_cells(indices)[rows, :, columns, :])

    def _placed(self, poses: np.ndarray) -> np.ndarray:
        """All points in subpixels, float32 [n, points, 2]; whole numbers are the centres of subpixels."""
        everything = np.concatenate([poses, np.zeros((len(poses), 1, 3))], axis=1)
        x, y, turn = np.moveaxis(everything, -1, 0)
        c, s = (wave(turn)[:, self._object_of_point] for wave in (np.cos, np.sin))
        along, up = self._local.T
        at_x, at_y = x[:, self._object_of_point], y[:, self._object_of_point]
        world = np.stack([at_x + along * c - up * s, at_y + along * s + up * c], axis=-1)
        return (to_pixels(world) * SMOOTHNESS - 0.5).astype(np.float32)


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
    red, green, blue = scenery.PALETTE.astype(np.uint64).T
    return np.asarray(red << np.uint64(2 * _BITS) | green << np.uint64(_BITS) | blue)


@cache
def _fine_background() -> np.ndarray:
    return np.asarray(scenery.background(SMOOTHNESS)[: SEEN_ROWS * SMOOTHNESS])


@cache
def _coarse_background() -> np.ndarray:
    cells = _cells(scenery.background(SMOOTHNESS)).swapaxes(1, 2).reshape(-1, SMOOTHNESS, SMOOTHNESS)
    return _means(cells).astype(np.uint8).reshape(ROWS, COLUMNS, 3)


def _shared(array: np.ndarray, dtype: type) -> Any:
    return wp.array(array, dtype=dtype, device="cpu", copy=False)
