"""Rendering into tensors of PyTorch: on a GPU the pictures stay there, to train networks with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer.clips import Clip, body_rows
from tumble.comphy.observation.renderer.context import Size, render_context
from tumble.comphy.observation.renderer.kernels import BLOCK, trace
from tumble.comphy.observation.renderer.ray_tracer import COMPILING, GPU_CHUNK, draw, render_rows
from tumble.comphy.observation.renderer.rays import BodyRow
from tumble.comphy.observation.renderer.tiles import TILE, Tile, tiles_of
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


@dataclass(frozen=True, eq=False)
class Prepared:
    """Frames with all that the host computes for them, so that threads can prepare them ahead."""

    rows: np.ndarray
    """BodyRow [frame, body]."""
    size: Size
    tiles: tuple[tuple[np.ndarray, int], ...]
    """Of each chunk of GPU_CHUNK frames, as `tiles_of` gives them."""


def prepare_rows(rows: np.ndarray, size: Size) -> Prepared:
    """Prepares frames of bodies BodyRow [frame, body] for a GPU."""
    parts = (rows[first : first + GPU_CHUNK] for first in range(0, len(rows), GPU_CHUNK))
    return Prepared(rows, size, tuple(tiles_of(part, CAMERA, size) for part in parts))


def render_tensors(clips: Sequence[Clip], size: Size, device: str = "cpu") -> DeviceFrames:
    """Renders clips into tensors on a device; the pixels are those of `render_many`."""
    return render_row_tensors(body_rows(clips), size, device)


def render_row_tensors(rows: np.ndarray, size: Size, device: str = "cpu", threads: int = 0) -> DeviceFrames:
    """Renders bodies BodyRow [frame, body] into tensors on a device, with `threads` on a CPU (0: all cores)."""
    import torch

    if device.startswith("cuda"):
        return render_prepared(prepare_rows(rows, size), device)
    frames = render_rows(rows, size, device, threads)
    return DeviceFrames(torch.from_numpy(frames.rgb), torch.from_numpy(frames.mask))


def render_prepared(prepared: Prepared, device: str) -> DeviceFrames:
    """Renders prepared frames on a GPU, in PyTorch's current stream; in a stream of its own it waits for the end."""
    import torch

    machine = Machine(Options(device=device))
    machine.load(trace, compiling=COMPILING, block_dim=BLOCK)
    rows, size = prepared.rows, prepared.size
    context = render_context(str(machine.device), CAMERA, size)
    shape = (len(rows), size[1], size[0])
    torch_device = wp.device_to_torch(machine.device)
    result = DeviceFrames(
        torch.empty((*shape, 3), dtype=torch.uint8, device=torch_device),
        torch.empty(shape, dtype=torch.uint8, device=torch_device),
    )
    torch_stream = torch.cuda.current_stream(torch_device)
    stream = wp.stream_from_torch(torch_stream)
    rgb, mask = wp.from_torch(result.rgb), wp.from_torch(result.mask)
    with wp.ScopedStream(stream):
        depth = wp.empty((min(GPU_CHUNK, len(rows)), *shape[1:]), dtype=wp.float32, device=machine.device)
        edges_shape = GPU_CHUNK * -(-shape[1] // TILE) * -(-shape[2] // TILE), TILE * TILE
        edges = wp.empty(edges_shape, dtype=wp.uint8, device=machine.device)
        for first, (tiles, visible) in zip(range(0, len(rows), GPU_CHUNK), prepared.tiles, strict=True):
            part = slice(first, min(first + GPU_CHUNK, len(rows)))
            device_tiles = wp.array(tiles, dtype=Tile, device=machine.device) if len(tiles) else None
            bodies = wp.array(rows[part], dtype=BodyRow, device=machine.device)
            layers = rgb[part], mask[part], depth[: part.stop - first]
            draw(context, machine.device, stream, bodies, device_tiles, visible, edges, layers)
    if torch_stream != torch.cuda.default_stream(torch_device):
        torch_stream.synchronize()  # Warp frees the arrays above in another stream
    return result
