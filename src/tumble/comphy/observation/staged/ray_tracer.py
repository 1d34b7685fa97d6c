"""The built-in renderer of objects on stages: the interface of `renderer.ray_tracer`, for clips with meshes.

Pictures can be rendered into tensors of PyTorch: on a GPU they stay there, to train networks with.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE, GPU_THREADS, DeviceFrames
from tumble.comphy.observation.renderer.scene import Frames, Size
from tumble.comphy.observation.renderer.workers import Layers, batch_frames, for_each, layers_part
from tumble.comphy.observation.staged.clips import Batch, StagedClip, batch_of
from tumble.comphy.observation.staged.workers import StagedContext, StagedWorker, load_kernels, staged_context
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

if TYPE_CHECKING:
    import torch


def render_many_staged(
    clips: Sequence[StagedClip],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
    progress: Callable[[int], None] = lambda frames: None,
    with_depth: bool = True,
) -> list[Frames]:
    """Renders clips of different objects and stages; `threads` of the CPU, 0 for all cores, change no pixel.

    `with_depth=False` leaves the depth out, [0, height, width].
    """
    context, threads = _prepared(size, device, threads, camera)
    result = [_empty(clip.frames, size, with_depth) for clip in clips]

    def work(worker: StagedWorker, piece: list[tuple[int, slice]]) -> None:
        rendered = worker.render(batch_of([clips[number].part(part) for number, part in piece], context.device))
        first = 0
        for number, part in piece:
            frames = slice(first, first + part.stop - part.start)
            first = frames.stop
            result[number].rgb[part], result[number].mask[part] = rendered.rgb[frames], rendered.mask[frames]
            if with_depth:
                result[number].depth[part] = rendered.depth[frames]
        progress(first)

    pieces = list(_pieces(clips, batch_frames(context)))
    for_each(StagedWorker, context, with_depth, pieces, work, min(threads, len(pieces)))
    return result


def render_each_staged(
    clips: Iterable[StagedClip],
    deliver: Callable[[int, Frames], None],
    size: Size = FULL_SIZE,
    device: str = "cpu",
    threads: int = 0,
    camera: Camera = CAMERA,
) -> None:
    """Renders any number of clips and calls `deliver(number, frames)` for each, without depth, in several threads.

    While some threads deliver (encode, write), the clips of others are rendered. The frames are overwritten after the
    call, so that memory stays bounded; clips are taken from the iterable one by one.
    """
    context, threads = _prepared(size, device, threads, camera)

    def work(worker: StagedWorker, numbered: tuple[int, StagedClip]) -> None:
        number, clip = numbered
        deliver(number, worker.render(batch_of([clip], context.device)))

    for_each(StagedWorker, context, False, enumerate(clips), work, threads)


def _pieces(clips: Sequence[StagedClip], most: int) -> Iterator[list[tuple[int, slice]]]:
    """The frames of all clips in pieces of up to a number of frames: numbers of clips, and their frames."""
    piece: list[tuple[int, slice]] = []
    room = most
    for number, clip in enumerate(clips):
        first = 0
        while first < clip.frames:
            end = min(first + room, clip.frames)
            piece.append((number, slice(first, end)))
            room -= end - first
            first = end
            if not room:
                yield piece
                piece, room = [], most
    if piece:
        yield piece


def _empty(frames: int, size: Size, with_depth: bool) -> Frames:
    shape = frames, size[1], size[0]
    depth = np.empty(shape if with_depth else (0, *shape[1:]), np.float32)
    return Frames(np.empty((*shape, 3), np.uint8), np.empty(shape, np.uint8), depth)


def _prepared(size: Size, device: str, threads: int, camera: Camera) -> tuple[StagedContext, int]:
    """The context on a device whose kernels are loaded, and the number of host threads."""
    machine = Machine(Options(device=device, threads=threads), threads or GPU_THREADS)
    load_kernels(machine)
    return staged_context(str(machine.device), camera, size), machine.threads


class TensorRenderer(StagedWorker):
    """Renders batches into tensors. Meshes and stages stay on the device as long as batches have the same ones.

    It has memory and a stream of its own, and must not be used by two threads at a time.
    """

    def __init__(self, size: Size, device: str = "cpu") -> None:
        machine = Machine(Options(device=device, threads=1))
        load_kernels(machine)
        super().__init__(staged_context(str(machine.device), CAMERA, size), with_depth=False)

    def tensors(self, rows: Batch) -> DeviceFrames:
        """The pictures of a batch, complete when this returns."""
        import torch

        width, height = self.context.size
        device = wp.device_to_torch(self.context.device)
        result = DeviceFrames(
            torch.empty((len(rows), height, width, 3), dtype=torch.uint8, device=device),
            torch.empty((len(rows), height, width), dtype=torch.uint8, device=device),
        )
        if len(rows):
            self._render_into(rows, result, device)
        return result

    def _render_into(self, rows: Batch, result: DeviceFrames, device: "torch.device") -> None:
        if len(rows) > self.capacity:
            self._grow(len(rows))
        if self.stream is not None:  # the memory of the tensors may still be read there, under other names
            import torch

            self.stream.wait_stream(wp.stream_from_torch(torch.cuda.current_stream(device)))
        no_depth = wp.empty((0, *result.mask.shape[1:]), dtype=wp.float32, device=self.context.device)
        layers = Layers(wp.from_torch(result.rgb, dtype=wp.vec3ub), wp.from_torch(result.mask), no_depth)
        self._send(rows)
        for first in range(0, len(rows), self.batch):
            part = slice(first, min(first + self.batch, len(rows)))
            self._launch(part, layers_part(layers, part))
        self._wait()
