"""Collisions in tracks on the table, predicted or observed: two bodies are near and their relative velocity jumps."""

from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, PLAIN, RADIUS
from tumble.comphy.models.data.shape_geometry import object_gaps, world_of_shapes
from tumble.comphy.models.data.track_filters import slopes
from tumble.comphy.simulation.events import APART_FRAMES

REACH = 2
"""Velocities before and after a frame are fitted to 2 * REACH + 1 frames each, up to the frame next to it."""


@dataclass(frozen=True)
class Thresholds:
    """Thresholds by which two bodies collide; lengths in units, speeds per second."""

    touching: float
    """Below this gap between their outlines they touch, whatever their velocities do."""
    near: float
    """Below this gap they touch if their relative velocity jumps."""
    jump: float
    """Least change of the speed at which they part."""
    hold: float
    """Below this gap two bodies that touched still touch."""


OBSERVED = Thresholds(touching=0.0, near=0.05, jump=0.25, hold=0.04)
PREDICTED = Thresholds(touching=0.005, near=0.05, jump=0.15, hold=0.02)


def collision_onsets(
    places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, thresholds: Thresholds = PREDICTED
) -> Tensor:
    """bool [world, frame, body, body]: the frames in which two bodies begin to collide, symmetric.

    places are [world, frame, body, 2], yaws and present [world, frame, body], shapes [world, body, shape]. Contacts of
    a pair that has not been apart for APART_FRAMES belong to one collision.
    """
    gap, jump, both = pair_signals(places, yaws, present, shapes)
    touching = both & ((gap < thresholds.touching) | ((gap < thresholds.near) & (jump > thresholds.jump)))
    return onsets(touching, both & (gap < thresholds.hold))


def onsets(touching: Tensor, holding: Tensor) -> Tensor:
    """bool [world, frame, …]: frames that touch after APART_FRAMES frames of neither touching nor holding on."""
    apart = torch.full_like(touching[:, 0], APART_FRAMES + 1, dtype=torch.long)
    found = []
    for now, held in zip(touching.unbind(1), holding.unbind(1), strict=True):
        found.append(now & (apart > APART_FRAMES))
        apart = torch.where(now | (held & (apart <= APART_FRAMES)), torch.zeros_like(apart), apart + 1)
    return torch.stack(found, 1)


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
    """[world, frame, body, 2]: velocity in the frames after a frame, less that in the frames before."""
    velocity, known = slopes(places, present, REACH), present[..., None]
    count = places.shape[1]
    frames = torch.arange(count, device=places.device)
    change = torch.zeros_like(places)
    for shift in range(REACH + 1, 0, -1):  # nearer frames where a body is not there in the farther ones
        later, earlier = (frames + shift).clamp(max=count - 1), (frames - shift).clamp(min=0)
        both = known[:, later] & known[:, earlier]
        change = torch.where((change == 0.0) & both, velocity[:, later] - velocity[:, earlier], change)
    return change


def outline_gaps(offset: Tensor, yaws: Tensor, shapes: Tensor) -> Tensor:
    """[world, frame, one, other]: the gap between the outlines of two bodies seen from above; below 0 they overlap.

    offset is [world, frame, one, other, 2], yaws [world, frame, body], shapes [world, body, shape].
    """
    if world_of_shapes(shapes) is not PLAIN:
        return object_gaps(offset, yaws, shapes)
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
