"""Observations of many states, kept packed on a device: cells of the symbolic tensor as bits, pictures as bytes."""

from typing import Any

import torch
import warp as wp
from torch import Tensor

from tumble.learning.settings import TrainingError
from tumble.phyq.observation.batch import SMALL_SHAPE, BatchPainter, Scenes
from tumble.phyq.observation.symbolic import TENSOR_SHAPE

OBSERVATIONS = {"symbolic": TENSOR_SHAPE[2], "image": SMALL_SHAPE[2]}
"""Channels by observation: the 12 kinds of objects, or red, green and blue."""
ROWS, COLUMNS = TENSOR_SHAPE[:2]
CHUNK = 1024
"""States that are drawn at a time; a symbolic one takes 230 kB until it is packed."""
FIRST_ROOM = 256
GROWTH = 1.25
"""Factor by which the room grows when it is full: a training with several birds needs tens of GB for pictures."""


class StatePictures:
    """A growing collection of observations of one kind; rows are numbered in the order in which they were added."""

    def __init__(self, observation: str, device: torch.device) -> None:
        if observation not in OBSERVATIONS:
            raise TrainingError(f"no observation {observation!r}; there are {', '.join(OBSERVATIONS)}")
        self.observation, self.channels, self.device = observation, OBSERVATIONS[observation], device
        self._room = self._empty(FIRST_ROOM)
        self._count = 0
        self._bits = (1 << torch.arange(self.channels, device=device)).to(torch.int16)

    def _empty(self, count: int) -> Tensor:
        if self.observation == "symbolic":
            return torch.zeros((count, ROWS, COLUMNS), dtype=torch.int16, device=self.device)
        return torch.zeros((count, self.channels, ROWS, COLUMNS), dtype=torch.uint8, device=self.device)

    def __len__(self) -> int:
        return self._count

    def draw(self, painter: BatchPainter, scenes: Scenes) -> None:
        """Adds the observations of scenes, drawn on the painter's device."""
        self._reserve(self._count + len(scenes))
        for first in range(0, len(scenes), CHUNK):
            part = Scenes(scenes.sprites[first : first + CHUNK], scenes.poses[first : first + CHUNK])
            self._append(painter.tensors(part) if self.observation == "symbolic" else painter.small_pictures(part))

    def _reserve(self, total: int) -> None:
        """Makes room for this number of observations; memory that is no longer used goes back to the device."""
        if total <= len(self._room):
            return
        grown = self._empty(max(total, round(GROWTH * len(self._room))))
        grown[: self._count] = self._room[: self._count]
        self._room = grown
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _append(self, drawn: Any) -> None:
        """Adds what a painter drew: a Warp array uint8 [n, rows, columns, channels]."""
        wp.synchronize_device(drawn.device)  # PyTorch works in a stream of its own
        seen = wp.to_torch(drawn).to(self.device)
        total = self._count + len(seen)
        if self.observation == "symbolic":
            packed = (seen.to(torch.int16) * self._bits).sum(-1, dtype=torch.int16)
        else:
            packed = seen.permute(0, 3, 1, 2)
        self._room[self._count : total] = packed
        if self.device.type == "cuda":
            torch.cuda.current_stream(self.device).synchronize()  # Warp may use the memory of `drawn` again now
        self._count = total

    def floats(self, rows: Tensor, shifts: Tensor | None = None) -> Tensor:
        """float32 [*rows, channels, 120, 160] of rows int [*]: bits as 0 and 1, colours as -1 to 1.

        `shifts` int [*rows, 2] are cells by which each is moved down and to the right; its edges are repeated.
        """
        packed = self._room[rows] if shifts is None else self._shifted(rows, shifts)
        if self.observation == "symbolic":
            return (packed.unsqueeze(-3) & self._bits.view(-1, 1, 1)).ne(0).float()
        return packed.float() / 127.5 - 1.0

    def _shifted(self, rows: Tensor, shifts: Tensor) -> Tensor:
        down, right = shifts.unbind(-1)
        row = torch.arange(ROWS, device=self.device).sub(down.unsqueeze(-1)).clamp(0, ROWS - 1).unsqueeze(-1)
        column = torch.arange(COLUMNS, device=self.device).sub(right.unsqueeze(-1)).clamp(0, COLUMNS - 1).unsqueeze(-2)
        picture = rows[..., None, None]
        if self.observation == "symbolic":
            return self._room[picture, row, column]
        return self._room.movedim(1, -1)[picture, row, column].movedim(-1, -3)
