"""What pictures of one size share: the view, the lamp, the tones and the bare table, ready on a device."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer import kernels
from tumble.comphy.observation.renderer.colors import srgb_bytes
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, SHADOW_RAYS

Size = tuple[int, int]
"""Width and height in pixels."""
GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)


class SizeError(ValueError):
    """A picture of a size that can't be."""


class Studio:
    """A camera before the bare table."""

    def __init__(self, device: Any, camera: Camera, size: Size) -> None:
        width, height = size
        self.view = view_of(camera, size)
        self.lamp = wp.array(lamp_points(), dtype=wp.vec3, device=device)
        self.tones = wp.array(tones(), dtype=wp.uint8, device=device)
        self.rgb = wp.empty((height, width, 3), dtype=wp.uint8, device=device)
        self.depth = wp.empty((height, width), dtype=float, device=device)
        self._paint(device, (height, width))

    def _paint(self, device: Any, shape: tuple[int, int]) -> None:
        inputs = [self.view, self.tones, self.rgb, self.depth]
        wp.launch(kernels.paint_table, dim=shape, inputs=inputs, device=device, block_dim=kernels.BLOCK)
        wp.synchronize_device(device)


@lru_cache(maxsize=8)
def studio(device: str, camera: Camera, size: Size) -> Studio:
    """The studio for pictures of a size, kept for the next clip."""
    if min(size) < 1 or max(size) > 8192:
        raise SizeError(f"a picture must be from 1x1 to 8192x8192 pixels, not {'x'.join(map(str, size))}")
    return Studio(wp.get_device(device), camera, size)


def view_of(camera: Camera, size: Size) -> Any:
    """The camera's rays."""
    width, height = size
    right, up, forward = camera.axes
    across = right * camera.sensor / camera.lens
    down = -up * camera.sensor / camera.lens / camera.aspect
    corner = forward - 0.5 * across - 0.5 * down
    highest = max(corner[2], (corner + across)[2])
    if camera.position[2] <= 0.0 or highest > -0.01:
        raise SizeError("the camera must look down so far that the table fills the picture")
    view = kernels.View()
    view.eye, view.forward, view.corner = wp.vec3(*camera.position), wp.vec3(*forward), wp.vec3(*corner)
    view.across, view.down = wp.vec3(*(across / width)), wp.vec3(*(down / height))
    return view


def lamp_points() -> np.ndarray:
    """[ray, 3]: points of the lamp's disc, evenly spread on a spiral, no two in line with an edge."""
    towards = np.array(LAMP) / np.linalg.norm(LAMP)
    side = np.cross(towards, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side)
    number = np.arange(SHADOW_RAYS)
    radius, angle = LAMP_RADIUS * np.sqrt((number + 0.5) / SHADOW_RAYS), number * GOLDEN_ANGLE
    flat = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return (LAMP + flat @ np.stack([side, np.cross(towards, side)])).astype(np.float32)


def tones() -> np.ndarray:
    """uint8 [index]: sRGB of the light whose square root is index / the last index."""
    return srgb_bytes((np.arange(kernels.LAST_TONE + 1) / kernels.LAST_TONE) ** 2)
