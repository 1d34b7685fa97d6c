"""A scene prepared for drawing: what stays the same from picture to picture is uploaded once."""

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from tumble.scene.raster_kernel import paint
from tumble.scene.scene import Scene
from tumble.scene.shape_table import shape_table

CACHED_PAINTERS = 64
SMALL = 256 * 256
"""Up to this number of pixels a single picture has a buffer of its own."""


class Painter:
    """Draws one scene with any poses."""

    def __init__(self, scene: Scene, rows: int, columns: int) -> None:
        self.scene = scene
        self.size = (rows, columns)
        table = shape_table(scene)
        self._rows_per_unit, self._columns_per_unit = rows / scene.height, columns / scene.width
        self._body_of_point = table.body_of_point
        self._x, self._y = table.points.T
        self._fixed: list[Any] = [
            _shared(table.first_point, wp.int32),
            _shared(table.point_count, wp.int32),
            _shared((table.radius * self._rows_per_unit).astype(np.float32), wp.float32),
            _shared(table.colour, wp.uint8),
            self._columns_per_unit / self._rows_per_unit,
        ]
        # a single small picture uses its own buffers and a recorded launch: Warp's calls would take longer than drawing
        self._lock = Lock()
        self._is_small = rows * columns <= SMALL
        if self._is_small:
            self._single_points = np.zeros((1, len(self._x), 2), np.float32)
            self._single_picture = np.zeros((1, rows, columns), np.uint8)
            self._single_launch = self._launch(self._single_points, self._single_picture, record_cmd=True)

    def paint(self, poses: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Pictures [n, rows, columns] for poses [n, bodies, 3]."""
        if len(poses) == 1 and self._is_small:
            with self._lock:
                self._place(poses, self._single_points)
                self._single_picture.fill(0)
                self._single_launch.launch()
                return self._single_picture.copy()
        points = np.empty((len(poses), len(self._x), 2), np.float32)
        pixels = np.zeros((len(poses), *self.size), np.uint8)
        self._place(poses, points)
        self._launch(points, pixels)
        return pixels

    def _place(self, poses: NDArray[np.float64], points: NDArray[np.float32]) -> None:
        """Writes the points of all shapes in pixels; in NumPy, as Warp's sine differs between machines."""
        bodies = np.stack([poses[..., 0], poses[..., 1], np.cos(poses[..., 2]), np.sin(poses[..., 2])], axis=-1)
        x, y, cosine, sine = np.moveaxis(bodies[:, self._body_of_point], -1, 0)
        with np.errstate(over="ignore"):
            points[..., 0] = (x + self._x * cosine - self._y * sine) * self._columns_per_unit - 0.5
            points[..., 1] = (self.scene.height - y - self._x * sine - self._y * cosine) * self._rows_per_unit - 0.5

    def _launch(self, points: NDArray[np.float32], pixels: NDArray[np.uint8], record_cmd: bool = False) -> Any:
        inputs = [_shared(points, wp.vec2), *self._fixed]
        outputs = [_shared(pixels, wp.uint8)]
        return wp.launch(paint, dim=len(pixels), inputs=inputs, outputs=outputs, device="cpu", record_cmd=record_cmd)


def _shared(array: NDArray[np.generic], dtype: type) -> Any:
    return wp.array(array, dtype=dtype, device="cpu", copy=False)


_painters: "OrderedDict[tuple[int, int, int], Painter]" = OrderedDict()
_painters_lock = Lock()


def painter_of(scene: Scene, rows: int, columns: int) -> Painter:
    """The painter of a scene; the last ones used are cached."""
    key = (id(scene), rows, columns)
    with _painters_lock:
        painter = _painters.get(key)
        if painter is None:
            painter = _painters[key] = Painter(scene, rows, columns)  # holds the scene, so that its id is not reused
            while len(_painters) > CACHED_PAINTERS:
                _painters.popitem(last=False)
        _painters.move_to_end(key)
    return painter
