"""What two bodies do in a video, frame by frame, in axes that point from one to the other.

All features are the same however the table is turned.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from tumble.comphy.models.data.track_filters import slopes
from tumble.comphy.models.data.track_tensors import VideoTensors

SHORT, LONG = 2, 5
"""Frames to each side over which velocities and accelerations are fitted."""
CONTACT = 0.4
"""Distance of two touching balls."""
CHANNELS = 24
"""Features of a pair in a frame."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The ordered pairs of bodies that are in view together in a video."""

    rows: Tensor
    """int [pair]: which video of the flattened [set, video]."""
    one: Tensor
    """int [pair]: the first body."""
    other: Tensor
    """int [pair]: the second body."""
    features: Tensor
    """float [pair, CHANNELS, frame]; 0 in frames in which the two are not in view together."""
    together: Tensor
    """bool [pair, frame]."""


def pairs_of_videos(videos: VideoTensors, shapes: Tensor) -> Pairs:
    """The pairs in videos [video, frame, body, …], with the shapes [video, body, shape] of their bodies."""
    present = videos.present
    together = present.transpose(1, 2)[:, :, None] & present.transpose(1, 2)[:, None]  # [video, one, other, frame]
    bodies = present.shape[-1]
    distinct = ~torch.eye(bodies, dtype=torch.bool, device=present.device)
    rows, one, other = (together.any(-1) & distinct).nonzero(as_tuple=True)
    both = together[rows, one, other]
    velocity = slopes(videos.places, present, SHORT)
    steady = slopes(videos.places, present, LONG)
    sudden_change, steady_change = slopes(velocity, present, 1), slopes(steady, present, LONG)
    values = torch.cat([videos.places, velocity, steady, sudden_change, steady_change], -1).transpose(1, 2)
    first, second = (values[rows, body].reshape(*both.shape, 5, 2) for body in (one, other))
    offset = second[:, :, 0] - first[:, :, 0]
    distance = torch.linalg.vector_norm(offset, dim=-1).clamp(min=0.05)
    normal = offset / distance[..., None]
    axes = torch.stack([normal, torch.stack([-normal[..., 1], normal[..., 0]], -1)], -1)  # [pair, frame, 2, axis]
    local = torch.cat([(first[:, :, 1:] @ axes).flatten(2), (second[:, :, 1:] @ axes).flatten(2)], -1)
    scale = local.new_tensor([1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.3, 0.3] * 2)
    pull = ((first[:, :, 4] - second[:, :, 4]) * normal).sum(-1) * distance.clamp(max=1.5) ** 2
    closing = ((second[:, :, 1] - first[:, :, 1]) * normal).sum(-1)
    own = [distance, torch.exp((CONTACT - distance) / 0.15), torch.exp((CONTACT - distance) / 0.6), pull, closing]
    frames = torch.cat([local * scale, torch.stack(own, -1), torch.ones_like(distance)[..., None]], -1)
    kinds = torch.zeros(
        *frames.shape[:2], 2, device=frames.device
    )  # how far apart in time a body is from a track's end
    kinds[..., 0] = present.transpose(1, 2)[rows, one].float()
    kinds[..., 1] = present.transpose(1, 2)[rows, other].float()
    features = torch.cat([frames * both[..., None], kinds], -1).transpose(1, 2)
    return Pairs(rows, one, other, features, both)
