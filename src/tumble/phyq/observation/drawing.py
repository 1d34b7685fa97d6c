"""Screenshots of levels: 480 rows of 640 pixels in colour, smooth at the edges.

picture = screenshot(level)
many = Painter(things(level)).paint(poses)          # [n, 480, 640, 3] for poses [n, things, 3]
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from PIL import Image

from tumble.phyq.observation import scenery
from tumble.phyq.observation.appearance import COLOUR_INDEX, Layer, layers
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, ROWS, to_pixels
from tumble.phyq.observation.things import Thing, poses_of, things
from tumble.phyq.tasks.level import Level
from tumble.scene import Vec
from tumble.scene.files import whole_file
from tumble.scene.raster_kernel import paint as paint_shapes

SMOOTHNESS = 3
"""Finer pixels along a side of each pixel, which is their mean."""
SEEN_ROWS = math.ceil(GROUND_ROW) + 6
"""Things are drawn so far down; below there is nothing but earth."""
CHUNK = 16
"""Pictures that are drawn at a time."""
_BITS = 12
"""Of a colour channel summed over the finer pixels of a pixel."""


class Painter:
    """Draws the same things in many poses."""

    def __init__(self, seen: Sequence[Thing], slingshot: Vec = Level.slingshot) -> None:
        self._start = poses_of(seen)
        world = len(seen)  # what never moves has a pose of its own, after those of the things
        drawn: list[tuple[int, Layer]] = []
        for behind in (True, False):
            drawn += [
                (k, layer) for k, one in enumerate(seen) if (one.kind == "platform") == behind for layer in layers(one)
            ]
            drawn += [(world, layer) for layer in (scenery.sling(slingshot) if behind else scenery.grass())]
        count = np.array([len(layer.points) for _, layer in drawn], np.int32)
        self._thing_of_point = np.repeat([k for k, _ in drawn], count)
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
        """Pictures [n, 480, 640, 3] for poses [n, things, 3] (x, y, radians; NaN: absent); one where they start."""
        given = self._start[None] if poses is None else np.asarray(poses, float)
        if given.ndim != 3 or given.shape[1:] != self._start.shape:
            raise ValueError(f"poses must be [n, {len(self._start)}, 3], got {list(given.shape)}")
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
        """All points in finer pixels; whole numbers are the middles of pixels."""
        everything = np.concatenate([poses, np.zeros((len(poses), 1, 3))], axis=1)
        x, y, turn = np.moveaxis(everything, -1, 0)
        c, s = (wave(turn)[:, self._thing_of_point] for wave in (np.cos, np.sin))
        along, up = self._local.T
        at_x, at_y = x[:, self._thing_of_point], y[:, self._thing_of_point]
        world = np.stack([at_x + along * c - up * s, at_y + along * s + up * c], axis=-1)
        return (to_pixels(world) * SMOOTHNESS - 0.5).astype(np.float32)


def screenshot(level: Level, seen: Iterable[Thing] | None = None) -> np.ndarray:
    """One picture [480, 640, 3] of a level at its start, or of what is there now."""
    return np.asarray(Painter(things(level) if seen is None else tuple(seen), level.slingshot).paint()[0])


def save_png(path: str | Path, picture: np.ndarray) -> None:
    """Write a picture to a PNG file, whole or not at all."""
    with whole_file(path) as temporary:
        Image.fromarray(picture).save(temporary, format="PNG")


def _cells(indices: np.ndarray) -> np.ndarray:
    """The finer pixels of every pixel: [rows, SMOOTHNESS, columns, SMOOTHNESS]."""
    return indices.reshape(-1, SMOOTHNESS, COLUMNS, SMOOTHNESS)


def _changed(indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows and columns of all pixels that aren't those of the background."""
    differs = indices != _fine_background()
    rows = np.logical_or.reduce([differs[k::SMOOTHNESS] for k in range(SMOOTHNESS)])
    found = np.nonzero(np.logical_or.reduce([rows[:, k::SMOOTHNESS] for k in range(SMOOTHNESS)]))
    return found[0], found[1]


def _means(cells: np.ndarray) -> np.ndarray:
    """Colours [n, 3] of the cells [n, SMOOTHNESS, SMOOTHNESS]; the channels are summed at once in one number."""
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
