"""The Warp kernels that draw observations of many levels at once.

Screenshots are drawn in strips of one cell's height: `place_points` moves the points of all layers to where they are
seen, `paint_strips` paints each strip from back to front with SMOOTHNESS subpixels to a pixel's side, and
`mix_pixels` or `mix_cells` average the subpixels of those cells that something was painted in.
`fill_cells` and `fill_planes` make symbolic tensors.

In a file of its own because Warp compiles per Python module.
"""

# mypy: disable-error-code="untyped-decorator"

from typing import Literal

import warp as wp

from tumble.phyq.catalogue.physics import HALF_WIDTH
from tumble.phyq.observation.camera import COLUMNS, PIXELS_PER_UNIT, ROWS, TOP
from tumble.phyq.observation.drawing import SMOOTHNESS
from tumble.phyq.observation.sprites import (
    CHANNEL,
    CORNER_COUNT,
    FIRST_CORNER,
    FIRST_LAYER,
    FIRST_POINT,
    LAYER_COLOUR,
    LAYER_COUNT,
    LAYER_POINT,
    LAYER_POINTS,
)
from tumble.phyq.observation.symbolic import CELL
from tumble.scene.painter import circle_span, polygon_span
from tumble.scene.warp_setup import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

SIDE = CELL * SMOOTHNESS
"""Subpixels along the side of a cell."""
_CELLS_DOWN = wp.constant(ROWS // CELL)
_CELLS_ACROSS = wp.constant(COLUMNS // CELL)
_SIDE = wp.constant(SIDE)
_CELL = wp.constant(CELL)
_SMOOTHNESS = wp.constant(SMOOTHNESS)
_SAMPLES = wp.constant(SMOOTHNESS * SMOOTHNESS)
_CELL_PIXELS = wp.constant(CELL * CELL)
_LAST_COLUMN = wp.constant(COLUMNS * SMOOTHNESS - 1)
_NONE_ABOVE = wp.constant(1.0e9)

_F64 = wp.float64
_HALF_WIDTH = wp.constant(wp.float64(HALF_WIDTH))
_TOP = wp.constant(wp.float64(TOP))
_SCALE = wp.constant(wp.float64(PIXELS_PER_UNIT))
_FINE = wp.constant(wp.float64(SMOOTHNESS))
_HALF = wp.constant(wp.float64(0.5))
_CELL_SIDE = wp.constant(wp.float64(CELL))


@wp.kernel
def place_points(
    sprites: wp.array[wp.int32, Literal[2]],
    poses: wp.array[wp.vec4d, Literal[2]],
    first_point: wp.array[wp.int32, Literal[2]],
    sprite_ints: wp.array[wp.int32, Literal[2]],
    layer_ints: wp.array[wp.int32, Literal[2]],
    radius: wp.array[wp.float32],
    local: wp.array[wp.vec2d],
    points: wp.array[wp.vec2, Literal[2]],
    bounds: wp.array[wp.vec2, Literal[2]],
) -> None:
    """The points of one object in subpixels [1, points], and the first and last row that it reaches.

    Poses are x, y, cosine and sine; whole numbers are the centres of subpixels.
    """
    picture, k = wp.tid()
    sprite = sprites[picture, k]
    top = float(_NONE_ABOVE)
    bottom = float(-_NONE_ABOVE)
    if sprite >= 0:
        pose = poses[picture, k]
        at = first_point[picture, k]
        source = sprite_ints[sprite, FIRST_POINT]
        for layer in range(sprite_ints[sprite, LAYER_COUNT]):
            row = sprite_ints[sprite, FIRST_LAYER] + layer
            reach = radius[row]
            first = layer_ints[row, LAYER_POINT]
            for p in range(first, first + layer_ints[row, LAYER_POINTS]):
                own = local[source + p]
                x = pose[0] + own[0] * pose[2] - own[1] * pose[3]
                y = pose[1] + own[0] * pose[3] + own[1] * pose[2]
                column = (x + _HALF_WIDTH) * _SCALE * _FINE - _HALF
                line = wp.float32((_TOP - y) * _SCALE * _FINE - _HALF)
                points[0, at + p] = wp.vec2(wp.float32(column), line)
                if line - reach < top:
                    top = line - reach
                if line + reach > bottom:
                    bottom = line + reach
    bounds[picture, k] = wp.vec2(top, bottom)


@wp.func
def fill_span(
    fine: wp.array[wp.uint8, Literal[3]],
    touched: wp.array[wp.uint8, Literal[3]],
    background: wp.array[wp.uint8, Literal[2]],
    picture: int,
    strip: int,
    row: int,
    left: int,
    right: int,
    tone: wp.uint8,
    everywhere: int,
) -> None:
    """Fills subpixels of a row, cell by cell; a cell's background is copied when it is first painted in.

    Unless `everywhere`, only cells that something was painted in are filled.
    """
    cell = left // _SIDE
    last = right // _SIDE
    while cell <= last:
        begin = cell * _SIDE
        if touched[picture, strip, cell] == wp.uint8(0) and everywhere == 1:
            touched[picture, strip, cell] = wp.uint8(1)
            for y in range(strip * _SIDE, strip * _SIDE + _SIDE):
                x = begin
                while x < begin + _SIDE:
                    fine[picture, y, x] = background[y, x]
                    x = x + 1
        if touched[picture, strip, cell] != wp.uint8(0):
            column = wp.max(left, begin)
            stop = wp.min(right, begin + _SIDE - 1) + 1
            while column < stop:
                fine[picture, row, column] = tone
                column = column + 1
        cell = cell + 1


@wp.kernel
def paint_strips(
    sprites: wp.array[wp.int32, Literal[2]],
    first_point: wp.array[wp.int32, Literal[2]],
    bounds: wp.array[wp.vec2, Literal[2]],
    sprite_ints: wp.array[wp.int32, Literal[2]],
    layer_ints: wp.array[wp.int32, Literal[2]],
    radius: wp.array[wp.float32],
    points: wp.array[wp.vec2, Literal[2]],
    background: wp.array[wp.uint8, Literal[2]],
    fine: wp.array[wp.uint8, Literal[3]],
    touched: wp.array[wp.uint8, Literal[3]],
) -> None:
    """Paints one strip of a picture; the last object is the grass, which the background shows too."""
    picture, strip = wp.tid()
    for cell in range(_CELLS_ACROSS):
        touched[picture, strip, cell] = wp.uint8(0)
    first_row = float(strip * _SIDE)
    last_row = first_row + float(_SIDE - 1)
    objects = sprites.shape[1]
    for k in range(objects):
        reached = bounds[picture, k]
        if reached[0] <= last_row and reached[1] >= first_row:
            sprite = sprites[picture, k]
            everywhere = wp.where(k == objects - 1, 0, 1)
            for layer in range(sprite_ints[sprite, LAYER_COUNT]):
                index = sprite_ints[sprite, FIRST_LAYER] + layer
                reach = radius[index]
                first = first_point[picture, k] + layer_ints[index, LAYER_POINT]
                count = layer_ints[index, LAYER_POINTS]
                tone = wp.uint8(layer_ints[index, LAYER_COLOUR])
                start = points[0, first]
                top = start[1] - reach
                bottom = start[1] + reach
                for p in range(1, count):
                    y = points[0, first + p][1]
                    if y < top:
                        top = y
                    if y > bottom:
                        bottom = y
                row = wp.max(wp.ceil(top), first_row)
                bottom = wp.min(wp.floor(bottom), last_row)
                while row <= bottom:
                    span = wp.vec2()
                    if count == 1:
                        span = circle_span(start, reach, 1.0, row)
                    else:
                        span = polygon_span(points, 0, first, count, row)
                    left = wp.max(wp.ceil(span[0]), 0.0)
                    right = wp.min(wp.floor(span[1]), float(_LAST_COLUMN))
                    if left <= right:
                        fill_span(
                            fine, touched, background, picture, strip, int(row), int(left), int(right), tone, everywhere
                        )
                    row = row + 1.0


@wp.func
def mixed(
    fine: wp.array[wp.uint8, Literal[3]],
    palette: wp.array[wp.vec3i],
    picture: int,
    row: int,
    column: int,
) -> wp.vec3i:
    """The mean colour of a pixel's subpixels, rounded to the nearest."""
    total = wp.vec3i()
    y = row * _SMOOTHNESS
    while y < row * _SMOOTHNESS + _SMOOTHNESS:
        x = column * _SMOOTHNESS
        while x < column * _SMOOTHNESS + _SMOOTHNESS:
            total = total + palette[int(fine[picture, y, x])]
            x = x + 1
        y = y + 1
    return wp.vec3i(
        (total[0] + _SAMPLES // 2) // _SAMPLES,
        (total[1] + _SAMPLES // 2) // _SAMPLES,
        (total[2] + _SAMPLES // 2) // _SAMPLES,
    )


@wp.kernel
def mix_pixels(
    fine: wp.array[wp.uint8, Literal[3]],
    touched: wp.array[wp.uint8, Literal[3]],
    palette: wp.array[wp.vec3i],
    pictures: wp.array[wp.uint8, Literal[4]],
) -> None:
    """Writes the pixels of a cell that something was painted in."""
    picture, strip, cell = wp.tid()
    if touched[picture, strip, cell] != wp.uint8(0):
        for row in range(strip * _CELL, strip * _CELL + _CELL):
            for column in range(cell * _CELL, cell * _CELL + _CELL):
                colour = mixed(fine, palette, picture, row, column)
                for channel in range(3):
                    pictures[picture, row, column, channel] = wp.uint8(colour[channel])


@wp.kernel
def mix_cells(
    fine: wp.array[wp.uint8, Literal[3]],
    touched: wp.array[wp.uint8, Literal[3]],
    palette: wp.array[wp.vec3i],
    pictures: wp.array[wp.uint8, Literal[4]],
) -> None:
    """Writes the mean colour of the pixels of a cell that something was painted in, halves to the even number."""
    picture, strip, cell = wp.tid()
    if touched[picture, strip, cell] != wp.uint8(0):
        total = wp.vec3i()
        for row in range(strip * _CELL, strip * _CELL + _CELL):
            for column in range(cell * _CELL, cell * _CELL + _CELL):
                total = total + mixed(fine, palette, picture, row, column)
        for channel in range(3):
            mean = total[channel] // _CELL_PIXELS
            rest = total[channel] % _CELL_PIXELS
            if 2 * rest > _CELL_PIXELS or (2 * rest == _CELL_PIXELS and mean % 2 == 1):
                mean = mean + 1
            pictures[picture, strip, cell, channel] = wp.uint8(mean)


@wp.func
def clamped(value: wp.float64, limit: int) -> int:
    """A whole number of cells from 0 to a limit."""
    if not value > _F64(0.0):
        return 0
    if value >= wp.float64(limit):
        return limit
    return int(value)


@wp.func
def cell_box(
    pose: wp.vec4d, corners: wp.array[wp.vec2d], sprite_ints: wp.array[wp.int32, Literal[2]], sprite: int
) -> wp.vec4i:
    """The first and the end of the rows, and of the columns, of cells that an outline's bounding box reaches into."""
    first = sprite_ints[sprite, FIRST_CORNER]
    left = wp.float64(1.0e30)
    top = wp.float64(1.0e30)
    right = wp.float64(-1.0e30)
    bottom = wp.float64(-1.0e30)
    for p in range(first, first + sprite_ints[sprite, CORNER_COUNT]):
        own = corners[p]
        x = (own[0] * pose[2] - own[1] * pose[3]) + pose[0]
        y = (own[0] * pose[3] + own[1] * pose[2]) + pose[1]
        column = (x + _HALF_WIDTH) * _SCALE / _CELL_SIDE
        row = (_TOP - y) * _SCALE / _CELL_SIDE
        left = wp.min(left, column)
        right = wp.max(right, column)
        top = wp.min(top, row)
        bottom = wp.max(bottom, row)
    return wp.vec4i(
        clamped(wp.floor(top), _CELLS_DOWN),
        clamped(wp.ceil(bottom), _CELLS_DOWN),
        clamped(wp.floor(left), _CELLS_ACROSS),
        clamped(wp.ceil(right), _CELLS_ACROSS),
    )


@wp.kernel
def fill_cells(
    sprites: wp.array[wp.int32, Literal[2]],
    poses: wp.array[wp.vec4d, Literal[2]],
    sprite_ints: wp.array[wp.int32, Literal[2]],
    corners: wp.array[wp.vec2d],
    tensors: wp.array[wp.uint8, Literal[4]],
) -> None:
    """Sets the cells of one object's bounding box in tensors [n, rows, columns, channels]."""
    picture, k = wp.tid()
    sprite = sprites[picture, k]
    if sprite >= 0:
        channel = sprite_ints[sprite, CHANNEL]
        box = cell_box(poses[picture, k], corners, sprite_ints, sprite)
        for row in range(box[0], box[1]):
            for column in range(box[2], box[3]):
                tensors[picture, row, column, channel] = wp.uint8(1)


@wp.kernel
def fill_planes(
    sprites: wp.array[wp.int32, Literal[2]],
    poses: wp.array[wp.vec4d, Literal[2]],
    sprite_ints: wp.array[wp.int32, Literal[2]],
    corners: wp.array[wp.vec2d],
    tensors: wp.array[wp.float32, Literal[4]],
) -> None:
    """Sets the cells of one object's bounding box in tensors [n, channels, rows, columns]."""
    picture, k = wp.tid()
    sprite = sprites[picture, k]
    if sprite >= 0:
        channel = sprite_ints[sprite, CHANNEL]
        box = cell_box(poses[picture, k], corners, sprite_ints, sprite)
        for row in range(box[0], box[1]):
            for column in range(box[2], box[3]):
                tensors[picture, channel, row, column] = 1.0
