"""The palette: the colour of a body follows from its role."""

import numpy as np
from numpy.typing import NDArray

from tumble.scene.body import Body

BACKGROUND = 0
PLACED = 1
OBJECT = 2
DYNAMIC_SUBJECT = 3
STATIC_SUBJECT = 4
OTHER_DYNAMIC = 5
OTHER_STATIC = 6

_HEX_COLOURS = (0xFFFFFF, 0xF34F46, 0x6BCEBB, 0x1877F2, 0x4B4AA4, 0xB9CAD2, 0x000000)

PALETTE: NDArray[np.uint8] = np.array([tuple(c.to_bytes(3, "big")) for c in _HEX_COLOURS], dtype=np.uint8)
"""Red, green and blue of each colour index: white, red, green, blue, purple, gray, black."""
PALETTE.setflags(write=False)


def colour_index(body: Body) -> int:
    """Index into PALETTE by the body's role ("placed", "object", "subject", other) and whether it moves."""
    if body.role == "placed":
        return PLACED
    if body.role == "object":
        return OBJECT
    if body.role == "subject":
        return DYNAMIC_SUBJECT if body.dynamic else STATIC_SUBJECT
    return OTHER_DYNAMIC if body.dynamic else OTHER_STATIC
