"""Workers that render batches of objects on stages: all launches, and the scene that they read.

What all pictures of one size share, and floors of stages as that camera sees them, are kept on a device.
"""

from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from tumble.comphy.catalogue.video_set import Stage
from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.kernels import TILE, tile_counts
from tumble.comphy.observation.renderer.scene import BLOCK, Size, srgb_table, view_of
from tumble.comphy.observation.renderer.workers import EDGE_THREADS, FrameWorker, Layers
from tumble.comphy.observation.staged.clips import Batch, look_rows, mesh_arrays, prepared
from tumble.comphy.observation.staged.kernels import (
    antialias_edges,
    find_edges,
    find_spans,
    light_empty_floor,
    mark_tiles,
    trace,
)
from tumble.comphy.observation.staged.ray_color import BLOCKS, light_floor
from tumble.comphy.observation.staged.scene import (
    LIGHT_RAYS,
    MAX_BODIES,
    BodyPose,
    LookRow,
    StageRow,
    Surfaces,
    stage_rows,
)
from tumble.comphy.observation.staged.textures import bake_floor
from tumble.engine.host.machine import Compiling, Machine

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


class StagedWorker(FrameWorker[StagedContext, Batch]):
    """Renders batches; what does not move stays on the device until a batch needs other things."""

    def __init__(self, context: StagedContext, with_depth: bool) -> None:
        self.scene_key: Any = None
        super().__init__(context, with_depth)
        rows, columns = tile_counts(context.size)
        shape = self.batch, rows * BLOCKS, columns * BLOCKS
        self.floor_light = wp.empty(shape, dtype=wp.vec2, device=context.device)

    def _grow_rows(self, frames: int) -> None:
        sizes = {"poses": (frames * MAX_BODIES, BodyPose), "frame_stages": (frames, wp.int32)}
        self.host_rows = {
            name: wp.empty(size, dtype=dtype, device="cpu", pinned=not self.is_cpu)
            for name, (size, dtype) in sizes.items()
        }
        self.rows = self.host_rows
        if not self.is_cpu:
            device = self.context.device
            self.rows = {name: wp.empty(size, dtype=dtype, device=device) for name, (size, dtype) in sizes.items()}

    def _send(self, rows: Batch) -> None:
        key = rows.forms, rows.looks, rows.stages
        if key != self.scene_key:
            self._set_scene(rows)
            self.scene_key = key
        for name, values in (("poses", rows.poses), ("frame_stages", rows.frame_stages)):
            self.host_rows[name].numpy()[: values.size] = values.reshape(-1)
            if not self.is_cpu:
                wp.copy(self.rows[name], self.host_rows[name], count=values.size, stream=self.stream)
        self.poses = self.rows["poses"][: rows.poses.size].reshape(rows.poses.shape)

    def _set_scene(self, rows: Batch) -> None:
        """Puts meshes, looks and stages on the device."""
        device, (width, height) = self.context.device, self.context.size
        self.geometry, self.surfaces = mesh_arrays([prepared(form, device) for form in rows.forms], device)
        self.surfaces.looks = wp.array(look_rows(rows.looks), dtype=LookRow, device=device)
        stage_arrays(self.surfaces, list(rows.stages), device)
        shape = len(rows.stages), height, width
        self.surfaces.floor_direct = wp.empty(shape, dtype=wp.vec3, device=device)
        self.surfaces.floor_ambient = wp.empty(shape, dtype=wp.vec3, device=device)
        self.surfaces.empty = wp.empty(shape, dtype=wp.vec3ub, device=device)
        for number, stage in enumerate(rows.stages):
            floor = self.context.floor(stage)
            wp.copy(self.surfaces.floor_direct[number], floor.direct)
            wp.copy(self.surfaces.floor_ambient[number], floor.ambient)
            wp.copy(self.surfaces.empty[number], floor.rgb)
        if not self.is_cpu:
            wp.synchronize_device(device)  # all this was done in another stream

    def _launch(self, part: slice, layers: Layers) -> None:
        """Renders some of the frames that were sent."""
        bodies = self.poses[part]
        frames, width = bodies.shape
        self.surfaces.frame_stages = self.rows["frame_stages"][part]
        rows, columns = tile_counts(self.context.size)
        lanes, threads = (1, 1) if self.is_cpu else (TILE * TILE, EDGE_THREADS)
        spans, tiles = self.scratch.spans[:frames, :width], self.scratch.tiles[:frames]
        edges = self.scratch.edges, self.scratch.edge_count
        view, srgb = self.context.view, self.context.srgb
        scene = [self.geometry, self.surfaces, bodies]
        placed = [self.geometry.meshes, self.surfaces.stages, self.surfaces.frame_stages]
        everywhere = frames, rows, columns, lanes
        self._run(find_spans, (frames, width), [view, *placed, bodies, spans, self.scratch.edge_count])
        self._run(mark_tiles, (frames, rows, columns), [spans, tiles])
        blocks = 1 if self.is_cpu else BLOCKS * BLOCKS
        floor_light = self.floor_light[:frames]
        self._run(light_floor, (frames, rows, columns, blocks), [view, *scene, tiles, blocks, floor_light])
        self._run(trace, everywhere, [view, *scene, tiles, srgb, floor_light, self.context.floor_depth, lanes, *layers])
        self._run(find_edges, everywhere, [tiles, lanes, layers.rgb, layers.mask, *edges])
        self._run(antialias_edges, (threads,), [view, *scene, tiles, srgb, *edges, floor_light, threads, layers.rgb])

    def _run(self, kernel: Any, shape: tuple[int, ...], inputs: list[Any]) -> None:
        wp.launch(kernel, dim=shape, inputs=inputs, device=self.context.device, stream=self.stream, block_dim=BLOCK)
