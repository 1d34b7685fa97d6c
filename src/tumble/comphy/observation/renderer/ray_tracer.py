"""The built-in renderer: rays through every pixel that a body can change. CPU and GPU give the same picture."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.clips import Clip, body_rows, clip_of
from tumble.comphy.observation.renderer.context import RenderContext, Size, render_context
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.kernels import BLOCK, antialias_edges, fill_empty_table, find_edges, trace
from tumble.comphy.observation.renderer.rays import BodyRow
from tumble.comphy.observation.renderer.tiles import TILE, Tile, tiles_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.motion import Motion
from tumble.engine.host.compiling import Compiling
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

FULL_SIZE: Size = (480, 320)
CPU_CHUNK, GPU_CHUNK = 4, 64
"""Frames in one launch."""
GPU_THREADS = 4
"""Host threads that feed a GPU: while one copies its pictures, those of the others are rendered."""
COMPILING = Compiling("the renderer", (2, 10), (5, 20))


def render(
    bodies: tuple[Body, ...],
    motion: Motion,
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    frames: slice = slice(None),
    camera: Camera = CAMERA,
) -> Frames:
    """Renders a motion, or some of its frames."""
    return render_many([clip_of(bodies, motion, frames)], size, device, threads, camera)[0]


def render_many(
    clips: Sequence[Clip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
) -> list[Frames]:
    """Renders clips of different bodies in one batch; `threads` of the CPU, 0 for all cores, change no pixel."""
    result = render_rows(body_rows(clips), size, device, threads, camera, progress)
    ends = np.cumsum([clip.frames for clip in clips])
    return [_part(result, slice(end - clip.frames, end)) for clip, end in zip(clips, ends, strict=True)]


def render_rows(
    rows: np.ndarray,
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
) -> Frames:
    """Renders bodies given as BodyRow [frame, body]."""
    machine = Machine(Options(device=device, threads=threads), GPU_THREADS)
    machine.load(trace, compiling=COMPILING, block_dim=BLOCK)
    context = render_context(str(machine.device), camera, size)
    bodies = wp.array(rows, dtype=BodyRow, device=machine.device)
    shape = (len(rows), size[1], size[0])
    result = Frames(np.empty((*shape, 3), np.uint8), np.empty(shape, np.uint8), np.empty(shape, np.float32))
    step = CPU_CHUNK if machine.is_cpu else GPU_CHUNK
    workers = [Worker(machine, context, (min(step, len(rows)), *shape[1:])) for _ in range(machine.threads)]
    wp.synchronize_device(machine.device)

    def work(worker: int, first: int) -> None:
        chunk = slice(first, min(first + step, len(rows)))
        workers[worker].run(bodies[chunk], *tiles_of(rows[chunk], camera, size), _part(result, chunk))
        progress(chunk.stop - first)

    machine.for_pieces(range(0, len(rows), step), work)
    return result


def _part(frames: Frames, part: slice) -> Frames:
    return Frames(frames.rgb[part], frames.mask[part], frames.depth[part])


def draw(
    context: RenderContext,
    device: Any,
    stream: Any,
    bodies: Any,
    tiles: Any,
    visible_tiles: int,
    edges: Any,
    layers: Sequence[Any],
) -> None:
    """Launches all kernels of a chunk: bodies [frame, body] and tiles [tile] (None for no tile) into its layers."""

    def launch(kernel: Any, shape: tuple[int, ...], inputs: list[Any]) -> None:
        wp.launch(kernel, dim=shape, inputs=inputs, device=device, stream=stream, block_dim=BLOCK)

    rgb, mask, _ = layers
    launch(fill_empty_table, mask.shape[:2], [context.table_rgb, context.table_depth, *layers])
    if tiles is None:
        return
    scene = [context.view, bodies, tiles, context.lamp, context.srgb]
    launch(trace, (len(tiles), TILE * TILE), [*scene, *layers])
    launch(find_edges, (visible_tiles, TILE * TILE), [tiles, rgb, mask, edges])
    launch(antialias_edges, (visible_tiles, TILE * TILE), [*scene, edges, rgb])


class Worker:
    """What one host thread renders with: buffers for a chunk, and on a GPU its own stream."""

    def __init__(self, machine: Machine, context: RenderContext, shape: tuple[int, int, int]) -> None:
        self.device, self.is_cpu, self.context = machine.device, machine.is_cpu, context
        self.stream = None if self.is_cpu else wp.Stream(self.device)
        max_tiles = shape[0] * -(-shape[1] // TILE) * -(-shape[2] // TILE)
        self.tiles = wp.empty(max_tiles, dtype=Tile, device=self.device)
        self.edges = wp.empty((max_tiles, TILE * TILE), dtype=wp.uint8, device=self.device)
        self.buffers: tuple[Any, ...] = ()
        if not self.is_cpu:
            kinds = ((*shape, 3), wp.uint8), (shape, wp.uint8), (shape, wp.float32)
            self.buffers = tuple(wp.empty(shape, dtype=kind, device=self.device) for shape, kind in kinds)

    def run(self, bodies: Any, tiles: np.ndarray, visible_tiles: int, result: Frames) -> None:
        """Renders a chunk; a CPU writes into the result directly, a GPU's buffers are copied into it."""
        host = [wp.array(layer, device="cpu", copy=False) for layer in (result.rgb, result.mask, result.depth)]
        layers = host if self.is_cpu else [layer[: len(result.rgb)] for layer in self.buffers]
        device_tiles = self._upload(tiles) if len(tiles) else None
        draw(self.context, self.device, self.stream, bodies, device_tiles, visible_tiles, self.edges, layers)
        if self.stream is not None:
            for target, source in zip(host, layers, strict=True):
                wp.copy(target, source, stream=self.stream)
            wp.synchronize_stream(self.stream)

    def _upload(self, tiles: np.ndarray) -> Any:
        wp.copy(self.tiles, wp.array(tiles, dtype=Tile, device="cpu"), count=len(tiles), stream=self.stream)
        return self.tiles[: len(tiles)]
