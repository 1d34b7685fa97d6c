"""Drawing scenes as grids of colour indices, thousands of pictures at a time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.checks import PictureError
from tumble.scene.poses import as_poses
from tumble.scene.scene import Scene

LARGEST_SIDE = 16384


def rasterize(scene: Scene, poses: ArrayLike | None = None, size: tuple[int, int] = (256, 256)) -> NDArray[np.uint8]:
    """Draw the scene's view with `size` = (rows, columns) pixels; each pixel holds an index into PALETTE.

    Poses are [bodies, 3] (None: the initial ones) for one picture [rows, columns], or [pictures, bodies, 3]
    for [pictures, rows, columns]; a body with a NaN pose is absent. Row 0 is the top. A pixel belongs to a
    shape when its centre lies inside or on its edge, and later bodies are drawn over earlier ones.
    """
    rows, columns = checked_size(size)
    checked = as_poses(scene, poses)
    batch = checked if checked.ndim == 3 else checked[np.newaxis]
    if not len(batch) or not scene.bodies:
        return np.zeros((*checked.shape[:-2], rows, columns), dtype=np.uint8)
    from tumble.scene.painter import painter_of  # not at the top: Warp takes half a second to load

    pixels = painter_of(scene, rows, columns).paint(batch)
    return pixels if checked.ndim == 3 else pixels[0]


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size of a picture as two ints (rows, columns); a PictureError if it is out of range."""
    try:
        rows, columns = (int(side) for side in size)
        if (rows, columns) == tuple(size) and min(rows, columns) >= 1 and max(rows, columns) <= LARGEST_SIDE:
            return rows, columns
    except (TypeError, ValueError, OverflowError):
        pass
    raise PictureError(f"size must be (rows, columns), two whole numbers from 1 to {LARGEST_SIDE}, got {size!r}")
