"""Workers that render in parallel: all launches for a batch of frames, and the device memory that these need.

What all pictures of one size share is ready on a device: view, lamp samples, sRGB table and the empty table. Each
worker has its own memory and, on a GPU, its own stream: while its pictures are fetched and used by its host thread,
the GPU renders those of the others. Pictures are fetched into pinned host memory, which is slow to allocate, so
workers of a GPU are kept for the next call.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sized
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import Camera
from tumble.comphy.observation.renderer.kernels import (
    SPANS,
    TILE,
    antialias_edges,
    find_edges,
    find_spans,
    mark_tiles,
    render_empty_table,
    tile_counts,
    trace,
)
from tumble.comphy.observation.renderer.ray_color import LAMP, LAMP_RADIUS, SHADOW_RAYS
from tumble.comphy.observation.renderer.scene import BLOCK, MAX_BODIES, BodyRow, Frames, Size, srgb_table, view_of
from tumble.engine.host.machine import Compiling, Machine

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


COMPILING = Compiling("the renderer", (2, 10), (5, 20))
EDGE_THREADS = 1 << 17
"""Threads of a GPU that antialias edges: about as many as a batch of frames has edges."""


class Layers(NamedTuple):
    """The pictures of a batch of frames on a device."""

    rgb: Any
    """vec3ub [frame, height, width]."""
    mask: Any
    """uint8 [frame, height, width]."""
    depth: Any
    """float32 [frame, height, width]; [0, height, width] if it is not needed."""


def load_kernels(machine: Machine) -> None:
    """Compiles the kernels, or loads them from the cache."""
    machine.load(trace, compiling=COMPILING, block_dim=BLOCK)


def empty_layers(frames: int, context: PictureContext, with_depth: bool, device: Any, pinned: bool = False) -> Layers:
    """Memory for pictures, on a device or pinned on the host."""
    shape = context.size[1], context.size[0]

    def empty(frames: int, dtype: Any) -> Any:
        return wp.empty((frames, *shape), dtype=dtype, device=device, pinned=pinned)

    return Layers(empty(frames, wp.vec3ub), empty(frames, wp.uint8), empty(frames if with_depth else 0, wp.float32))


def layers_part(layers: Layers, part: slice) -> Layers:
    """Some of the frames."""
    return Layers(layers.rgb[part], layers.mask[part], layers.depth[part] if len(layers.depth) else layers.depth)


class Scratch:
    """Device memory for what is computed on the way, for batches of up to `frames` frames."""

    def __init__(self, context: PictureContext, frames: int) -> None:
        device, (width, height) = context.device, context.size
        self.spans = wp.empty((frames, MAX_BODIES, SPANS), dtype=wp.vec4i, device=device)
        self.tiles = wp.empty((frames, *tile_counts(context.size)), dtype=int, device=device)
        self.edges = wp.empty(frames * width * height, dtype=int, device=device)
        self.edge_count = wp.empty(1, dtype=int, device=device)


def draw_frames(context: RenderContext, scratch: Scratch, bodies: Any, layers: Layers, stream: Any = None) -> None:
    """Renders bodies BodyRow [frame, body] of at least one frame into layers, all on the device."""
    frames = len(bodies)
    rows, columns = tile_counts(context.size)
    lanes, threads = (1, 1) if context.device.is_cpu else (TILE * TILE, EDGE_THREADS)
    tiles, edges = scratch.tiles[:frames], (scratch.edges, scratch.edge_count)

    def launch(kernel: Any, shape: tuple[int, ...], inputs: list[Any]) -> None:
        wp.launch(kernel, dim=shape, inputs=inputs, device=context.device, stream=stream, block_dim=BLOCK)

    mark_frames(context, scratch, bodies, stream)
    scene = [context.view, bodies, tiles, context.lamp, context.srgb]
    table = [context.table_rgb, context.table_depth]
    launch(trace, (frames, rows, columns, lanes), [*scene, *table, lanes, *layers])
    launch(find_edges, (frames, rows, columns, lanes), [tiles, lanes, layers.rgb, layers.mask, *edges])
    launch(antialias_edges, (threads,), [*scene, *edges, threads, layers.rgb])


def mark_frames(context: RenderContext, scratch: Scratch, bodies: Any, stream: Any = None) -> None:
    """Marks the bodies that matter in each tile, and clears the edges of the last batch."""
    frames, width = bodies.shape
    spans, tiles = scratch.spans[:frames, :width], scratch.tiles[:frames]
    launch = {"device": context.device, "stream": stream, "block_dim": BLOCK}
    wp.launch(find_spans, dim=(frames, width), inputs=[context.view, bodies, spans, scratch.edge_count], **launch)
    wp.launch(mark_tiles, dim=tiles.shape, inputs=[spans, tiles], **launch)


Piece = TypeVar("Piece")
Rows = TypeVar("Rows", bound=Sized)
"""What a worker renders, with a length in frames."""
Context = TypeVar("Context", bound=PictureContext)
AnyWorker = TypeVar("AnyWorker", bound="FrameWorker[Any, Any]")

CPU_BATCH = 4
"""Frames in one launch on a CPU; few, so that all threads have work until the end."""
GPU_BATCH_PIXELS = 32 * 480 * 320
"""Pixels in one launch on a GPU: enough to fill it, and few enough that memory stays small."""
POLL_SECONDS = 0.0005
"""Between two polls of a GPU. To wait in the driver instead would take a core from the encoder."""
MAX_POLLING_SECONDS = 0.1
"""After which the driver waits, since a GPU that failed is never done."""
_kept: dict[tuple[PictureContext, bool], "list[Any]"] = {}
"""Idle workers, of one context at a time."""
_keeping, _allocating = Lock(), Lock()


def batch_frames(context: PictureContext) -> int:
    """Frames that are rendered in one launch."""
    return CPU_BATCH if context.device.is_cpu else max(1, GPU_BATCH_PIXELS // (context.size[0] * context.size[1]))


class FrameWorker(ABC, Generic[Context, Rows]):
    """Renders frames into its own memory on the host."""

    def __init__(self, context: Context, with_depth: bool) -> None:
        self.context, self.with_depth, self.batch = context, with_depth, batch_frames(context)
        self.is_cpu = context.device.is_cpu
        self.scratch = Scratch(context, self.batch)
        self.stream = None if self.is_cpu else wp.Stream(context.device)
        self.on_device = None if self.is_cpu else empty_layers(self.batch, context, with_depth, context.device)
        self._grow(1)

    def _grow(self, frames: int) -> None:
        """Makes room for a number of frames on the host."""
        self.capacity = frames
        self.host = empty_layers(frames, self.context, self.with_depth, "cpu", pinned=not self.is_cpu)
        self._grow_rows(frames)
        if not self.is_cpu:
            wp.synchronize_device(self.context.device)  # memory comes from another stream

    @abstractmethod
    def _grow_rows(self, frames: int) -> None:
        """Makes room for the rows of a number of frames."""

    @abstractmethod
    def _send(self, rows: Rows) -> None:
        """Starts to copy rows to the device."""

    @abstractmethod
    def _launch(self, part: slice, layers: Layers) -> None:
        """Starts to render some of the frames that were sent."""

    def render(self, rows: Rows) -> Frames:
        """Renders all frames of some rows; the pictures are overwritten by the next call."""
        if len(rows) > self.capacity:
            with _allocating:
                self._grow(len(rows))
        if len(rows):
            self._draw(rows)
            self._wait()
        rgb, mask, depth = (layer.numpy()[: len(rows)] for layer in self.host)
        return Frames(rgb, mask, depth)

    def _draw(self, rows: Rows) -> None:
        """Starts all copies and launches."""
        self._send(rows)
        for first in range(0, len(rows), self.batch):
            part = slice(first, min(first + self.batch, len(rows)))
            host = layers_part(self.host, part)
            if self.on_device is None:
                self._launch(part, host)
                continue
            layers = layers_part(self.on_device, slice(part.stop - first))
            self._launch(part, layers)
            for target, source in zip(host, layers, strict=True):
                if source.size:
                    wp.copy(target, source, stream=self.stream)

    def _wait(self) -> None:
        """Waits for the GPU; errors of kernels show here."""
        if self.stream is None:
            return
        end = time.monotonic() + MAX_POLLING_SECONDS
        while not self.stream.is_complete and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        wp.synchronize_stream(self.stream)


class Worker(FrameWorker[RenderContext, np.ndarray]):
    """Renders bodies BodyRow [frame, body]."""

    def _grow_rows(self, frames: int) -> None:
        self.host_bodies = wp.empty(frames * MAX_BODIES, dtype=BodyRow, device="cpu", pinned=not self.is_cpu)
        self.bodies = self.host_bodies
        if not self.is_cpu:
            self.bodies = wp.empty(frames * MAX_BODIES, dtype=BodyRow, device=self.context.device)

    def _send(self, rows: np.ndarray) -> None:
        self.host_bodies.numpy()[: rows.size] = rows.reshape(-1)
        if not self.is_cpu:
            wp.copy(self.bodies, self.host_bodies, count=rows.size, stream=self.stream)
        self.sent = self.bodies[: rows.size].reshape(rows.shape)

    def _launch(self, part: slice, layers: Layers) -> None:
        draw_frames(self.context, self.scratch, self.sent[part], layers, self.stream)


def for_each(
    make: Callable[[Context, bool], AnyWorker],
    context: Context,
    with_depth: bool,
    pieces: Iterable[Piece],
    work: Callable[[AnyWorker, Piece], None],
    threads: int,
) -> None:
    """Calls `work(worker, piece)` for all pieces in threads; pieces are taken one by one, when a worker is idle.

    Workers are made by `make(context, with_depth)`, all of one context by the same.

    The first error ends the work on further pieces and is raised.
    """
    remaining, taking = iter(pieces), Lock()
    errors: list[BaseException] = []

    def take() -> Any:
        with taking:
            return None if errors else next(remaining, None)

    def run() -> None:
        worker = None
        try:
            while (piece := take()) is not None:
                worker = worker or _take_worker(make, context, with_depth)
                work(worker, piece)
        except BaseException as error:
            errors.append(error)
            raise
        if worker is not None and not worker.is_cpu:
            _keep(worker)

    if threads <= 1:
        run()
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(run) for _ in range(threads)]:
                done.result()
        except BaseException as error:  # also an interrupt of this thread, after which the others must end
            errors.append(error)
            raise


def _take_worker(make: Callable[[Context, bool], AnyWorker], context: Context, with_depth: bool) -> AnyWorker:
    with _keeping:
        idle: list[AnyWorker] | None = _kept.get((context, with_depth))
        if idle:
            return idle.pop()
    with _allocating:
        return make(context, with_depth)


def _keep(worker: FrameWorker[Any, Any]) -> None:
    key = worker.context, worker.with_depth
    with _keeping:
        if key not in _kept:
            _kept.clear()
        _kept.setdefault(key, []).append(worker)
