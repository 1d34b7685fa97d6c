"""Episodes as animations, at their true speed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from tumble.phyq.observation.camera import COLUMNS
from tumble.phyq.observation.drawing import CHUNK, SEEN_ROWS, Painter
from tumble.phyq.observation.scenery import PALETTE
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import STEP
from tumble.scene.animation import check_animation, write_animation

STRIDE = 3
"""Steps from one picture to the next, unless something else is wanted: 60 milliseconds."""
ROWS_SHOWN = SEEN_ROWS + 20
"""Further down there is only earth."""
BEFORE, AFTER = 0.5, 1.0
"""Seconds for which the start and the end are shown."""
GIF_COLOURS = 256
INVISIBLE = 0.005
"""Units and radians that nobody sees."""


def save_motion(
    path: str | Path, motion: Motion, width: int = COLUMNS, progress: Callable[[int], None] | None = None
) -> None:
    """Write a .gif or .webp file, `width` pixels wide; what comes after all has come to rest is left out."""
    shown = frames_shown(motion)
    check_animation(path, fps(motion))
    painter = Painter(motion.things, motion.slingshot)

    def pictures() -> Iterator[Image.Image]:
        last: np.ndarray | None = None
        for first in range(0, len(shown), CHUNK):
            chunk = shown[first : first + CHUNK]
            unlike = np.flatnonzero(np.diff(chunk, prepend=-1))  # the start and the end are drawn once
            drawn = dict(zip(chunk[unlike].tolist(), painter.paint(motion.poses[chunk[unlike]]), strict=True))
            for frame in chunk.tolist():
                last = drawn.get(frame, last)
                assert last is not None
                yield fitted(last, width)
            if progress is not None:
                progress(len(chunk))

    sample = painter.paint(motion.poses[shown[np.linspace(0, len(shown) - 1, 6).astype(int)]])
    write_animation(path, pictures(), len(shown), fps(motion), _palette([fitted(each, width) for each in sample]))


def frames_shown(motion: Motion) -> np.ndarray:
    """The frames of an animation: the first for a while, all until rest, and the last for a while."""
    away = np.abs(_known(motion.poses) - _known(motion.poses[-1:]))
    moving = np.flatnonzero((away > INVISIBLE).any(axis=(1, 2)))
    end = int(moving[-1]) + 1 if len(moving) else 0
    still = (round(seconds * fps(motion)) for seconds in (BEFORE, AFTER))
    begin, rest = (max(1, count) for count in still)
    return np.concatenate([np.zeros(begin, int), np.arange(end + 1), np.full(rest, len(motion.poses) - 1)])


def fps(motion: Motion) -> float:
    """Frames in a second."""
    return float(1.0 / (motion.seconds[1] - motion.seconds[0])) if len(motion.seconds) > 1 else 1.0 / (STRIDE * STEP)


def fitted(picture: np.ndarray, width: int = COLUMNS) -> Image.Image:
    """A screenshot without most of the earth, so many pixels wide."""
    image = Image.fromarray(picture[:ROWS_SHOWN])
    if width == COLUMNS:
        return image
    return image.resize((width, round(ROWS_SHOWN * width / COLUMNS)), Image.Resampling.BOX)


def _known(poses: np.ndarray) -> np.ndarray:
    """Poses in which absent is a place like others."""
    return np.asarray(np.nan_to_num(poses, nan=1e9))


def _palette(pictures: list[Image.Image]) -> np.ndarray:
    """Our colours, and the most common of the mixed ones at edges."""
    pixels = np.concatenate([np.asarray(picture).reshape(-1, 3) for picture in pictures])
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    mixed = [colour for colour in colours[np.argsort(-counts)].tolist() if colour not in PALETTE.tolist()]
    return np.array([*PALETTE.tolist(), *mixed][:GIF_COLOURS], np.uint8)
