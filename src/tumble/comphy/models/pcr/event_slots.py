"""Where events of a video may be: frames proposed for each slot, from tracks on the table.

A body comes in or goes out where its track begins or ends within the video. Two bodies may collide where they are near
each other and their approach is stopped or reversed most suddenly. Whether they do is for a network to say.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.models.pcr.slots import SlotLayout

NEAR = 0.8
"""Distance of two centres below which bodies may touch: two cubes do so up to 0.57."""
REACH = 3
"""Frames before and after a collision over which the change of the distance is measured."""
APART = 5
"""The fewest frames between two proposals for a pair, less one."""
LEAST_JUMP = 0.008
"""Units by which the distance changes more over the frames after a collision than over those before."""


@dataclass(frozen=True, eq=False)
class Proposals:
    """Frames at which something may happen."""

    frames: Tensor
    """int64 [scene, item, number]: the frame; 0 where there is none."""
    exists: Tensor
    """bool [scene, item, number]."""


def pair_indices(layout: SlotLayout, device: torch.device) -> tuple[Tensor, Tensor]:
    """int64 [pair]: the first and the second body of each pair."""
    first, second = torch.tensor(layout.pairs, device=device).unbind(-1)
    return first, second


def passages(present: Tensor, number: int) -> tuple[Proposals, Proposals]:
    """Where bodies come in and where they go out; present is bool [scene, frame, body]."""
    now, before = present[:, 1:], present[:, :-1]
    return tuple(_first_frames(change.transpose(1, 2), number, 1) for change in (now & ~before, before & ~now))  # type: ignore[return-value]


def _first_frames(happens: Tensor, number: int, shift: int) -> Proposals:
    """The first frames in which something happens, from bool [scene, item, frame]."""
    ranks = happens.cumsum(-1)
    numbers = torch.arange(1, number + 1, device=happens.device)
    chosen = happens[:, :, None] & (ranks[:, :, None] == numbers[:, None])
    exists = chosen.any(-1)
    return Proposals((chosen.to(torch.uint8).argmax(-1) + shift) * exists, exists)


def pair_distances(places: Tensor, present: Tensor, layout: SlotLayout) -> Tensor:
    """[scene, pair, frame]: distances of bodies; large where one of them is absent."""
    first, second = pair_indices(layout, places.device)
    offsets = (places[:, :, second] - places[:, :, first]).transpose(1, 2)
    both = (present[:, :, first] & present[:, :, second]).transpose(1, 2)
    return torch.where(both, torch.linalg.vector_norm(offsets, dim=-1), 99.0)


def approaches(distances: Tensor, number: int) -> Proposals:
    """Where pairs may collide, from distances [scene, pair, frame], by frame."""
    near = distances < NEAR
    velocity = distances[..., REACH:] - distances[..., :-REACH]  # [.., k]: over the frames k to k + REACH
    jumps = torch.zeros_like(distances)
    jumps[..., REACH:-REACH] = velocity[..., REACH:] - velocity[..., :-REACH]
    known = near.clone()
    known[..., :REACH] = known[..., -REACH:] = False
    for offset in (-REACH, REACH):  # both bodies are in view in all frames that a jump is measured over
        known &= distances.roll(offset, -1) < 90.0
    jumps = torch.where(known, jumps, 0.0)
    peaks = (jumps >= torch.nn.functional.max_pool1d(jumps, 2 * APART + 1, 1, APART)) & (jumps > LEAST_JUMP)
    strongest = torch.where(peaks, jumps, 0.0).topk(number, dim=-1)
    exists = strongest.values > 0.0
    frames, order = torch.where(exists, strongest.indices, 10**6).sort(-1)
    return Proposals(frames * exists.gather(-1, order), exists.gather(-1, order))
