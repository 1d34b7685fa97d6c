"""The Warp kernel behind `rasterize`, and painters: scenes prepared for drawing.

The kernel fills the pixel spans of convex shapes, one picture per launch index. It works in pixel coordinates: x
counts columns, y counts rows downwards, and whole numbers are pixel centres. A painter uploads once what stays the
same from picture to picture. No other kernel may be in this file, because Warp compiles per Python module.
"""

from collections import OrderedDict
from threading import Lock
from typing import Any, Literal

import numpy as np
import warp as wp
from numpy.typing import NDArray

from tumble.scene.drawing import shape_table
from tumble.scene.scene import Scene
from tumble.scene.warp_setup import silence_warp

# mypy: disable-error-code="untyped-decorator"


silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FAR = wp.constant(1.0e30)


@wp.func
def polygon_span(points: wp.array[wp.vec2, Literal[2]], picture: int, first: int, count: int, row: float) -> wp.vec2:
    """The leftmost and rightmost x of a convex polygon on a row of pixel centres (left > right: none)."""
    left = float(FAR)
    right = float(-FAR)
    a = points[picture, first + count - 1]
    for k in range(count):
        b = points[picture, first + k]
        if (a[1] <= row and row <= b[1]) or (b[1] <= row and row <= a[1]):
            x = b[0]
            if a[1] != b[1]:
                x = b[0] + (row - b[1]) * (a[0] - b[0]) / (a[1] - b[1])
            if x < left:
                left = x
            if x > right:
                right = x
        a = b
    return wp.vec2(left, right)


@wp.func
def circle_span(centre: wp.vec2, radius: float, stretch: float, row: float) -> wp.vec2:
    """The leftmost and rightmost x of a circle on a row of pixel centres (left > right: none)."""
    away = row - centre[1]
    square = (radius - away) * (radius + away)
    half = -1.0
    if square >= 0.0:
        half = stretch * wp.sqrt(square)
    return wp.vec2(centre[0] - half, centre[0] + half)


@wp.kernel
def paint(
    points: wp.array[wp.vec2, Literal[2]],
    first_point: wp.array[wp.int32],
    point_count: wp.array[wp.int32],
    radius: wp.array[wp.float32],
    colour: wp.array[wp.uint8],
    stretch: float,
    pixels: wp.array[wp.uint8, Literal[3]],
) -> None:
    """Draw every shape of a picture in order; a shape of one point is a circle of `radius` rows.

    `stretch` is how many columns are as long as one row is high. The bounds are clamped by comparisons that
    hold for any float, NaN and infinity too, so that nothing is ever written outside the picture.
    """
    picture = wp.tid()
    last_row = float(pixels.shape[1] - 1)
    last_column = float(pixels.shape[2] - 1)
    for shape in range(colour.shape[0]):
        first = first_point[shape]
        count = point_count[shape]
        reach = radius[shape]
        tone = colour[shape]
        start = points[picture, first]
        top = start[1] - reach
        bottom = start[1] + reach
        for k in range(1, count):
            y = points[picture, first + k][1]
            if y < top:
                top = y
            if y > bottom:
                bottom = y
        top = wp.ceil(top)
        bottom = wp.floor(bottom)
        if not top > 0.0:
            top = 0.0
        if not bottom < last_row:
            bottom = last_row
        if not wp.isfinite(start[1]):
            bottom = -1.0
        row = top
        while row <= bottom:
            span = wp.vec2()
            if count == 1:
                span = circle_span(start, reach, stretch, row)
            else:
                span = polygon_span(points, picture, first, count, row)
            left = wp.ceil(span[0])
            right = wp.floor(span[1])
            if not left > 0.0:
                left = 0.0
            if not right < last_column:
                right = last_column
            if left <= right:
                line = int(row)
                column = int(left)
                stop = int(right) + 1
                while column < stop:  # nearly twice as fast as a `for` over a range
                    pixels[picture, line, column] = tone
                    column = column + 1
            row = row + 1.0


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
