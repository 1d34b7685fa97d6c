"""What all pictures of one size share, ready on a device: view, lamp samples, sRGB table and the empty table."""

from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.shading import LAMP, LAMP_RADIUS, SHADOW_RAYS
from tumble.comphy.observation.renderer.srgb import srgb_table
from tumble.comphy.observation.renderer.trace import render_empty_table
from tumble.comphy.observation.renderer.view import Size, view_of
from tumble.comphy.observation.renderer.warp_module import BLOCK

GOLDEN_ANGLE = np.pi * (3.0 - 5.0**0.5)


class PictureContext(Protocol):
    """Where pictures are rendered, and how large they are."""

    device: Any
    size: Size


class RenderContext:
    """The arrays that all kernels read."""

    def __init__(self, device: Any, camera: Camera, size: Size) -> None:
        width, height = size
        self.device, self.size, self.view = device, size, view_of(camera, size)
        self.lamp = wp.array(lamp_samples(), dtype=wp.vec3, device=device)
        self.srgb = wp.array(srgb_table(), dtype=wp.uint8, device=device)
        self.table_rgb = wp.empty((height, width), dtype=wp.vec3ub, device=device)
        self.table_depth = wp.empty((height, width), dtype=float, device=device)
        inputs = [self.view, self.srgb, self.table_rgb, self.table_depth]
        wp.launch(render_empty_table, dim=(height, width), inputs=inputs, device=device, block_dim=BLOCK)
        wp.synchronize_device(device)


@lru_cache(maxsize=8)
def render_context(device: str, camera: Camera, size: Size) -> RenderContext:
    """The context for pictures of a size, cached."""
    return RenderContext(wp.get_device(device), camera, size)


def lamp_samples() -> np.ndarray:
    """float32 [ray, 3]: points of the lamp's disc, evenly spread on a Fibonacci spiral."""
    towards = np.array(LAMP) / np.linalg.norm(LAMP)
    side = np.cross(towards, (0.0, 0.0, 1.0))
    side = side / np.linalg.norm(side)
    index = np.arange(SHADOW_RAYS)
    radius, angle = LAMP_RADIUS * np.sqrt((index + 0.5) / SHADOW_RAYS), index * GOLDEN_ANGLE
    flat = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return (LAMP + flat @ np.stack([side, np.cross(towards, side)])).astype(np.float32)
