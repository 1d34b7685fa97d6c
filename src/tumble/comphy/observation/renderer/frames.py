"""The output of a renderer for one clip."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Frames:
    """The pictures of one clip, with a mask and the depth of each pixel."""

    rgb: np.ndarray
    """uint8 [frame, height, width, 3], sRGB."""
    mask: np.ndarray
    """uint8 [frame, height, width]: 0 for the table, k + 1 for body k."""
    depth: np.ndarray
    """float32 [frame, height, width]: distance along the view direction."""
