"""Collisions in tracks on the table, predicted or observed: two bodies are near and their relative velocity jumps."""

from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.simulation.events import APART_FRAMES
from tumble.comphy.tasks.constants import CUBE_HALF_SIZE, FRAMES_PER_SECOND, RADIUS

REACH = 3
"""Frames to each side over which a jump of the velocity is measured."""


@dataclass(frozen=True)
class Thresholds:
    """When two bodies collide; lengths in units, speeds per second."""

    touching: float
    """Below this gap between their outlines they touch, whatever their velocities do."""
    near: float
    """Below this gap they touch if their relative velocity jumps."""
    jump: float
    """Least change of the speed at which they part."""


OBSERVED = Thresholds(touching=-0.02, near=0.12, jump=0.25)
PREDICTED = Thresholds(touching=0.0, near=0.08, jump=0.15)


def collision_onsets(
    places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, thresholds: Thresholds = PREDICTED
) -> Tensor:
    """bool [world, frame, body, body]: the frames in which two bodies begin to collide, symmetric.

    places are [world, frame, body, 2], yaws and present [world, frame, body], shapes [world, body, 3]. Contacts of a
    pair that has not been apart for APART_FRAMES belong to one collision.
    """
    gap, jump, both = pair_signals(places, yaws, present, shapes)
    touching = both & ((gap < thresholds.touching) | ((gap < thresholds.near) & (jump > thresholds.jump)))
    return onsets(touching)


def onsets(touching: Tensor) -> Tensor:
    """bool [world, frame, …]: frames that touch after APART_FRAMES frames which do not."""
    recent = torch.zeros_like(touching)
    for offset in range(1, APART_FRAMES + 1):
        recent[:, offset:] |= touching[:, :-offset]
    return touching & ~recent


def pair_signals(places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """[world, frame, body, body] each: gap, jump of the speed at which two bodies part, whether both are there."""
    offset = places[:, :, None] - places[:, :, :, None]  # [world, frame, one, other, 2]
    distance = torch.linalg.vector_norm(offset, dim=-1).clamp(min=0.05)
    normal = offset / distance[..., None]
    change = _change_of_velocity(places, present)
    jump = ((change[:, :, None] - change[:, :, :, None]) * normal).sum(-1)
    bodies = present.shape[-1]
    distinct = ~torch.eye(bodies, dtype=torch.bool, device=present.device)
    return outline_gaps(offset, yaws, shapes), jump, present[:, :, None] & present[:, :, :, None] & distinct


def _change_of_velocity(places: Tensor, present: Tensor) -> Tensor:
    """[world, frame, body, 2]: velocity over the REACH frames after a frame, less that over the frames before."""
    after, before = torch.zeros_like(places), torch.zeros_like(places)
    for reach in range(1, REACH + 1):
        known = (present[:, reach:] & present[:, :-reach])[..., None]
        moved = (places[:, reach:] - places[:, :-reach]) * (FRAMES_PER_SECOND / reach)
        after[:, :-reach] = torch.where(known, moved, after[:, :-reach])
        before[:, reach:] = torch.where(known, moved, before[:, reach:])
    return after - before


def outline_gaps(offset: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[world, frame, one, other]: the gap between the outlines of two bodies seen from above; below 0 they overlap.

    offset is [world, frame, one, other, 2], yaws [world, frame, body], shapes [world, body, 3].
    """
    distance = torch.linalg.vector_norm(offset, dim=-1)
    in_one, in_other = _turned(offset, yaws[:, :, :, None]).abs(), _turned(offset, yaws[:, :, None]).abs()
    cube = shapes[:, None, :, 0] > 0.5
    one, other = cube[..., None], cube[..., None, :]
    balls = distance - 2.0 * RADIUS
    turn = yaws[:, :, :, None] - yaws[:, :, None]
    reach = CUBE_HALF_SIZE * (1.0 + turn.cos().abs() + turn.sin().abs())
    both = torch.maximum(in_one.amax(-1), in_other.amax(-1)) - reach
    mixed = torch.where(one, _square_gap(in_one), _square_gap(in_other)) - RADIUS
    return torch.where(one & other, both, torch.where(one | other, mixed, balls))


def _square_gap(inside: Tensor) -> Tensor:
    """Distance of points [..., 2], in the axes of a square, from its border; below 0 inside."""
    away = inside - CUBE_HALF_SIZE
    outside: Tensor = torch.linalg.vector_norm(away.clamp(min=0.0), dim=-1)
    return outside + away.amax(-1).clamp(max=0.0)


def _turned(offset: Tensor, yaws: Tensor) -> Tensor:
    """Offsets [..., 2] in axes turned by yaws [...]."""
    cosine, sine = yaws.cos(), yaws.sin()
    x, y = offset.unbind(-1)
    return torch.stack([cosine * x + sine * y, cosine * y - sine * x], -1)
