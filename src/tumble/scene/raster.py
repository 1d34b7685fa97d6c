"""Drawing scenes as grids of colour indices, thousands of pictures at a time."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.poses import as_poses
from tumble.scene.scene import Scene
from tumble.scene.shape_table import shape_table

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
    pixels = np.zeros((len(batch), rows, columns), dtype=np.uint8)
    if len(batch) and scene.bodies:
        _paint(scene, batch, pixels)
    return pixels if checked.ndim == 3 else pixels[0]


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size of a picture as two ints (rows, columns), or a ValueError."""
    try:
        rows, columns = (int(side) for side in size)
        if (rows, columns) == tuple(size) and min(rows, columns) >= 1 and max(rows, columns) <= LARGEST_SIDE:
            return rows, columns
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(f"size must be (rows, columns), two whole numbers from 1 to {LARGEST_SIDE}, got {size!r}")


def _paint(scene: Scene, poses: NDArray[np.float64], pixels: NDArray[np.uint8]) -> None:
    import warp as wp  # here, because it takes half a second to load and only pictures need it

    from tumble.scene.raster_kernel import paint

    _, rows, columns = pixels.shape
    rows_per_unit, columns_per_unit = rows / scene.height, columns / scene.width
    table = shape_table(scene)

    # Warp's sine differs between machines, so the points are placed here.
    cosine, sine = (turn(poses[:, :, 2])[:, table.body_of_point] for turn in (np.cos, np.sin))
    place = poses[:, table.body_of_point]
    x, y = table.points.T
    points = np.empty((*place.shape[:2], 2), dtype=np.float32)
    with np.errstate(over="ignore"):
        points[..., 0] = (place[..., 0] + x * cosine - y * sine) * columns_per_unit - 0.5
        points[..., 1] = (scene.height - place[..., 1] - x * sine - y * cosine) * rows_per_unit - 0.5

    def shared(array: NDArray[np.generic], dtype: type) -> wp.array:
        return wp.array(array, dtype=dtype, device="cpu", copy=False)

    wp.launch(
        paint,
        dim=len(pixels),
        inputs=[
            shared(points, wp.vec2),
            shared(table.first_point, wp.int32),
            shared(table.point_count, wp.int32),
            shared((table.radius * rows_per_unit).astype(np.float32), wp.float32),
            shared(table.colour, wp.uint8),
            columns_per_unit / rows_per_unit,
        ],
        outputs=[shared(pixels, wp.uint8)],
        device="cpu",
    )
