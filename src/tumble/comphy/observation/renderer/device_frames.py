"""Rendering into tensors of PyTorch: on a GPU the pictures stay there, to train networks with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer.body_row import BodyRow
from tumble.comphy.observation.renderer.clips import Clip, body_rows
from tumble.comphy.observation.renderer.context import render_context
from tumble.comphy.observation.renderer.launches import Layers, Scratch, draw, layers_part, load_kernels
from tumble.comphy.observation.renderer.ray_tracer import render_rows
from tumble.comphy.observation.renderer.view import Size
from tumble.comphy.observation.renderer.workers import batch_frames
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

if TYPE_CHECKING:
    from torch import Tensor


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
            draw(context, scratch, bodies[part], layers_part(layers, part), stream)
    if torch_stream != torch.cuda.default_stream(torch_device):
        torch_stream.synchronize()  # Warp frees the arrays above in another stream
    return result
