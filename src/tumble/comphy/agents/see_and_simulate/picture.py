"""The picture as a map of the table: where the centre of a body at a place is seen, in pixels, and back.

All bodies have their centres at the same height, so that a plane is projected to the picture.
"""

from functools import lru_cache

import numpy as np

from tumble.comphy.catalogue.world import RADIUS
from tumble.comphy.observation.camera import CAMERA

WIDTH, HEIGHT = 240.0, 160.0
"""Of the picture whose pixels errors are measured in."""
MIN_DEPTH = 0.2
"""Bodies nearer to the camera's plane than this, which are out of view, are seen as if they were there."""


@lru_cache(maxsize=1)
def table_to_picture() -> np.ndarray:
    """[3, 3]: (x, y, 1) on the table to (u, v, 1) in pixels times the depth."""
    right, up, forward = CAMERA.axes
    offset = np.array([0.0, 0.0, RADIUS]) - CAMERA.position
    scale = CAMERA.focal_length / CAMERA.sensor_width
    across, above, depth = (np.array([axis[0], axis[1], axis @ offset]) for axis in (right, up, forward))
    return np.stack(
        [
            WIDTH * (0.5 * depth + scale * across),
            HEIGHT * (0.5 * depth - scale * CAMERA.aspect * above),
            depth,
        ]
    )


def pixels_of(places: np.ndarray) -> np.ndarray:
    """[..., 2] places on the table to [..., 2] pixels.

    >>> pixels_of(np.array(CAMERA.place(0.25, 0.5, RADIUS))).round(6).tolist()
    [60.0, 80.0]
    """
    (a, b, c), (d, e, f), (g, h, i) = table_to_picture()
    x, y = places[..., 0], places[..., 1]
    inverse = 1.0 / np.maximum(g * x + h * y + i, MIN_DEPTH)
    pixels = np.empty_like(places)
    pixels[..., 0] = (a * x + b * y + c) * inverse
    pixels[..., 1] = (d * x + e * y + f) * inverse
    return pixels


def places_of(pixels: np.ndarray) -> np.ndarray:
    """[..., 2] pixels to [..., 2] places on the table."""
    (a, b, c), (d, e, f), (g, h, i) = np.linalg.inv(table_to_picture())
    u, v = pixels[..., 0], pixels[..., 1]
    depth = g * u + h * v + i
    return np.stack([(a * u + b * v + c) / depth, (d * u + e * v + f) / depth], axis=-1)
