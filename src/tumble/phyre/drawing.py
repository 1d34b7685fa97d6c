"""Drawing tasks for people: in the terminal, as pictures and as animations."""

from pathlib import Path

import numpy as np
from rich.text import Text

from tumble.output import half_blocks
from tumble.scene import Scene, rasterize, render_rgb, save_animation, save_image

COLUMNS = 64
"""Characters along the longer side of a drawing in the terminal."""
LETTERS = " *osSx#"
"""By colour index: background, placed ball, goal object, moving and fixed goal subject, other moving and fixed bodies.
"""
SMOOTHNESS = 4
"""Pixels along a side from which one of a drawing is averaged."""
THINNEST = 0.2
"""The share of a letter's place that a body has to exceed to be drawn there."""
STEPS_PER_SECOND = 60
REST = 1.0
"""Seconds for which an animation rests at its end before it begins again."""


def in_colour(scene: Scene, columns: int = COLUMNS) -> Text:
    """The scene at its start in half blocks, each of which shows two pixels, one above the other."""
    rows, across = _fitted(scene, columns)
    pixels = render_rgb(scene, size=(rows + rows % 2, across), smooth=SMOOTHNESS)
    return half_blocks(pixels)


def in_letters(scene: Scene, columns: int = COLUMNS) -> str:
    """The scene at its start in letters within a frame; a letter is about twice as high as wide."""
    rows, across = _fitted(scene, columns)
    colours = _coarse(scene, max(1, rows // 2), across)
    edge = f"+{'-' * across}+"
    lines = ("".join(LETTERS[colour] for colour in row) for row in colours)
    return "\n".join([edge, *(f"|{line}|" for line in lines), edge, ""])


def save_picture(path: Path, scene: Scene, side: int) -> None:
    """Write the scene at its start to a PNG file, `side` pixels along the longer side."""
    save_image(path, scene, size=_fitted(scene, side))


def save_motion(path: Path, scene: Scene, trajectory: np.ndarray, stride: int, side: int) -> None:
    """Write every `stride`-th of the poses [steps + 1, bodies, 3] to a .gif or .webp file, at their true speed.

    What comes after all bodies have come to rest is left out.
    """
    fps = STEPS_PER_SECOND / stride
    moving = np.flatnonzero((trajectory != trajectory[-1]).any(axis=(1, 2)))
    shown = trajectory[: moving[-1] + 1 : stride] if len(moving) else trajectory[:0]
    resting = np.repeat(trajectory[-1:], max(1, round(REST * fps)), axis=0)
    save_animation(path, scene, np.concatenate([shown, resting]), fps=fps, size=_fitted(scene, side))


def _coarse(scene: Scene, rows: int, columns: int) -> np.ndarray:
    """Colour indices [rows, columns]: the most common one of each cell, the background only where it is nearly all.

    Bodies that are thinner than a cell would otherwise get lost.
    """
    pixels = rasterize(scene, size=(rows * SMOOTHNESS, columns * SMOOTHNESS))
    cells = pixels.reshape(rows, SMOOTHNESS, columns, SMOOTHNESS)
    shares = np.stack([(cells == colour).mean(axis=(1, 3)) for colour in range(len(LETTERS))])
    shares[0] = THINNEST
    return np.asarray(shares.argmax(axis=0))


def _fitted(scene: Scene, side: int) -> tuple[int, int]:
    """Rows and columns of a picture whose longer side has so many."""
    scale = side / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))
