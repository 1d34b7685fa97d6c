"""Slots: the objects of videos by slot attention, trained to reconstruct frames.

Slots compete for the cells of a frame that differ from the empty table. Those of a frame start from the slots of the
frame before, so that a slot follows one object.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.models.baselines.frame_encoder import CONTRAST

STRIDE = 4
"""Pixels of a picture per cell, in both directions."""
VISIBLE = 0.06 * CONTRAST
"""A cell whose brightest channel differs from the table by this counts as half an object's."""
EMPTY = 0.05
"""Cells that a slot must hold to be more than empty, about."""


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots of videos."""

    values: Tensor
    """float [video, frame, slot, width]: what is in each slot."""
    places: Tensor
    """float [video, frame, slot, 3]: centre (x, y from -1 to 1) and the number of cells that a slot holds, scaled."""


class SlotEncoder(nn.Module):
    """Frames to slots."""

    def __init__(self, slots: int, width: int, channels: int, iterations: int) -> None:
        super().__init__()
        self.iterations = iterations
        self.layers = nn.Sequential(
            nn.Conv2d(3, channels // 2, 5, 2, 2),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels // 2, channels, 3, 2, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1),
        )
        self.place = nn.Linear(4, channels)
        self.mix = nn.Sequential(nn.LayerNorm(channels), nn.Linear(channels, channels), nn.ReLU())
        self.keys_and_values = nn.Linear(channels, 2 * width)
        self.first = nn.Parameter(torch.randn(slots, width))
        self.query = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width, bias=False))
        self.update = nn.GRUCell(width, width)
        self.refine = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.ReLU())
        self.refined = nn.Linear(2 * width, width)

    def forward(self, frames: Tensor) -> Slots:
        """Frames [video, frame, 3, height, width]."""
        flat = frames.flatten(0, 1).contiguous(memory_format=torch.channels_last)
        features = self.layers(flat)
        grid = cell_grid(*features.shape[-2:], frames.device)
        features = features.flatten(2).transpose(1, 2) + self.place(torch.cat([grid, grid**2], dim=-1))
        keys, values = self.keys_and_values(self.mix(features)).float().chunk(2, dim=-1)
        shape = *frames.shape[:2], *keys.shape[1:]
        keys, values = keys.view(shape), values.view(shape)
        presence = object_presence(frames)
        slots = self.first.expand(len(frames), -1, -1)
        all_slots, all_places = [], []
        for frame in range(frames.shape[1]):
            for _ in range(self.iterations if frame else self.iterations + 2):
                slots, held = self._attend(slots, keys[:, frame], values[:, frame], presence[:, frame])
            total = held.sum(dim=-1, keepdim=True)
            center = held @ grid / (total + EMPTY)
            all_slots.append(slots)
            all_places.append(torch.cat([center, torch.log1p(total)], dim=-1))
        return Slots(torch.stack(all_slots, dim=1), torch.stack(all_places, dim=1))

    def _attend(self, slots: Tensor, keys: Tensor, values: Tensor, presence: Tensor) -> tuple[Tensor, Tensor]:
        """The next slots [video, slot, width], and the share of each cell that they hold [video, slot, cell]."""
        logits = self.query(slots).float() @ keys.transpose(1, 2) * keys.shape[-1] ** -0.5
        held = logits.softmax(dim=1) * presence[:, None]
        found = held @ values / (held.sum(dim=-1, keepdim=True) + EMPTY)
        updated = self.update(found.flatten(0, 1), slots.flatten(0, 1)).view_as(slots)
        return updated + self.refined(self.refine(updated)), held


class SlotDecoder(nn.Module):
    """Slots to pictures: each slot draws around its centre, on the empty table."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.from_slot = nn.Linear(width + 3, hidden)
        self.from_offset = nn.Linear(6, hidden)
        self.layers = nn.Sequential(
            nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4)
        )

    def forward(self, slots: Slots, height: int, width: int) -> Tensor:
        """Slots [video, frame, ...] to differences to the table [video, frame, height * width, 3]."""
        grid = cell_grid(height, width, slots.values.device)
        offset = 4.0 * (grid - slots.places[..., None, :2])
        features = torch.cat([offset, offset.square(), torch.sin(3.0 * offset)], dim=-1)
        of_slot = self.from_slot(torch.cat([slots.values, slots.places], dim=-1))
        drawn = self.layers(of_slot[..., None, :] + self.from_offset(features)).float()
        logits = drawn[..., 3] - offset.square().sum(dim=-1)
        nothing = torch.zeros_like(logits[:, :, :1])
        share = torch.cat([logits, nothing], dim=2).softmax(dim=2)[:, :, :-1]
        return torch.einsum("vfsp,vfspc->vfpc", share, drawn[..., :3])


def reconstruction_loss(decoder: SlotDecoder, slots: Slots, frames: Tensor, count: int) -> Tensor:
    """The error of some random frames at half size, drawn from their slots; objects weigh more than the table."""
    chosen = torch.randperm(frames.shape[1], device=frames.device)[:count]
    wanted = functional.avg_pool2d(frames[:, chosen].flatten(0, 1).float(), 2)
    height, width = wanted.shape[-2:]
    wanted = wanted.flatten(2).transpose(1, 2).view(len(frames), -1, height * width, 3)
    drawn = decoder(Slots(slots.values[:, chosen], slots.places[:, chosen]), height, width)
    weight = 0.1 + _visible(wanted.abs().amax(dim=-1))
    return ((drawn - wanted).square().mean(dim=-1) * weight).sum() / weight.sum()


def object_presence(frames: Tensor) -> Tensor:
    """float [video, frame, cell] from 0 to 1: how much a cell differs from the empty table."""
    pooled = functional.avg_pool2d(frames.flatten(0, 1).float().abs().amax(dim=1, keepdim=True), STRIDE)
    return _visible(pooled).flatten(1).view(*frames.shape[:2], -1)


def _visible(difference: Tensor) -> Tensor:
    return torch.sigmoid(12.0 * (difference / VISIBLE - 1.0) / 2.0)


def cell_grid(height: int, width: int, device: torch.device) -> Tensor:
    """float [cell, 2]: x and y of the centres of cells, from -1 to 1."""
    x = (torch.arange(width, device=device) + 0.5) * 2.0 / width - 1.0
    y = (torch.arange(height, device=device) + 0.5) * 2.0 / height - 1.0
    return torch.stack([x.repeat(height), y.repeat_interleave(width)], dim=-1)
