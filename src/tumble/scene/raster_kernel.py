"""The Warp kernel behind `rasterize`: fills the pixel spans of convex shapes, one picture per launch index.

It works in pixel coordinates: x counts columns, y counts rows downwards, and whole numbers are pixel centres.
In a file of its own because Warp compiles per Python module.
"""

# mypy: disable-error-code="untyped-decorator"

from typing import Literal

import warp as wp

from tumble.scene.warp_log import silence_warp

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
