"""What all pictures of one size share, ready on a device: view, lamp samples, sRGB table and the empty table."""

from functools import lru_cache
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.colors import srgb_bytes
from tumble.comphy.observation.renderer.kernels import BLOCK, LAST_SRGB_INDEX, View, render_empty_table
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, SHADOW_RAYS
from tumble.errors import TumbleError

Size = tuple[int, int]
"""Width and height in pixels."""
MAX_SIDE = 8192
GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)


class SizeError(TumbleError):
    """A size or a camera that can't be rendered."""


class RenderContext:
    """The arrays that all kernels read."""

    def __init__(self, device: Any, camera: Camera, size: Size) -> None:
        width, height = size
        self.view = view_of(camera, size)
        self.lamp = wp.array(lamp_samples(), dtype=wp.vec3, device=device)
        self.srgb = wp.array(srgb_table(), dtype=wp.uint8, device=device)
        self.table_rgb = wp.empty((height, width, 3), dtype=wp.uint8, device=device)
        self.table_depth = wp.empty((height, width), dtype=float, device=device)
        inputs = [self.view, self.srgb, self.table_rgb, self.table_depth]
        wp.launch(render_empty_table, dim=(height, width), inputs=inputs, device=device, block_dim=BLOCK)
        wp.synchronize_device(device)


@lru_cache(maxsize=8)
def render_context(device: str, camera: Camera, size: Size) -> RenderContext:
    """The context for pictures of a size, cached."""
    if any(int(side) != side for side in size) or min(size) < 1 or max(size) > MAX_SIDE:
        limits = f"1x1 to {MAX_SIDE}x{MAX_SIDE}"
        raise SizeError(f"a picture must be from {limits} pixels, not {'x'.join(map(str, size))}")
    return RenderContext(wp.get_device(device), camera, size)


def view_of(camera: Camera, size: Size) -> Any:
    """The `View` of a camera."""
    width, height = size
    right, up, forward = camera.axes
    across = right * camera.sensor_width / camera.focal_length
    down = -up * camera.sensor_width / camera.focal_length / camera.aspect
    corner = forward - 0.5 * across - 0.5 * down
    highest = max(corner[2], (corner + across)[2])
    if camera.position[2] <= 0.0 or highest > -0.01:
        raise SizeError("the camera must look down far enough that the table fills the picture")
    view = View()
    view.eye, view.forward, view.corner = wp.vec3(*camera.position), wp.vec3(*forward), wp.vec3(*corner)
    view.across, view.down = wp.vec3(*(across / width)), wp.vec3(*(down / height))
    return view


def lamp_samples() -> np.ndarray:
    """float32 [ray, 3]: points of the lamp's disc, evenly spread on a Fibonacci spiral."""
    towards = np.array(LAMP) / np.linalg.norm(LAMP)
    side = np.cross(towards, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side)
    index = np.arange(SHADOW_RAYS)
    radius, angle = LAMP_RADIUS * np.sqrt((index + 0.5) / SHADOW_RAYS), index * GOLDEN_ANGLE
    flat = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return (LAMP + flat @ np.stack([side, np.cross(towards, side)])).astype(np.float32)


def srgb_table() -> np.ndarray:
    """uint8 [index]: sRGB of the light (index / LAST_SRGB_INDEX) ** 2."""
    return srgb_bytes((np.arange(LAST_SRGB_INDEX + 1) / LAST_SRGB_INDEX) ** 2)
