"""Workers that render in parallel: each has its own memory and, on a GPU, its own stream.

While one worker's pictures are fetched and used by its host thread, the GPU renders those of the others. Pictures are
fetched into pinned host memory, which is slow to allocate, so workers of a GPU are kept for the next call.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import warp as wp

from tumble.comphy.observation.renderer.body_row import MAX_BODIES, BodyRow
from tumble.comphy.observation.renderer.context import RenderContext
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.launches import Scratch, draw, empty_layers, layers_part

Piece = TypeVar("Piece")

CPU_BATCH = 4
"""Frames in one launch on a CPU; few, so that all threads have work until the end."""
GPU_BATCH_PIXELS = 32 * 480 * 320
"""Pixels in one launch on a GPU: enough to fill it, and few enough that memory stays small."""
POLL_SECONDS = 0.0005
"""Between two looks at whether a GPU is done. To wait in the driver instead would take a core from the encoder."""
MAX_POLLING_SECONDS = 0.1
"""After which the driver waits, since a GPU that failed is never done."""
_kept: dict[tuple[RenderContext, bool], "list[Worker]"] = {}
"""Idle workers, of one context at a time."""
_keeping, _allocating = Lock(), Lock()


def batch_frames(context: RenderContext) -> int:
    """Frames that are rendered in one launch."""
    return CPU_BATCH if context.device.is_cpu else max(1, GPU_BATCH_PIXELS // (context.size[0] * context.size[1]))


class Worker:
    """Renders frames into its own memory on the host."""

    def __init__(self, context: RenderContext, with_depth: bool) -> None:
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
        self.host_bodies = wp.empty(frames * MAX_BODIES, dtype=BodyRow, device="cpu", pinned=not self.is_cpu)
        self.bodies = self.host_bodies
        if not self.is_cpu:
            self.bodies = wp.empty(frames * MAX_BODIES, dtype=BodyRow, device=self.context.device)
            wp.synchronize_device(self.context.device)  # memory comes from another stream

    def render(self, rows: np.ndarray) -> Frames:
        """Renders bodies BodyRow [frame, body]; the frames are overwritten by the next call."""
        if len(rows) > self.capacity:
            with _allocating:
                self._grow(len(rows))
        if len(rows):
            self._draw(rows)
            self._wait()
        rgb, mask, depth = (layer.numpy()[: len(rows)] for layer in self.host)
        return Frames(rgb, mask, depth)

    def _draw(self, rows: np.ndarray) -> None:
        """Starts all copies and launches."""
        self.host_bodies.numpy()[: rows.size] = rows.reshape(-1)
        if not self.is_cpu:
            wp.copy(self.bodies, self.host_bodies, count=rows.size, stream=self.stream)
        bodies = self.bodies[: rows.size].reshape(rows.shape)
        for first in range(0, len(rows), self.batch):
            part = slice(first, min(first + self.batch, len(rows)))
            host = layers_part(self.host, part)
            if self.on_device is None:
                draw(self.context, self.scratch, bodies[part], host)
                continue
            layers = layers_part(self.on_device, slice(part.stop - first))
            draw(self.context, self.scratch, bodies[part], layers, self.stream)
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


def for_each(
    context: RenderContext,
    with_depth: bool,
    pieces: Iterable[Piece],
    work: Callable[[Worker, Piece], None],
    threads: int,
) -> None:
    """Calls `work(worker, piece)` for all pieces in threads; pieces are taken one by one, when a worker is idle.

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
                worker = worker or _take_worker(context, with_depth)
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


def _take_worker(context: RenderContext, with_depth: bool) -> Worker:
    with _keeping:
        idle = _kept.get((context, with_depth))
        if idle:
            return idle.pop()
    with _allocating:
        return Worker(context, with_depth)


def _keep(worker: Worker) -> None:
    key = worker.context, worker.with_depth
    with _keeping:
        if key not in _kept:
            _kept.clear()
        _kept.setdefault(key, []).append(worker)
