"""Rendered batches for the perceiver, made as training goes.

Rendering takes longer than a step of training, so every chunk of rendered frames is used in several steps, each time with
other augmentation. The batch of a step consists of the chunks with the numbers step - lag, so it depends on the seed and
the step only. Threads prepare chunks ahead; a GPU then renders them without copies to the host.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from tumble.comphy.models.perceiver.network import HEIGHT, WIDTH
from tumble.comphy.models.perceiver.sampling import FrameSampler, Placed
from tumble.comphy.models.perceiver.targets import BodyPlaces, Targets, body_places, make_targets
from tumble.comphy.observation.renderer.device_frames import Prepared, prepare_rows, render_prepared, render_row_tensors

SIZE = (WIDTH, HEIGHT)
AHEAD, THREADS = 6, 3
"""Chunks that are prepared ahead, and threads that do so."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rendered frames on the device."""

    rgb: Tensor
    """uint8 [frame, HEIGHT, WIDTH, 3]."""
    labels: Tensor
    """uint8 [frame, HEIGHT, WIDTH]."""
    places: BodyPlaces


class Batches:
    """Batches by step."""

    def __init__(self, sampler: FrameSampler, size: int, lags: Sequence[int], device: torch.device) -> None:
        """`size` frames in a batch, in equal parts from the chunks `lags` before a step."""
        self.sampler, self.lags, self.device = sampler, tuple(lags), device
        self.frames = max(size // len(self.lags), 1)
        self._chunks: dict[int, Chunk] = {}
        self._prepared: dict[int, Future[tuple[Placed, Prepared]]] = {}
        self._pool = ThreadPoolExecutor(THREADS) if device.type == "cuda" else None

    def batch(self, step: int) -> tuple[Tensor, Targets]:
        """Pictures uint8 [frame, HEIGHT, WIDTH, 3] of a step, and their targets."""
        numbers = [step - lag for lag in self.lags]
        self._chunks = {number: chunk for number, chunk in self._chunks.items() if number >= min(numbers)}
        if self._pool is not None:
            for number in [*numbers, *range(step + 1, step + 1 + AHEAD)]:
                if number not in self._chunks and number not in self._prepared:
                    self._prepared[number] = self._pool.submit(self._prepare, number)
        chunks = [self._chunk(number) for number in numbers]
        places = BodyPlaces(
            *(torch.cat([getattr(chunk.places, field.name) for chunk in chunks]) for field in fields(BodyPlaces))
        )
        rgb, labels = torch.cat([chunk.rgb for chunk in chunks]), torch.cat([chunk.labels for chunk in chunks])
        return rgb, make_targets(places, labels)

    def _prepare(self, number: int) -> tuple[Placed, Prepared]:
        placed = self.sampler.sample(number, self.frames)
        return placed, prepare_rows(placed.rows(), SIZE)

    def _chunk(self, number: int) -> Chunk:
        if number not in self._chunks:
            if self._pool is not None:
                placed, prepared = self._prepared.pop(number).result()
                rendered = render_prepared(prepared, str(self.device))
            else:
                placed = self.sampler.sample(number, self.frames)
                rendered = render_row_tensors(placed.rows(), SIZE, "cpu", torch.get_num_threads())
            self._chunks[number] = Chunk(rendered.rgb, rendered.mask, body_places(placed, self.device))
        return self._chunks[number]
