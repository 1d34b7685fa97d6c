"""The loss of predicted motion on observed tracks: short clips, more of them where bodies are near each other."""

import torch
from torch import Tensor
from torch.nn.functional import pad, smooth_l1_loss

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.states import Properties, States, exact_states
from tumble.comphy.models.pcr.event_slots import pair_distances
from tumble.comphy.models.pcr.slots import SlotLayout
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND

STEPS = 10
"""Frames of a clip that are predicted."""
EARLIEST = 3
"""The first frame that a clip may start in."""
NEAR = 1.0
"""Distance below which bodies may act on each other."""
ELSEWHERE = 0.08
"""Weight of clips without bodies near each other, relative to those with."""
PLACE_WEIGHT = 4.0
"""Weight of errors of places (units), relative to those of velocities (units per second)."""
BETA = 0.05
"""Error of a velocity from which on the loss grows linearly."""
START_ERROR = 0.004, 0.02
"""Standard errors of places and velocities that a clip starts with."""


def dynamics_loss(
    dynamics: DynamicsNetwork, tracks: TrackTensors, shapes: Tensor, properties: Properties, references: bool = True
) -> Tensor:
    """The loss of one clip of each set's target and, if wanted, one of one of its references."""
    losses = [_video_loss(dynamics, tracks.target, shapes, properties)]
    if references:
        rows = torch.arange(len(tracks), device=tracks.device)
        chosen = torch.randint(tracks.references.present.shape[1], (len(tracks),), device=tracks.device)
        fields = (tracks.references.places, tracks.references.yaws, tracks.references.boxes, tracks.references.present)
        losses.append(_video_loss(dynamics, VideoTensors(*(one[rows, chosen] for one in fields)), shapes, properties))
    return torch.stack(losses).mean()


def _video_loss(dynamics: DynamicsNetwork, video: VideoTensors, shapes: Tensor, properties: Properties) -> Tensor:
    starts = _starts(video)
    exact = exact_states(video, starts)
    start = States(
        exact.places + START_ERROR[0] * torch.randn_like(exact.places),
        exact.yaws,
        exact.velocities + START_ERROR[1] * torch.randn_like(exact.velocities[:, :1]),
        exact.present,
    )
    found = dynamics.rollout(start, shapes, properties, STEPS, leaves=False)
    rows = torch.arange(len(starts), device=starts.device)[:, None]
    frames = starts[:, None] + torch.arange(STEPS + 1, device=starts.device)
    places, present = video.places[rows, frames], video.present[rows, frames]
    shown = (present & exact.present[:, None]).long().cummin(1).values
    weight = (shown[:, 1:] * shown[:, :-1]).to(places.dtype)[..., None]
    velocities = (places[:, 1:] - places[:, :-1]) * FRAMES_PER_SECOND
    of_velocity = smooth_l1_loss(found.velocities[:, 1:, :, :2], velocities, beta=BETA, reduction="none")
    of_place = smooth_l1_loss(found.places[:, 1:], places[:, 1:], beta=BETA, reduction="none")
    return ((of_velocity + PLACE_WEIGHT * of_place) * weight).sum() / weight.sum().clamp(min=1.0)


def _starts(video: VideoTensors) -> Tensor:
    """int64 [world]: first frames of clips, drawn at random."""
    layout = SlotLayout(video.present.shape[-1])
    near = (pair_distances(video.places, video.present, layout) < NEAR).any(1).to(video.places.dtype)
    ahead = pad(near, (0, STEPS - 1)).unfold(-1, STEPS, 1).amax(dim=-1)
    weights = ELSEWHERE + ahead
    weights[:, :EARLIEST] = 0.0
    weights[:, near.shape[1] - STEPS - 1 :] = 0.0
    return torch.multinomial(weights, 1).squeeze(-1)
