"""The built-in renderer of objects on stages: the interface of `renderer.ray_tracer`, for clips with meshes."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.frames import Frames
from tumble.comphy.observation.renderer.ray_tracer import FULL_SIZE, GPU_THREADS
from tumble.comphy.observation.renderer.view import Size
from tumble.comphy.observation.renderer.workers import batch_frames, for_each
from tumble.comphy.observation.staged.clip import StagedClip, batch_of
from tumble.comphy.observation.staged.context import StagedContext, load_kernels, staged_context
from tumble.comphy.observation.staged.worker import StagedWorker
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options


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
