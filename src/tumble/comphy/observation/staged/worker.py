"""Workers that render batches of objects on stages: all launches, and the scene that they read."""

from typing import Any

import warp as wp

from tumble.comphy.observation.renderer.launches import EDGE_THREADS, Layers
from tumble.comphy.observation.renderer.tiles import TILE, tile_counts
from tumble.comphy.observation.renderer.warp_module import BLOCK
from tumble.comphy.observation.renderer.workers import FrameWorker
from tumble.comphy.observation.staged.clip import Batch, look_rows
from tumble.comphy.observation.staged.context import StagedContext, stage_arrays
from tumble.comphy.observation.staged.edges import antialias_edges, find_edges
from tumble.comphy.observation.staged.floor_light import BLOCKS, light_floor
from tumble.comphy.observation.staged.mesh import mesh_arrays, prepared
from tumble.comphy.observation.staged.scene import MAX_BODIES, BodyPose, LookRow
from tumble.comphy.observation.staged.tiles import find_spans, mark_tiles
from tumble.comphy.observation.staged.trace import trace


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
