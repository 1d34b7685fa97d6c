"""Drawings of views in the terminal."""

import numpy as np
from PIL import Image
from rich.console import Console

from tumble.output import console, half_blocks, print_line, shows_colours
from tumble.phyq.observation.camera import COLUMNS, PIXELS_PER_UNIT, TOP
from tumble.phyq.observation.drawing import SEEN_ROWS
from tumble.phyq.observation.view import View
from tumble.phyq.tasks.constants import GROUND_Y, HALF_WIDTH
from tumble.phyq.tasks.outlines import overlap_depth

MAX_COLUMNS = 100
"""Characters."""
CHARACTERS = {"pig": "o", "bird": "*", "egg": "e", "wood": "w", "ice": "i", "stone": "s", "tnt": "T", "platform": "#"}
"""By material or kind; earlier ones are drawn over later ones."""
HEADROOM = 1.0
"""Units above the highest object."""


def draw(view: View, target: Console | None = None) -> None:
    """Prints a drawing: in colour if the terminal can, else in characters."""
    output = target or console()
    columns = max(20, min(MAX_COLUMNS, output.width - 2))
    if shows_colours(output):
        output.print(half_blocks(_pixels(view, columns)), end="")
    else:
        output.print(text_drawing(view, columns), end="", soft_wrap=True)
        print_line("o pig, * bird, w wood, i ice, s stone, # platform, Y slingshot, - ground")


def text_drawing(view: View, columns: int = MAX_COLUMNS) -> str:
    """The view in characters, which are about twice as high as wide."""
    width = 2.0 * HALF_WIDTH / columns
    rows = round((_highest(view) - GROUND_Y) / (2.0 * width))
    grid = np.full((rows, columns), " ")
    corner = np.array([(0.0, 0.0), (width, 0.0), (width, 2.0 * width), (0.0, 2.0 * width)])
    order = list(CHARACTERS)
    slingshot = np.array([view.slingshot])
    drawn = [(slingshot + np.array([(-0.2, -1.0), (0.2, -1.0), (0.2, 0.5), (-0.2, 0.5)]), "Y")]
    for thing in sorted(view.objects, key=lambda thing: -order.index(thing.material or thing.kind)):
        drawn.append((thing.corners, CHARACTERS[thing.material or thing.kind]))
    for corners, character in drawn:
        low = np.floor((corners.min(axis=0) - (-HALF_WIDTH, GROUND_Y)) / (width, 2.0 * width)).astype(int)
        high = np.ceil((corners.max(axis=0) - (-HALF_WIDTH, GROUND_Y)) / (width, 2.0 * width)).astype(int)
        middle = np.clip(((low + high) // 2), 0, (columns - 1, rows - 1))
        for row in range(max(low[1], 0), min(high[1], rows)):
            for column in range(max(low[0], 0), min(high[0], columns)):
                cell = corner + np.array([column * width - HALF_WIDTH, row * 2.0 * width + GROUND_Y])
                if overlap_depth(cell, corners) > 0.25 * width or (column, row) == tuple(middle):
                    grid[row, column] = character
    lines = ["".join(row).rstrip() for row in grid[::-1]]
    return "\n".join([*lines, "-" * columns, ""])


def _highest(view: View) -> float:
    tops = [float(thing.corners[:, 1].max()) for thing in view.objects]
    return min(max([*tops, 0.0]) + HEADROOM, TOP)


def _pixels(view: View, columns: int) -> np.ndarray:
    """The screenshot [rows, columns, 3] from above the highest object down to the ground; rows is even."""
    first = max(0, int((TOP - _highest(view)) * PIXELS_PER_UNIT))
    picture = view.picture()[first:SEEN_ROWS]
    rows = round(len(picture) * columns / COLUMNS)
    return np.asarray(Image.fromarray(picture).resize((columns, rows + rows % 2), Image.Resampling.BOX))
