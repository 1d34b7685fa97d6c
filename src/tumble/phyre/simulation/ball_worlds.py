"""The balls that an action places, and worlds with them."""

from dataclasses import replace

import numpy as np

from tumble import engine
from tumble.phyre.simulation.actions import MAX_RADIUS
from tumble.phyre.tasks.task import MATERIAL
from tumble.scene import Body, Circle, Scene

BALLS = tuple(
    Body((Circle(float(radius)),), dynamic=True, role="placed", **MATERIAL) for radius in range(1, int(MAX_RADIUS) + 1)
)
"""The balls that can be placed, by radius from 1 pixel on."""


def ball_at(x: float, y: float, radius: float) -> Body:
    """A placed ball; its radius is a whole number of pixels."""
    return replace(BALLS[int(radius) - 1], position=(x, y))


def build_worlds(scenes: tuple[Scene, ...], scene_of: np.ndarray, balls: np.ndarray) -> engine.Worlds:
    """Worlds with placed balls [world, ball, (x, y, radius)]; a ball of radius 0 is left out.

    `scene_of` is int [world]: the index of each world's scene.
    """
    poses = np.concatenate([balls[..., :2], np.zeros((*balls.shape[:2], 1))], axis=2)
    placed = balls[..., 2] > 0
    return engine.variants(
        scenes,
        scene_of=scene_of,
        kinds=BALLS,
        target=np.where(placed, engine.ADD, engine.NO_CHANGE),
        kind=np.where(placed, balls[..., 2] - 1, 0),
        poses=poses,
    )
