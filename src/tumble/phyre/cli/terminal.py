"""Scenes drawn in the terminal."""

import numpy as np
from rich.text import Text

from tumble.output import half_blocks
from tumble.phyre.observation.drawing import picture_size
from tumble.scene import Scene, rasterize, render_rgb

COLUMNS = 64
"""Characters along the longer side of a drawing in the terminal."""

LETTERS = " *osSx#"
"""By colour index: background, placed ball, goal object, moving and fixed goal subject, other moving and fixed bodies.
"""

SMOOTHNESS = 4
"""Pixels along a side from which one of a drawing is averaged."""

THINNEST = 0.2
"""The share of a letter's place that a body has to exceed to be drawn there."""


def in_colour(scene: Scene, columns: int = COLUMNS) -> Text:
    """The scene at its start in half blocks, each of which shows two pixels, one above the other."""
    rows, across = picture_size(scene, columns)
    pixels = render_rgb(scene, size=(rows + rows % 2, across), smooth=SMOOTHNESS)
    return half_blocks(pixels)


def in_letters(scene: Scene, columns: int = COLUMNS) -> str:
    """The scene at its start in letters within a frame; a letter is about twice as high as wide."""
    rows, across = picture_size(scene, columns)
    colours = _coarse(scene, max(1, rows // 2), across)
    edge = f"+{'-' * across}+"
    lines = ("".join(LETTERS[colour] for colour in row) for row in colours)
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def _coarse(scene: Scene, rows: int, columns: int) -> np.ndarray:
    """Colour indices [rows, columns]: the most common one of each cell, the background only where it is nearly all.

    Bodies that are thinner than a cell would otherwise get lost.
    """
    pixels = rasterize(scene, size=(rows * SMOOTHNESS, columns * SMOOTHNESS))
    cells = pixels.reshape(rows, SMOOTHNESS, columns, SMOOTHNESS)
    shares = np.stack([(cells == colour).mean(axis=(1, 3)) for colour in range(len(LETTERS))])
    shares[0] = THINNEST
    return np.asarray(shares.argmax(axis=0))
