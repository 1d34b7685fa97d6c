"""Rollouts as animated pictures."""

from pathlib import Path

import numpy as np

from tumble.phyre.observation.drawing import picture_size
from tumble.scene import Scene, save_animation

STEPS_PER_SECOND = 60

END_PAUSE = 1.0
"""Seconds for which an animation shows its last frame before it repeats."""


def save_motion(path: Path, scene: Scene, trajectory: np.ndarray, stride: int, side: int) -> None:
    """Writes every `stride`-th of the poses [steps + 1, bodies, 3] to a .gif or .webp file, in real time.

    Frames after all bodies have come to rest are left out.
    """
    fps = STEPS_PER_SECOND / stride
    moving = np.flatnonzero((trajectory != trajectory[-1]).any(axis=(1, 2)))
    motion = trajectory[: moving[-1] + 1 : stride] if len(moving) else trajectory[:0]
    pause = np.repeat(trajectory[-1:], max(1, round(END_PAUSE * fps)), axis=0)
    save_animation(path, scene, np.concatenate([motion, pause]), fps=fps, size=picture_size(scene, side))
