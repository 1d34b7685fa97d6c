"""The built-in renderer: rays through every pixel that a body can change. CPU and GPU give the same picture.

Pictures can be rendered into tensors of PyTorch: on a GPU they stay there, to train networks with.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.observation.camera import CAMERA, Camera
from tumble.comphy.observation.renderer.scene import BodyRow, Clip, Frames, Size, body_rows, clip_of
from tumble.comphy.observation.renderer.workers import (
    Layers,
    RenderContext,
    Scratch,
    Worker,
    batch_frames,
    draw_frames,
    for_each,
    layers_part,
    load_kernels,
    render_context,
)
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

if TYPE_CHECKING:
    from torch import Tensor


FULL_SIZE: Size = (480, 320)
GPU_THREADS = 8
"""Host threads that fetch pictures from a GPU; one alone copies less than a GPU renders."""


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
    with_depth: bool = True,
) -> Frames:
    """Renders bodies given as BodyRow [frame, body]; `with_depth=False` leaves the depth out, [0, height, width]."""
    context, threads = _prepared(size, device, threads, camera)
    shape = (len(rows), size[1], size[0])
    depth_shape = shape if with_depth else (0, *shape[1:])
    result = Frames(np.empty((*shape, 3), np.uint8), np.empty(shape, np.uint8), np.empty(depth_shape, np.float32))
    step = batch_frames(context)
    pieces = [slice(first, min(first + step, len(rows))) for first in range(0, len(rows), step)]

    def work(worker: Worker, piece: slice) -> None:
        rendered = worker.render(rows[piece])
        result.rgb[piece], result.mask[piece] = rendered.rgb, rendered.mask
        if with_depth:
            result.depth[piece] = rendered.depth
        progress(piece.stop - piece.start)

    for_each(Worker, context, with_depth, pieces, work, min(threads, len(pieces)))
    return result


def render_each(
    clips: Iterable[Clip],
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

    def work(worker: Worker, group: list[tuple[int, Clip]]) -> None:
        frames = worker.render(body_rows([clip for _, clip in group]))
        first = 0
        for number, clip in group:
            deliver(number, _part(frames, slice(first, first + clip.frames)))
            first += clip.frames

    for_each(Worker, context, False, _groups(clips, batch_frames(context)), work, threads)


def _groups(clips: Iterable[Clip], frames: int) -> Iterator[list[tuple[int, Clip]]]:
    """Numbered clips in groups of up to a number of frames; longer clips alone."""
    group: list[tuple[int, Clip]] = []
    for number, clip in enumerate(clips):
        if group and sum(one.frames for _, one in group) + clip.frames > frames:
            yield group
            group = []
        group.append((number, clip))
    if group:
        yield group


def _prepared(size: Size, device: str, threads: int, camera: Camera) -> tuple[RenderContext, int]:
    """The context on a device whose kernels are loaded, and the number of host threads."""
    machine = Machine(Options(device=device, threads=threads), threads or GPU_THREADS)
    load_kernels(machine)
    return render_context(str(machine.device), camera, size), machine.threads


def _part(frames: Frames, part: slice) -> Frames:
    return Frames(frames.rgb[part], frames.mask[part], frames.depth[part])


@dataclass(frozen=True, eq=False)
class DeviceFrames:
    """The pictures of clips, one after the other."""

    rgb: "Tensor"
    """uint8 [frame, height, width, 3]."""
    mask: "Tensor"
    """uint8 [frame, height, width]: 0 for the table, k + 1 for body k of the clip."""


def render_tensors(clips: Sequence[Clip], size: Size, device: str = "cpu") -> DeviceFrames:
    """Renders clips into tensors on a device; the pixels are those of `render_many`."""
    return render_row_tensors(body_rows(clips), size, device)


def render_row_tensors(rows: np.ndarray, size: Size, device: str = "cpu", threads: int = 0) -> DeviceFrames:
    """Renders bodies BodyRow [frame, body] into tensors on a device, with `threads` on a CPU (0: all cores).

    A GPU renders in PyTorch's current stream; in a stream of its own this function waits for the end.
    """
    import torch

    if not device.startswith("cuda"):
        frames = render_rows(rows, size, device, threads, with_depth=False)
        return DeviceFrames(torch.from_numpy(frames.rgb), torch.from_numpy(frames.mask))
    machine = Machine(Options(device=device))
    load_kernels(machine)
    context = render_context(str(machine.device), CAMERA, size)
    shape = (len(rows), size[1], size[0])
    torch_device = wp.device_to_torch(machine.device)
    result = DeviceFrames(
        torch.empty((*shape, 3), dtype=torch.uint8, device=torch_device),
        torch.empty(shape, dtype=torch.uint8, device=torch_device),
    )
    torch_stream = torch.cuda.current_stream(torch_device)
    stream = wp.stream_from_torch(torch_stream)
    with wp.ScopedStream(stream):
        no_depth = wp.empty((0, *shape[1:]), dtype=wp.float32, device=machine.device)
        layers = Layers(wp.from_torch(result.rgb, dtype=wp.vec3ub), wp.from_torch(result.mask), no_depth)
        bodies = wp.array(rows, dtype=BodyRow, device=machine.device)
        step = min(batch_frames(context), max(len(rows), 1))
        scratch = Scratch(context, step)
        for first in range(0, len(rows), step):
            part = slice(first, min(first + step, len(rows)))
            draw_frames(context, scratch, bodies[part], layers_part(layers, part), stream)
    if torch_stream != torch.cuda.default_stream(torch_device):
        torch_stream.synchronize()  # Warp frees the arrays above in another stream
    return result
