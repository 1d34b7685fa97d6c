"""Episodes as animations in real time."""

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
"""Default number of steps between pictures: 60 milliseconds."""
ROWS_SHOWN = SEEN_ROWS + 20
"""Rows of an animation; further down there is only earth."""
BEFORE, AFTER = 0.5, 1.0
"""Seconds for which the first and the last frame are shown."""
GIF_COLOURS = 256
INVISIBLE = 0.005
"""World units and radians below which motion is not visible."""


def save_motion(
    path: str | Path, motion: Motion, width: int = COLUMNS, progress: Callable[[int], None] | None = None
) -> None:
    """Writes a .gif or .webp file, `width` pixels wide, which ends once everything rests."""
    shown = frames_shown(motion)
    check_animation(path, fps(motion))
    painter = Painter(motion.objects, motion.slingshot)

    def pictures() -> Iterator[Image.Image]:
        last: np.ndarray | None = None
        for first in range(0, len(shown), CHUNK):
            chunk = shown[first : first + CHUNK]
            changed = np.flatnonzero(np.diff(chunk, prepend=-1))  # repeated frames are drawn once
            drawn = dict(zip(chunk[changed].tolist(), painter.paint(motion.poses[chunk[changed]]), strict=True))
            for frame in chunk.tolist():
                last = drawn.get(frame, last)
                assert last is not None
                yield fitted(last, width)
            if progress is not None:
                progress(len(chunk))

    sample = painter.paint(motion.poses[shown[np.linspace(0, len(shown) - 1, 6).astype(int)]])
    write_animation(path, pictures(), len(shown), fps(motion), _palette([fitted(each, width) for each in sample]))


def frames_shown(motion: Motion) -> np.ndarray:
    """int [n]: the frames of an animation: the first repeated, all until rest, and the last repeated."""
    distance = np.abs(_finite(motion.poses) - _finite(motion.poses[-1:]))
    moving = np.flatnonzero((distance > INVISIBLE).any(axis=(1, 2)))
    end = int(moving[-1]) + 1 if len(moving) else 0
    still = (round(seconds * fps(motion)) for seconds in (BEFORE, AFTER))
    before, after = (max(1, count) for count in still)
    return np.concatenate([np.zeros(before, int), np.arange(end + 1), np.full(after, len(motion.poses) - 1)])


def fps(motion: Motion) -> float:
    """Frames per second."""
    return float(1.0 / (motion.seconds[1] - motion.seconds[0])) if len(motion.seconds) > 1 else 1.0 / (STRIDE * STEP)


def fitted(picture: np.ndarray, width: int = COLUMNS) -> Image.Image:
    """A screenshot without most of the earth, scaled to `width` pixels."""
    image = Image.fromarray(picture[:ROWS_SHOWN])
    if width == COLUMNS:
        return image
    return image.resize((width, round(ROWS_SHOWN * width / COLUMNS)), Image.Resampling.BOX)


def _finite(poses: np.ndarray) -> np.ndarray:
    """Poses with absent objects far away instead of NaN."""
    return np.asarray(np.nan_to_num(poses, nan=1e9))


def _palette(pictures: list[Image.Image]) -> np.ndarray:
    """The palette of drawings, then the most common mixed colours of edges."""
    pixels = np.concatenate([np.asarray(picture).reshape(-1, 3) for picture in pictures])
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    mixed = [colour for colour in colours[np.argsort(-counts)].tolist() if colour not in PALETTE.tolist()]
    return np.array([*PALETTE.tolist(), *mixed][:GIF_COLOURS], np.uint8)
