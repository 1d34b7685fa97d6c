"""Slots: the objects of videos by slot attention, trained to reconstruct frames.

Slots compete for the cells of a frame that differ from the empty table. A slot prefers cells near its centre and of its
colour, and by a learned comparison. Those of a frame start from the slots of the frame before, moved on, so that a slot
follows one object; an empty slot is put on an object that none holds.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.models.baselines.frame_encoder import object_presence, visibility
from tumble.learning.hardware import full_precision

STRIDE = 4
"""Pixels of a picture per cell, in both directions."""
EMPTY = 0.01
"""Added to the number of cells that a slot holds, before dividing by it."""
EMPTY_CELLS = 0.7
"""A slot that holds fewer cells is empty."""
SEED = 0.3
"""An empty slot is put where at least this share of nine neighbouring cells shows an object that no slot holds."""
NOBODY = -6.0
"""Cells whose logits for all slots are below this are held by none, about."""
NOWHERE = -5.0
"""Coordinate of slots that hold nothing yet."""


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots of videos."""

    values: Tensor
    """float [video, frame, slot, width]: what is in each slot."""
    places: Tensor
    """float [video, frame, slot, 6]: centre (x, y), logarithm of 1 + the number of cells that it holds, and colour."""


PLACE_WIDTH = 6
"""Numbers in `Slots.places`."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What slots attend to."""

    keys: Tensor
    """float [video, frame, cell, width]."""
    values: Tensor
    """float [video, frame, cell, width]."""
    colors: Tensor
    """float [video, frame, cell, 3]: mean differences to the table."""
    presence: Tensor
    """float [video, frame, cell]."""
    shape: tuple[int, int]
    """Height and width in cells."""

    @property
    def videos(self) -> int:
        """Their number."""
        return len(self.keys)

    @property
    def frames(self) -> int:
        """Of each video."""
        return self.keys.shape[1]

    @cached_property
    def grid(self) -> Tensor:
        """float [cell, 2]: the centres of cells; x is from -1 to 1, and y has the same scale."""
        return cell_grid(*self.shape, self.keys.device)


@dataclass(frozen=True, eq=False)
class _State:
    """Slots of one frame."""

    values: Tensor
    """float [video, slot, width]."""
    center: Tensor
    """float [video, slot, 2]: where a slot looks; for an empty one, where it was last."""
    seen_center: Tensor
    """float [video, slot, 2]: the centre of what it holds, through which gradients flow."""
    color: Tensor
    """float [video, slot, 3]."""
    velocity: Tensor
    """float [video, slot, 2]: per frame."""
    held: Tensor
    """float [video, slot, cell]: the share of each cell that it holds."""
    total: Tensor
    """float [video, slot]: the cells that it holds."""
    exists: Tensor
    """bool [video, slot, 1]: whether it is not empty."""


def _empty_state(cells: Cells, values: Tensor) -> _State:
    shape = values.shape[:2]
    none = values.new_zeros(*shape, 2)
    return _State(
        values,
        none + NOWHERE,
        none,
        values.new_zeros(*shape, 3),
        none,
        values.new_zeros(*shape, cells.keys.shape[2]),
        values.new_zeros(shape),
        torch.zeros(*shape, 1, dtype=torch.bool, device=values.device),
    )


class SlotEncoder(nn.Module):
    """Frames to slots."""

    def __init__(self, slots: int, width: int, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, channels // 2, 5, 2, 2),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels // 2, channels, 3, 2, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, channels, 3, 1, 1),
        )
        self.count = slots
        self.mix = nn.Sequential(nn.LayerNorm(channels), nn.Linear(channels, channels), nn.ReLU())
        self.keys_and_values = nn.Linear(channels, 2 * width)
        self.first = nn.Parameter(torch.randn(width))
        self.near = nn.Parameter(torch.tensor(60.0).log())
        self.alike = nn.Parameter(torch.tensor(2.0).log())
        self.norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        nn.init.zeros_(self.query.weight)
        self.update = nn.GRUCell(width, width)
        self.refine = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.ReLU())
        self.refined = nn.Linear(2 * width, width)

    def forward(self, frames: Tensor) -> Slots:
        """Frames [video, frame, 3, height, width]."""
        features = self.layers(frames.flatten(0, 1).contiguous(memory_format=torch.channels_last))
        height, width = features.shape[-2:]
        keys_and_values = self.keys_and_values(self.mix(features.flatten(2).transpose(1, 2)))
        keys, values = keys_and_values.float().unflatten(0, frames.shape[:2]).chunk(2, dim=-1)
        with full_precision(frames.device):
            colors = functional.avg_pool2d(frames.flatten(0, 1).float(), STRIDE).flatten(2).transpose(1, 2)
            cells = Cells(
                keys, values, colors.unflatten(0, frames.shape[:2]), object_presence(frames, STRIDE), (height, width)
            )
            return self._follow(cells)

    def _follow(self, cells: Cells) -> Slots:
        """The slots of all frames, each from those of the frame before."""
        state = _empty_state(cells, self.first.expand(cells.videos, self.count, -1))
        states = []
        for frame in range(cells.frames):
            if frame == 0:
                for _ in range(self.count):
                    state = self._attend(self._seed(state, cells, 0), cells, 0)
            else:
                before = state.center
                state = self._attend(replace(state, center=before + state.velocity), cells, frame)
                state = self._attend(self._seed(state, cells, frame), cells, frame)
                state = replace(state, velocity=(state.center - before) * state.exists)
            states.append(state)
        centers = torch.stack([state.seen_center for state in states], dim=1)
        totals = torch.stack([state.total for state in states], dim=1)[..., None]
        colors = torch.stack([state.color for state in states], dim=1)
        values = torch.stack([state.values for state in states], dim=1)
        return Slots(values, torch.cat([centers, torch.log1p(totals), colors], dim=-1))

    def _seed(self, state: _State, cells: Cells, frame: int) -> _State:
        """Puts the emptiest slot, if it is empty, where most of an object is held by no slot."""
        free = cells.presence[:, frame] * (1.0 - state.held.sum(dim=1))
        around = functional.avg_pool2d(free.detach().unflatten(1, cells.shape)[:, None], 3, 1, 1).flatten(1)
        place = around.argmax(dim=1, keepdim=True)
        emptiest = functional.one_hot(state.total.argmin(dim=1), self.count)
        needed = (around.gather(1, place) > SEED) & (state.total < EMPTY_CELLS) & emptiest.bool()
        chosen = needed[..., None]
        color = cells.colors[:, frame].gather(1, place[..., None].expand(-1, -1, 3))
        return replace(
            state,
            values=torch.where(chosen, self.first, state.values),
            center=torch.where(chosen, cells.grid[place], state.center),
            color=torch.where(chosen, color, state.color),
            velocity=torch.where(chosen, 0.0, state.velocity),
        )

    def _attend(self, state: _State, cells: Cells, frame: int) -> _State:
        """Shares out the cells of a frame between the slots, and updates the slots by what they hold."""
        keys, values, colors = cells.keys[:, frame], cells.values[:, frame], cells.colors[:, frame]
        distance = (state.center.detach()[:, :, None] - cells.grid).square().sum(dim=-1)
        difference = (state.color.detach()[:, :, None] - colors[:, None]).square().sum(dim=-1)
        learned = self.query(self.norm(state.values)) @ keys.transpose(1, 2) * keys.shape[-1] ** -0.5
        logits = learned - self.near.exp() * distance - self.alike.exp() * difference
        nobody = torch.full_like(logits[:, :1], NOBODY)
        held = torch.cat([logits, nobody], dim=1).softmax(dim=1)[:, :-1] * cells.presence[:, frame, None]
        total = held.sum(dim=-1)
        share = held / (total[..., None] + EMPTY)
        found = share @ values
        updated = self.update(found.flatten(0, 1), state.values.flatten(0, 1)).view_as(state.values)
        exists = (total > EMPTY_CELLS)[..., None]
        center = share @ cells.grid
        return _State(
            updated + self.refined(self.refine(updated)),
            torch.where(exists, center.detach(), state.center),
            center,
            torch.where(exists, 0.5 * state.color + 0.5 * (share @ colors), state.color),
            state.velocity,
            held,
            total,
            exists,
        )


class SlotDecoder(nn.Module):
    """Slots to pictures: each slot draws around its centre, on the empty table."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.from_slot = nn.Linear(width + PLACE_WIDTH, hidden)
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
    weight = 0.1 + visibility(wanted.abs().amax(dim=-1))
    return ((drawn - wanted).square().mean(dim=-1) * weight).sum() / weight.sum()


def cell_grid(height: int, width: int, device: torch.device) -> Tensor:
    """float [cell, 2]: x and y of the centres of cells; x is from -1 to 1, and y has the same scale."""
    x = (torch.arange(width, device=device) + 0.5) * 2.0 / width - 1.0
    y = ((torch.arange(height, device=device) + 0.5) * 2.0 / height - 1.0) * height / width
    return torch.stack([x.repeat(height), y.repeat_interleave(width)], dim=-1)
