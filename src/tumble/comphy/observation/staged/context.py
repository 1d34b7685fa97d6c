"""What all pictures of one size share, and floors of stages as that camera sees them, on a device."""

from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.srgb import srgb_table
from tumble.comphy.observation.renderer.view import Size, view_of
from tumble.comphy.observation.renderer.warp_module import BLOCK
from tumble.comphy.observation.staged.floor_bake import bake_floor
from tumble.comphy.observation.staged.scene import LIGHT_RAYS, StageRow, Surfaces
from tumble.comphy.observation.staged.stage import stage_rows
from tumble.comphy.observation.staged.trace import light_empty_floor
from tumble.comphy.tasks.stage import Stage
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import Machine

COMPILING = Compiling("the renderer of objects", (8, 30), (20, 60))
KEPT_FLOORS = 64
"""Floors that are kept on a device; one of full size takes 4.1 MB."""


class Floor(NamedTuple):
    """A stage's floor as the camera sees it without objects."""

    direct: Any
    """vec3 [height, width]: what it reflects of the light, linear."""
    ambient: Any
    """vec3 [height, width]: what it reflects of the sky and the fill light."""
    rgb: Any
    """vec3ub [height, width]: the picture."""


class StagedContext:
    """The arrays that all kernels read, and a cache of floors."""

    def __init__(self, device: Any, camera: Camera, size: Size) -> None:
        self.device, self.size, self.view = device, size, view_of(camera, size)
        self.srgb = wp.array(srgb_table(), dtype=wp.uint8, device=device)
        self.floor_depth = wp.array(floor_depth(camera, size), dtype=wp.float32, device=device)
        self._floors: OrderedDict[Stage, Floor] = OrderedDict()
        self._lock = Lock()
        wp.synchronize_device(device)

    def floor(self, stage: Stage) -> Floor:
        """The floor of a stage, computed if it is not cached."""
        with self._lock:
            if stage not in self._floors:
                self._floors[stage] = self._compute(stage)
                if len(self._floors) > KEPT_FLOORS:
                    self._floors.popitem(last=False)
            self._floors.move_to_end(stage)
            return self._floors[stage]

    def _compute(self, stage: Stage) -> Floor:
        shape = self.size[1], self.size[0]
        launch: dict[str, Any] = {"dim": shape, "device": self.device, "block_dim": BLOCK}
        surfaces = Surfaces()
        stage_arrays(surfaces, [stage], self.device)
        direct, ambient = (wp.empty(shape, dtype=wp.vec3, device=self.device) for _ in range(2))
        rgb = wp.empty(shape, dtype=wp.vec3ub, device=self.device)
        wp.launch(bake_floor, inputs=[self.view, wp.vec3(), surfaces.stages, direct], **launch)
        inputs = [self.view, surfaces.stages, self.srgb, direct, ambient, rgb]
        wp.launch(light_empty_floor, inputs=inputs, **launch)
        wp.synchronize_device(self.device)
        return Floor(direct, ambient, rgb)


def floor_depth(camera: Camera, size: Size) -> np.ndarray:
    """float32 [height, width]: distance of the floor along the view direction."""
    right, up, forward = camera.axes
    scale = camera.sensor_width / camera.focal_length
    across = scale * ((np.arange(size[0]) + 0.5) / size[0] - 0.5)
    upward = scale / camera.aspect * (0.5 - (np.arange(size[1]) + 0.5) / size[1])
    fall = forward[2] + across * right[2] + upward[:, None] * up[2]
    return np.asarray(-camera.position[2] / fall, np.float32)


def stage_arrays(surfaces: Any, stages: list[Stage], device: Any) -> None:
    """Sets the stages of a scene, all but their floors."""
    rows = [stage_rows(stage) for stage in stages]
    surfaces.stages = wp.array(np.stack([one.row for one in rows]), dtype=StageRow, device=device)
    points = np.stack([one.light_points for one in rows]).reshape(-1, LIGHT_RAYS, 3)
    surfaces.light_points = wp.array(points, dtype=wp.vec3, device=device)


def load_kernels(machine: Machine) -> None:
    """Compiles the kernels, or loads them from the cache."""
    machine.load(bake_floor, compiling=COMPILING, block_dim=BLOCK)


@lru_cache(maxsize=4)
def staged_context(device: str, camera: Camera, size: Size) -> StagedContext:
    """The context for pictures of a size, cached."""
    return StagedContext(wp.get_device(device), camera, size)
