"""Rollouts as animated pictures."""

from pathlib import Path

import numpy as np

from tumble.phyre.observation.drawing import _fitted
from tumble.scene import Scene, save_animation

STEPS_PER_SECOND = 60

REST = 1.0
"""Seconds for which an animation rests at its end before it begins again."""


def save_motion(path: Path, scene: Scene, trajectory: np.ndarray, stride: int, side: int) -> None:
    """Write every `stride`-th of the poses [steps + 1, bodies, 3] to a .gif or .webp file, at their true speed.

    What comes after all bodies have come to rest is left out.
    """
    fps = STEPS_PER_SECOND / stride
    moving = np.flatnonzero((trajectory != trajectory[-1]).any(axis=(1, 2)))
    shown = trajectory[: moving[-1] + 1 : stride] if len(moving) else trajectory[:0]
    resting = np.repeat(trajectory[-1:], max(1, round(REST * fps)), axis=0)
    save_animation(path, scene, np.concatenate([shown, resting]), fps=fps, size=_fitted(scene, side))
