"""Screenshots of levels: 480 rows of 640 pixels in colour, with smooth edges.

>>> from tumble.phyq.tasks.catalogue import task
>>> screenshot(task("6.4:003").level).shape
(480, 640, 3)
"""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.phyq.observation import scenery
from tumble.phyq.observation.appearance import COLOUR_INDEX, Layer, layers
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, PIXELS_PER_UNIT, ROWS, to_pixels
from tumble.phyq.observation.objects import GameObject, objects_of, poses_of
from tumble.phyq.observation.placed_layers import PlacedLayers, checked_poses
from tumble.phyq.tasks.level import Level
from tumble.scene import Vec
from tumble.scene.files import whole_file

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
            drawn += [(world, layer) for layer in (scenery.sling(slingshot) if behind else scenery.grass())]
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
    red, green, blue = scenery.PALETTE.astype(np.uint64).T
    return np.asarray(red << np.uint64(2 * _BITS) | green << np.uint64(_BITS) | blue)


@cache
def _fine_background() -> np.ndarray:
    return np.asarray(scenery.background(SMOOTHNESS)[: SEEN_ROWS * SMOOTHNESS])


@cache
def _coarse_background() -> np.ndarray:
    cells = _cells(scenery.background(SMOOTHNESS)).swapaxes(1, 2).reshape(-1, SMOOTHNESS, SMOOTHNESS)
    return _means(cells).astype(np.uint8).reshape(ROWS, COLUMNS, 3)
