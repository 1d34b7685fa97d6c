"""Workers that render in parallel: each has its own memory and, on a GPU, its own stream.

While one worker's pictures are fetched and used by its host thread, the GPU renders those of the others. Pictures are
fetched into pinned host memory, which is slow to allocate, so workers of a GPU are kept for the next call.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sized
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import warp as wp

from tumble.comphy.observation.renderer.body_row import MAX_BODIES, BodyRow
from tumble.comphy.observation.renderer.context import PictureContext, RenderContext
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.launches import Layers, Scratch, draw, empty_layers, layers_part

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
        draw(self.context, self.scratch, self.sent[part], layers, self.stream)


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
