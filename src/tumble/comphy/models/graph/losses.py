"""Losses of the graph networks, from labels and from exact tracks."""

from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.models.data.track_tensors import VideoTensors
from tumble.comphy.models.graph.dynamics import DynamicsNetwork, Properties, Rollout, States, exact_states
from tumble.comphy.models.graph.motion import outline_gaps
from tumble.comphy.models.graph.property_network import PropertyLogits

CLASS_WEIGHTS = (0.3, 1.0), (0.1, 1.0, 1.0)
"""Of light and heavy, and of the relations none, same and opposite: most bodies are light and neutral."""
PLACE_SCALE, VELOCITY_SCALE = 0.03, 0.15
"""Errors in units, and per second, at which the loss of a predicted state goes from squares to absolute values."""
BUSY_GAP = 0.3
"""Two bodies that are nearer than this may be about to collide."""


def property_losses(logits: PropertyLogits, truth: Properties, exists: Tensor) -> dict[str, Tensor]:
    """Cross-entropies of masses and charge relations, over the bodies [set, body] that exist and that a video shows."""
    bodies = exists.shape[1]
    upper = torch.ones(bodies, bodies, dtype=torch.bool, device=exists.device).triu(1)
    pairs = exists[:, :, None] & exists[:, None] & upper
    return {
        "mass": _weighted(logits.mass, truth.heavy.round().long(), exists, CLASS_WEIGHTS[0]),
        "charge": _weighted(logits.charge, truth.relations.argmax(-1), pairs, CLASS_WEIGHTS[1]),
    }


def _weighted(logits: Tensor, labels: Tensor, mask: Tensor, weights: tuple[float, ...]) -> Tensor:
    """The mean cross-entropy over a mask, by the weights of the classes."""
    each = functional.cross_entropy(logits.flatten(0, -2), labels.flatten(), reduction="none").view(mask.shape)
    weight = logits.new_tensor(weights)[labels] * mask
    return (each * weight).sum() / weight.sum().clamp(min=1.0)


def window_loss(
    network: DynamicsNetwork,
    part: VideoTensors,
    shapes: Tensor,
    properties: Properties,
    steps: int,
    place_noise: float = 0.004,
    velocity_noise: float = 0.03,
) -> Tensor:
    """How far predictions of some steps miss the tracks in windows [world, 4 + steps, body, …] of videos.

    They start from the exact states at the fourth frame; shapes and properties are those of the worlds.
    The states at the start have some noise, of which each world has its own share.
    """
    start = exact_states(part, torch.full((len(shapes),), 3, device=shapes.device))
    found = network.rollout(_shaken(start, place_noise, velocity_noise), shapes, properties, steps, leaves=False)
    return rollout_loss(found, part, shapes, start.present)


def video_window(video: VideoTensors, rows: Tensor, frames: Tensor, steps: int) -> VideoTensors:
    """[world, 4 + steps, body, …]: three frames before frames [world] of videos rows [world], and those to predict.

    No body is present in frames beyond the ends of a video.
    """
    count = video.present.shape[1]
    wanted = frames[:, None] + torch.arange(-3, steps + 1, device=frames.device)
    index = rows[:, None], wanted.clamp(0, count - 1)
    inside = ((wanted >= 0) & (wanted < count))[..., None]
    return VideoTensors(video.places[index], video.yaws[index], video.boxes[index], video.present[index] & inside)


def rollout_loss(found: Rollout, truth: VideoTensors, shapes: Tensor, present: Tensor) -> Tensor:
    """The loss of predicted tracks, whose first frame is frame 3 of the true ones."""
    known = (truth.present[:, 3:].long().cummin(1).values.bool() & present[:, None])[:, 1:]
    places = functional.smooth_l1_loss(
        found.places[:, 1:] / PLACE_SCALE, truth.places[:, 4:] / PLACE_SCALE, reduction="none"
    ).sum(-1)
    moved = (truth.places[:, 4:] - truth.places[:, 3:-1]) * (FRAMES_PER_SECOND / VELOCITY_SCALE)
    velocities = functional.smooth_l1_loss(found.velocities[:, 1:, :, :2] / VELOCITY_SCALE, moved, reduction="none")
    turns = 1.0 - torch.cos(4.0 * (found.yaws[:, 1:] - truth.yaws[:, 4:]))
    each = places + velocities.sum(-1) + 0.5 * turns * shapes[:, None, :, 0]
    return (each * known).sum() / known.sum().clamp(min=1)


def _shaken(states: States, place: float, velocity: float) -> States:
    share = torch.rand(len(states.places), 1, 1, device=states.places.device)
    moved = states.present[..., None]
    change = velocity * share * torch.randn_like(states.velocities[:, 0]) * moved
    return replace(
        states,
        places=states.places + place * share * torch.randn_like(states.places) * moved,
        velocities=states.velocities + change[:, None],
    )


def busy_frames(video: VideoTensors, shapes: Tensor, rows_at_once: int = 500) -> Tensor:
    """int [window, 2]: rows and frames of videos [video, frame, body, …] in which two bodies are near each other."""
    found = []
    distinct = ~torch.eye(shapes.shape[1], dtype=torch.bool, device=shapes.device)
    for first in range(0, len(shapes), rows_at_once):
        part, kinds = video[slice(first, first + rows_at_once)], shapes[first : first + rows_at_once]
        gaps = outline_gaps(part.places[:, :, None] - part.places[:, :, :, None], part.yaws, kinds)
        near = (gaps < BUSY_GAP) & part.present[:, :, None] & part.present[:, :, :, None] & distinct
        index = near.flatten(2).any(-1).nonzero()
        found.append(index + torch.tensor([first, 0], device=index.device))
    return torch.cat(found)
