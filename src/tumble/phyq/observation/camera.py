"""The camera, which shows the whole level in 480 rows of 640 pixels."""

import numpy as np

from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH
from tumble.scene import Vec

ROWS, COLUMNS = 480, 640
PIXELS_PER_UNIT = COLUMNS / (2.0 * HALF_WIDTH)
TOP = -1.0 + ROWS / PIXELS_PER_UNIT / 2.0
"""World height of the upper edge; the camera looks at (0, -1)."""
GROUND_ROW = (TOP - GROUND_Y) * PIXELS_PER_UNIT
"""Pixels from the upper edge down to the ground."""


def to_pixels(points: np.ndarray) -> np.ndarray:
    """World points [..., 2] as pixels [..., 2] from the upper left corner, y down."""
    x, y = points[..., 0], points[..., 1]
    return np.stack([(x + HALF_WIDTH) * PIXELS_PER_UNIT, (TOP - y) * PIXELS_PER_UNIT], axis=-1)


def to_world(column: float, row: float) -> Vec:
    """The world point of a pixel.

    >>> to_world(320.0, 0.0)
    (0.0, 12.125)
    """
    return column / PIXELS_PER_UNIT - HALF_WIDTH, TOP - row / PIXELS_PER_UNIT
