"""The colours of bodies, and the conversion between sRGB and linear light."""

import numpy as np

RGB = {
    "gray": (87, 87, 87),
    "red": (173, 35, 35),
    "blue": (42, 75, 215),
    "green": (29, 105, 20),
    "brown": (129, 74, 25),
    "purple": (129, 38, 192),
    "cyan": (41, 208, 208),
    "yellow": (255, 238, 51),
}
"""CLEVR's colours, in sRGB."""


def linear(srgb: np.ndarray) -> np.ndarray:
    """sRGB from 0 to 1 to linear light."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def srgb_bytes(light: np.ndarray) -> np.ndarray:
    """Linear light (1 is white) to uint8 sRGB.

    >>> srgb_bytes(np.array([0.0, 0.18, 1.0, 2.0])).tolist()
    [0, 118, 255, 255]
    """
    light = np.clip(light, 0.0, 1.0)
    srgb = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.rint(255.0 * srgb).astype(np.uint8)
