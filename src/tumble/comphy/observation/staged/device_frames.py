"""Rendering objects on stages into tensors of PyTorch: on a GPU the pictures stay there, to train networks with."""

from typing import TYPE_CHECKING

import warp as wp

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.observation.renderer.device_frames import DeviceFrames
from tumble.comphy.observation.renderer.launches import Layers, layers_part
from tumble.comphy.observation.renderer.view import Size
from tumble.comphy.observation.staged.clip import Batch
from tumble.comphy.observation.staged.context import load_kernels, staged_context
from tumble.comphy.observation.staged.worker import StagedWorker
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import Options

if TYPE_CHECKING:
    import torch


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
