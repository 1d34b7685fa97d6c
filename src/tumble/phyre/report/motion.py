"""Attempts as small animations that stand in a page."""

import io

import numpy as np
from PIL import Image

from tumble.phyre.attempt import Attempt
from tumble.phyre.drawing import STEPS_PER_SECOND
from tumble.report.data_uri import data_uri as embedded
from tumble.scene import rasterize
from tumble.scene.colours import PALETTE

SIDE = 128
FPS = 10
LONGEST = 12.0
"""Seconds of an attempt that are shown."""
REST = 1.0
"""Seconds for which it rests at its end before it begins again."""


def data_uri(attempt: Attempt) -> str:
    """A GIF of an attempt whose trajectories were wanted; what comes after all bodies have come to rest is left out."""
    assert attempt.scene is not None
    assert attempt.trajectories is not None
    poses = attempt.trajectories
    moving = np.flatnonzero((poses != poses[-1]).any(axis=(1, 2)))
    end = min(int(moving[-1]) + 2 if len(moving) else 1, int(LONGEST * STEPS_PER_SECOND))
    shown = np.concatenate([poses[: end : STEPS_PER_SECOND // FPS], poses[end - 1 : end]])
    frames = [Image.fromarray(pixels) for pixels in rasterize(attempt.scene, shown, (SIDE, SIDE))]
    for frame in frames:
        frame.putpalette(PALETTE.tobytes())
    durations = [1000 // FPS] * (len(frames) - 1) + [round(1000 * REST)]
    stream = io.BytesIO()
    frames[0].save(stream, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    return embedded(stream.getvalue(), "gif")
