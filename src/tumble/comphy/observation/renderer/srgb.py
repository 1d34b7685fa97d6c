"""Linear light to bytes of sRGB, by a table."""

import numpy as np
import warp as wp

from tumble.comphy.observation.renderer.colors import srgb_bytes

LAST_INDEX = 4095
"""Of the table, whose index is proportional to the square root of the light."""
SCALE = wp.constant(float(LAST_INDEX))


def srgb_table() -> np.ndarray:
    """uint8 [index]: sRGB of the light (index / LAST_INDEX) ** 2."""
    return srgb_bytes((np.arange(LAST_INDEX + 1) / LAST_INDEX) ** 2)


@wp.func
def srgb_byte(table: wp.array(dtype=wp.uint8), light: float) -> wp.uint8:
    return table[int(wp.sqrt(wp.clamp(light, 0.0, 1.0)) * SCALE + 0.5)]


@wp.func
def srgb_pixel(table: wp.array(dtype=wp.uint8), light: wp.vec3) -> wp.vec3ub:
    return wp.vec3ub(srgb_byte(table, light[0]), srgb_byte(table, light[1]), srgb_byte(table, light[2]))
