"""Slots: the objects of videos by slot attention, trained to reconstruct the features of frames.

Slots compete for the cells of a frame that bodies cover. A slot prefers cells whose body has its centre where the slot
is, and whose colour and features are those of its object; besides it compares them in a learned way. The slots of a
frame start from those of the frame before, moved on, so that a slot follows one object; an empty slot is put on an
object that none holds.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.models.baselines.frozen_features import (
    GRID,
    GRID_CHANNELS,
    GRID_FEATURES,
    GRID_LOOKS,
    Tracks,
    last_places,
    mean_looks,
)
from tumble.learning.networks import full_precision

HALF_COVERED = 0.25
"""A cell counts as half an object's if bodies cover this share of it, and soon as a whole one above that."""
EMPTY = 0.01
"""Added to the number of cells that a slot holds, before dividing by it."""
EMPTY_CELLS = 0.7
"""A slot that holds fewer cells is empty."""
KEPT = 0.95
"""Share of a slot's looks that stays when they are seen again."""
SAME = 0.3
"""An empty slot that held an object is preferred to a new one if it held an object as similar as this (a cosine)."""
SEED = 0.3
"""An empty slot is put where at least this share of nine neighbouring cells shows an object that no slot holds."""
NOBODY = -30.0
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
    features: Tensor
    """float [video, frame, slot, GRID_FEATURES]: the mean features of the cells that it holds."""

    @property
    def tracks(self) -> Tracks:
        """The slots as tracks; looks are size, colour, features and value, each a mean over frames."""
        seen = (self.places[..., 2].expm1() > EMPTY_CELLS).float().transpose(1, 2)
        looks = torch.cat([self.places[..., 2:], self.features, self.values], dim=-1)
        return Tracks(mean_looks(looks, seen), seen, last_places(self.places[..., :2].transpose(1, 2), seen))


PLACE_WIDTH = 6
"""Numbers in `Slots.places`."""


@dataclass(frozen=True, eq=False)
class Cells:
    """What slots attend to."""

    keys: Tensor
    """float [video, frame, cell, width]."""
    values: Tensor
    """float [video, frame, cell, width]."""
    places: Tensor
    """float [video, frame, cell, 2]: the centres of what covers them; x is from -1 to 1, and y has the same scale."""
    share: Tensor
    """float [video, frame, cell]: the share that bodies cover."""
    colors: Tensor
    """float [video, frame, cell, 3]."""
    features: Tensor
    """float [video, frame, cell, GRID_FEATURES]."""
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
        """The number of frames of each video."""
        return self.keys.shape[1]


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
    features: Tensor
    """float [video, slot, GRID_FEATURES]: of what it holds, or held last."""
    velocity: Tensor
    """float [video, slot, 2]: per frame."""
    held: Tensor
    """float [video, slot, cell]: the share of each cell that it holds."""
    total: Tensor
    """float [video, slot]: the cells that it holds."""
    exists: Tensor
    """bool [video, slot, 1]: whether it is not empty."""
    used: Tensor
    """bool [video, slot]: whether it has held an object, in this frame or before."""


def _empty_state(cells: Cells, values: Tensor) -> _State:
    shape = values.shape[:2]
    none = values.new_zeros(*shape, 2)
    return _State(
        values,
        none + NOWHERE,
        none,
        values.new_zeros(*shape, 3),
        values.new_zeros(*shape, GRID_FEATURES),
        none,
        values.new_zeros(*shape, cells.keys.shape[2]),
        values.new_zeros(shape),
        torch.zeros(*shape, 1, dtype=torch.bool, device=values.device),
        torch.zeros(shape, dtype=torch.bool, device=values.device),
    )


class SlotEncoder(nn.Module):
    """Cells of frames to slots."""

    def __init__(self, slots: int, width: int, hidden: int) -> None:
        super().__init__()
        self.count, self.looks = slots, PLACE_WIDTH - 2 + GRID_FEATURES + width
        self.mix = nn.Sequential(nn.Linear(GRID_CHANNELS - 1, hidden), nn.ReLU())
        self.keys_and_values = nn.Linear(hidden, 2 * width)
        self.first = nn.Parameter(torch.randn(width))
        self.near = nn.Parameter(torch.tensor(1500.0).log())
        self.colored = nn.Parameter(torch.tensor(0.5).log())
        self.alike = nn.Parameter(torch.tensor(10.0).log())
        self.norm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        nn.init.zeros_(self.query.weight)
        self.update = nn.GRUCell(width, width)
        self.refine = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.ReLU())
        self.refined = nn.Linear(2 * width, width)

    def forward(self, grid: Tensor) -> Slots:
        """Cells [video, frame, cell, GRID_CHANNELS], as `GridCells` gives them."""
        keys, values = self.keys_and_values(self.mix(grid[..., 1:])).float().chunk(2, dim=-1)
        with full_precision(grid.device):
            share, places, colors, features = torch.split(grid.float(), [1, 2, GRID_LOOKS - 3, GRID_FEATURES], dim=-1)
            return self._follow(Cells(keys, values, places, share[..., 0], colors, features, presence_of(grid), GRID))

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
        features = torch.stack([state.features for state in states], dim=1)
        return Slots(values, torch.cat([centers, torch.log1p(totals), colors], dim=-1), features)

    def _seed(self, state: _State, cells: Cells, frame: int) -> _State:
        """Puts the emptiest slot, if it is empty, where most of an object is held by no slot."""
        free = cells.presence[:, frame] * (1.0 - state.held.sum(dim=1))
        around = functional.avg_pool2d(free.detach().view(-1, 1, *cells.shape), 3, 1, 1).flatten(1)
        place = around.argmax(dim=1, keepdim=True)
        found = cells.features[:, frame].gather(1, place[..., None].expand(-1, -1, GRID_FEATURES))
        fits = _cosines(state.features, found)[..., 0].masked_fill(~state.used, SAME)
        fits = fits.masked_fill(state.total >= EMPTY_CELLS, -2.0)
        best = torch.arange(self.count, device=place.device) == fits.argmax(dim=1, keepdim=True)
        needed = (around.gather(1, place) > SEED) & (state.total < EMPTY_CELLS) & best
        chosen = needed[..., None]
        color = cells.colors[:, frame].gather(1, place[..., None].expand(-1, -1, 3))
        return replace(
            state,
            values=torch.where(chosen, self.first, state.values),
            center=torch.where(
                chosen, cells.places[:, frame].gather(1, place[..., None].expand(-1, -1, 2)), state.center
            ),
            color=torch.where(chosen, color, state.color),
            velocity=torch.where(chosen, 0.0, state.velocity),
        )

    def _attend(self, state: _State, cells: Cells, frame: int) -> _State:
        """Shares out the cells of a frame between the slots, and updates the slots by what they hold."""
        keys, values, colors = cells.keys[:, frame], cells.values[:, frame], cells.colors[:, frame]
        places = cells.places[:, frame]
        distance = (state.center.detach()[:, :, None] - places[:, None]).square().sum(dim=-1)
        colored = (state.color.detach()[:, :, None] - colors[:, None]).square().sum(dim=-1)
        unlike = 1.0 - _cosines(state.features.detach(), cells.features[:, frame])
        learned = self.query(self.norm(state.values)) @ keys.transpose(1, 2) * keys.shape[-1] ** -0.5
        logits = learned - self.near.exp() * distance - self.colored.exp() * colored - self.alike.exp() * unlike
        nobody = torch.full_like(logits[:, :1], NOBODY)
        held = torch.cat([logits, nobody], dim=1).softmax(dim=1)[:, :-1] * cells.presence[:, frame, None]
        total = held.sum(dim=-1)
        share = held / (total[..., None] + EMPTY)
        found = share @ values
        updated = self.update(found.flatten(0, 1), state.values.flatten(0, 1)).view_as(state.values)
        exists = (total > EMPTY_CELLS)[..., None]
        area = held * cells.share[:, frame, None]
        center = area @ places / (area.sum(dim=-1, keepdim=True) + 1e-4)
        return _State(
            updated + self.refined(self.refine(updated)),
            torch.where(exists, center.detach(), state.center),
            center,
            self._kept(state, state.color, share @ colors, exists),
            self._kept(state, state.features, share @ cells.features[:, frame], exists),
            state.velocity,
            held,
            total,
            exists,
            state.used | exists[..., 0],
        )

    @staticmethod
    def _kept(state: _State, before: Tensor, now: Tensor, exists: Tensor) -> Tensor:
        """Looks that change slowly along the video, so that a slot knows its object after a collision."""
        old = state.used[..., None]
        return torch.where(exists, torch.where(old, KEPT * before + (1.0 - KEPT) * now, now), before)


def _cosines(one: Tensor, other: Tensor) -> Tensor:
    """[video, n, m]: the cosines between vectors [video, n, channel] and [video, m, channel]."""
    return functional.normalize(one, dim=-1) @ functional.normalize(other, dim=-1).transpose(1, 2)


class SlotDecoder(nn.Module):
    """Slots to the cells of frames: each slot draws around its centre, on the empty table."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.from_slot = nn.Linear(width + PLACE_WIDTH, hidden)
        self.from_offset = nn.Linear(6, hidden)
        self.layers = nn.Sequential(
            nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.output = nn.Linear(hidden, GRID_CHANNELS)

    def forward(self, values: Tensor, places: Tensor) -> Tensor:
        """Values and places of slots [video, frame, slot, ...] to [video, frame, cell, GRID_CHANNELS - 1]."""
        grid = cell_grid(*GRID, values.device)
        offset = 4.0 * (grid - places[..., None, :2])
        features = torch.cat([offset, offset.square(), torch.sin(3.0 * offset)], dim=-1)
        of_slot = self.from_slot(torch.cat([values, places], dim=-1))
        drawn = self.output(self.layers(of_slot[..., None, :] + self.from_offset(features))).float()
        logits = drawn[..., 0] - offset.square().sum(dim=-1)
        nothing = torch.zeros_like(logits[:, :, :1])
        share = torch.cat([logits, nothing], dim=2).softmax(dim=2)[:, :, :-1]
        return torch.einsum("vfsp,vfspc->vfpc", share, drawn[..., 1:])


def reconstruction_loss(decoder: SlotDecoder, slots: Slots, grid: Tensor, count: int) -> Tensor:
    """The error of the cells of some random frames, drawn from their slots; objects weigh more than the table."""
    chosen = torch.randperm(grid.shape[1], device=grid.device)[:count]
    cells = grid[:, chosen].float()
    presence = presence_of(cells)
    drawn = decoder(slots.values[:, chosen], slots.places[:, chosen])
    error: Tensor = (drawn - cells[..., 1:] * presence[..., None]).square().mean(dim=-1)
    weight = 0.1 + presence
    return (error * weight).sum() / weight.sum()


def presence_of(grid: Tensor) -> Tensor:
    """float [..., cell] from 0 to 1: whether the cells [..., cell, GRID_CHANNELS] show an object."""
    return torch.sigmoid(6.0 * (grid[..., 0].float() / HALF_COVERED - 1.0))


def cell_grid(height: int, width: int, device: torch.device) -> Tensor:
    """float [cell, 2]: x and y of the centres of cells; x is from -1 to 1, and y has the same scale."""
    x = (torch.arange(width, device=device) + 0.5) * 2.0 / width - 1.0
    y = ((torch.arange(height, device=device) + 0.5) * 2.0 / height - 1.0) * height / width
    return torch.stack([x.repeat(height), y.repeat_interleave(width)], dim=-1)
