"""A strip of frames of an attempt in one picture, each with its time."""

import numpy as np
from PIL import Image, ImageDraw

from tumble.phyre.llm.scene_picture import font, png_bytes
from tumble.phyre.observation.animation import STEPS_PER_SECOND
from tumble.scene import Scene, render_rgb

FRAMES = 6
COLUMNS = 3
SIDE = 164
"""Pixels of the picture along each frame."""
GAP = 5
TITLE = 16
"""Pixels above a frame, for its time."""
REST = 0.5
"""Pixels by which bodies may still move in a frame from which on all is at rest."""


def chosen_steps(poses: np.ndarray, important: int) -> list[int]:
    """Steps of at most 6 frames of poses [steps + 1, bodies, 3]: from the start to rest, an important one included."""
    away = np.abs(poses[..., :2] - poses[-1, :, :2]).max(axis=(1, 2))
    moving = np.flatnonzero(away > REST)
    last = min(len(poses) - 1, int(moving[-1]) + 1) if len(moving) else len(poses) - 1
    last = max(last, important)
    steps = np.linspace(0, last, FRAMES).round().astype(int).tolist()
    if important not in steps:
        inner = range(1, FRAMES - 1)
        steps[min(inner, key=lambda k: abs(steps[k] - important))] = important
    return sorted(set(steps))


def frame_strip(scene: Scene, poses: np.ndarray, steps: list[int]) -> bytes:
    """A PNG file of the frames at steps of poses [steps + 1, bodies, 3], three in a row."""
    rows = -(-len(steps) // COLUMNS)
    width, height = COLUMNS * (SIDE + GAP) + GAP, rows * (SIDE + TITLE + GAP)
    image = Image.new("RGB", (width, height), (235, 235, 235))
    draw = ImageDraw.Draw(image)
    pictures = render_rgb(scene, poses[steps], size=(SIDE, SIDE), smooth=2)
    for k, (step, pixels) in enumerate(zip(steps, pictures, strict=True)):
        x, y = GAP + k % COLUMNS * (SIDE + GAP), TITLE + k // COLUMNS * (SIDE + TITLE + GAP)
        image.paste(Image.fromarray(pixels), (x, y))
        draw.text((x + 2, y - 2), f"{step / STEPS_PER_SECOND:.1f} s", fill=(20, 20, 20), font=font(12), anchor="ls")
    return png_bytes(image)
