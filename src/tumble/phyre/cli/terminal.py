"""Drawings of scenes for the terminal."""

import numpy as np
from rich.text import Text

from tumble.output import half_blocks
from tumble.phyre.observation.drawing import picture_size
from tumble.scene import Scene, rasterize, render_rgb

COLUMNS = 64
"""Characters along the longer side of a drawing."""

CHARACTERS = " *osSx#"
"""By colour index: background, placed ball, goal object, moving and fixed goal subject, other moving and fixed bodies.
"""

SUPERSAMPLING = 4
"""Rendered pixels along each side of a pixel or character of a drawing."""

MIN_COVERAGE = 0.2
"""The share of a character's cell that a body has to exceed to be drawn there."""


def colour_drawing(scene: Scene, columns: int = COLUMNS) -> Text:
    """The scene at its start in half blocks, each of which shows two pixels, one above the other."""
    rows, across = picture_size(scene, columns)
    pixels = render_rgb(scene, size=(rows + rows % 2, across), smooth=SUPERSAMPLING)
    return half_blocks(pixels)


def text_drawing(scene: Scene, columns: int = COLUMNS) -> str:
    """The scene at its start in characters within a frame; a character is about twice as high as wide."""
    rows, across = picture_size(scene, columns)
    colours = _cell_colours(scene, max(1, rows // 2), across)
    edge = f"+{'-' * across}+"
    lines = ("".join(CHARACTERS[colour] for colour in row) for row in colours)
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def _cell_colours(scene: Scene, rows: int, columns: int) -> np.ndarray:
    """Colour indices [rows, columns]: the most common one of each cell.

    The background counts with MIN_COVERAGE only, so that bodies thinner than a cell are drawn too.
    """
    pixels = rasterize(scene, size=(rows * SUPERSAMPLING, columns * SUPERSAMPLING))
    cells = pixels.reshape(rows, SUPERSAMPLING, columns, SUPERSAMPLING)
    shares = np.stack([(cells == colour).mean(axis=(1, 3)) for colour in range(len(CHARACTERS))])
    shares[0] = MIN_COVERAGE
    return np.asarray(shares.argmax(axis=0))
