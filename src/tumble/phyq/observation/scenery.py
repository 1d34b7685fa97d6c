"""What every picture shows: sky, hills and earth in the background, the slingshot, and grass in the foreground."""

from functools import cache

import numpy as np

from tumble.phyq.observation.appearance import COLOUR_INDEX, COLOURS, Layer, polygon, rectangle
from tumble.phyq.observation.camera import COLUMNS, GROUND_ROW, PIXELS_PER_UNIT, ROWS
from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH, REST_OFFSET
from tumble.scene import Vec

SLING_BOX = (-0.485, -1.005, 0.2, 1.05)
"""Left, bottom, right and top of the slingshot, relative to its position; 12 x 38 whole pixels."""
GRASS = 0.22
"""Height of the grass in world units."""
SKY = tuple((178 + 3 * k, 215 + 3 * k // 2, 242 + k // 2) for k in range(24))
"""Colours of the sky from the top down."""
PALETTE = np.array([*COLOURS.values(), *SKY], np.uint8)
"""uint8 [colours, 3]: red, green and blue of every colour index."""
HILLS = ((-14.0, 6.0, 1.9), (-3.5, 9.0, 2.6), (9.0, 7.0, 1.8), (17.0, 5.0, 2.8))
"""x, half width and height of each hill."""
CLOUDS = ((-9.0, 9.2, 1.0), (1.5, 10.4, 1.25), (11.0, 8.6, 0.9))
"""x, y and size of each cloud."""
PUFFS = ((-0.9, 0.0, 0.5), (0.0, 0.25, 0.75), (0.9, 0.0, 0.55))
"""x, y and radius of the parts of a cloud of size 1."""


def sling(slingshot: Vec) -> list[Layer]:
    """The layers of the slingshot."""
    x, y = slingshot
    left, bottom, right, top = SLING_BOX
    fork = y + 0.3
    rest_x, rest_y = x + REST_OFFSET[0], y + REST_OFFSET[1]
    return [
        rectangle(x - 0.2, y + bottom, x, fork, "sling"),
        rectangle(x - 0.16, y + bottom, x - 0.1, fork, "sling light"),
        polygon([(x - 0.2, fork), (x, fork), (x + left + 0.16, y + top), (x + left, y + top)], "sling"),
        polygon([(x - 0.2, fork - 0.1), (x, fork), (x + right, y + top), (x + right - 0.16, y + top)], "sling"),
        polygon([(x + left, y + top - 0.2), (rest_x, rest_y - 0.14), (rest_x, rest_y - 0.06)], "rubber"),
        polygon([(rest_x, rest_y - 0.14), (x + right, y + top - 0.2), (rest_x, rest_y - 0.06)], "rubber"),
    ]


def grass() -> list[Layer]:
    """The layers of the upper edge of the ground, which hide what reaches into it."""
    return [
        rectangle(-HALF_WIDTH, GROUND_Y - 1.7, HALF_WIDTH, GROUND_Y - GRASS, "earth"),
        rectangle(-HALF_WIDTH, GROUND_Y - GRASS, HALF_WIDTH, GROUND_Y, "grass"),
        rectangle(-HALF_WIDTH, GROUND_Y - GRASS, HALF_WIDTH, GROUND_Y - 0.7 * GRASS, "grass dark"),
    ]


@cache
def background(smoothness: int) -> np.ndarray:
    """Colour indices [480 * smoothness, 640 * smoothness] of the background."""
    rows, columns = ROWS * smoothness, COLUMNS * smoothness
    scale = PIXELS_PER_UNIT * smoothness
    horizon = GROUND_ROW * smoothness
    y, x = np.mgrid[0:rows, 0:columns] + 0.5
    bands = np.minimum(y / horizon * len(SKY), len(SKY) - 1).astype(np.uint8)
    picture = bands + np.uint8(len(COLOURS))
    across, up = x / scale - HALF_WIDTH, (horizon - y) / scale
    for middle, half, height in HILLS:
        picture[((across - middle) / half) ** 2 + (up / height) ** 2 < 1.0] = COLOUR_INDEX["hill"]
    for middle, height, size in CLOUDS:
        for dx, dy, r in PUFFS:
            away = (across - middle - dx * size) ** 2 + ((up - height - dy * size + GROUND_Y) / 0.7) ** 2
            picture[away < (r * size) ** 2] = COLOUR_INDEX["cloud"]
    picture[up < 0.0] = COLOUR_INDEX["earth"]
    picture[(up < -1.7) & (np.floor(up / 1.7) % 2 == 0)] = COLOUR_INDEX["earth dark"]
    for layer in grass():
        (_, low), (_, high) = layer.points.min(axis=0) - (0.0, GROUND_Y), layer.points.max(axis=0) - (0.0, GROUND_Y)
        picture[(up > low) & (up < high)] = COLOUR_INDEX[layer.colour]
    return np.asarray(picture)
