"""Rendered batches for the perceiver, made as training goes.

Rendering takes longer than a step of training, so every chunk of rendered frames is used in several steps, each time
with other augmentation. The batch of a step consists of the chunks with the numbers step - lag, so it depends on the
seed and the step only. Threads prepare chunks ahead; a GPU then renders them without copies to the host.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from tumble.comphy.models.data.pictures import Pictures
from tumble.comphy.models.data.placed import Placed
from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH
from tumble.comphy.models.perceiver.sampling import FrameSampler
from tumble.comphy.models.perceiver.targets import BodyPlaces, Targets, body_places, make_targets

SIZE = (WIDTH, HEIGHT)
AHEAD, THREADS = 8, 3
"""Chunks that are made ahead, and threads that prepare them for a GPU."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rendered frames on the device."""

    rgb: Tensor
    """uint8 [frame, HEIGHT, WIDTH, 3]."""
    labels: Tensor
    """uint8 [frame, HEIGHT, WIDTH]."""
    places: BodyPlaces

    def keep_for(self, stream: torch.cuda.Stream) -> None:
        """Keeps its memory until the work that a stream now has is done."""
        for tensor in (self.rgb, self.labels, *(getattr(self.places, field.name) for field in fields(self.places))):
            tensor.record_stream(stream)


class Batches:
    """Batches by step."""

    def __init__(self, sampler: FrameSampler, size: int, lags: Sequence[int], device: torch.device) -> None:
        """`size` frames in a batch, in equal parts from the chunks `lags` before a step."""
        self.sampler, self.lags, self.device = sampler, tuple(lags), device
        self.pictures = Pictures(sampler.sets.world, SIZE, device, sampler.stages, torch.get_num_threads())
        self.frames = max(size // len(self.lags), 1)
        self._chunks: dict[int, Future[Chunk]] = {}
        self._on_device = device.type == "cuda"
        self._pool = ThreadPoolExecutor(THREADS) if self._on_device else None
        self._renderer = ThreadPoolExecutor(1) if self._on_device else None
        self._stream = torch.cuda.Stream(device) if self._on_device else None  # type: ignore[no-untyped-call]

    def batch(self, step: int) -> tuple[Tensor, Targets]:
        """Pictures uint8 [frame, HEIGHT, WIDTH, 3] of a step, and their targets."""
        numbers = sorted(step - lag for lag in self.lags)
        self._chunks = {number: chunk for number, chunk in self._chunks.items() if number >= numbers[0]}
        # All chunks between are used by later steps; without threads they are made when they are.
        for number in range(numbers[0], step + 1 + AHEAD) if self._on_device else numbers:
            if number not in self._chunks:
                self._chunks[number] = self._start(number)
        chunks = [self._chunks[number].result() for number in numbers]
        if self._on_device:
            for chunk in chunks:
                chunk.keep_for(torch.cuda.current_stream(self.device))
        names = [field.name for field in fields(BodyPlaces)]
        places = BodyPlaces(*(torch.cat([getattr(chunk.places, name) for chunk in chunks]) for name in names))
        rgb, labels = torch.cat([chunk.rgb for chunk in chunks]), torch.cat([chunk.labels for chunk in chunks])
        return rgb, make_targets(places, labels)

    def _start(self, number: int) -> "Future[Chunk]":
        """Starts to make a chunk: on a GPU by threads, one of which launches kernels in a stream of its own."""
        if self._pool is None or self._renderer is None:
            future: Future[Chunk] = Future()
            placed = self.sampler.sample(number, self.frames)
            rendered = self.pictures.render(placed)
            future.set_result(
                Chunk(rendered.rgb, rendered.mask, body_places(placed, self.sampler.sets.world, self.device))
            )
            return future
        return self._renderer.submit(self._render, self._pool.submit(self._prepare, number))

    def _prepare(self, number: int) -> Placed:
        return self.sampler.sample(number, self.frames)

    def _render(self, prepared: "Future[Placed]") -> Chunk:
        assert self._stream is not None
        placed = prepared.result()
        with torch.cuda.stream(self._stream):
            rendered = self.pictures.render(placed)
            places = body_places(placed, self.sampler.sets.world, self._stream.device)
            self._stream.synchronize()
        return Chunk(rendered.rgb, rendered.mask, places)
