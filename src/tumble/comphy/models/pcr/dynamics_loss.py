"""The loss of predicted motion on observed tracks: short clips, more of them where bodies are near each other."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph import losses
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.states import Properties
from tumble.comphy.models.pcr.event_slots import pair_distances
from tumble.comphy.models.pcr.slots import SlotLayout

STEPS = 12
"""Frames of a clip that are predicted."""
EARLIEST = 2
"""The first frame that a clip may start in."""
NEAR = 1.0
"""Distance below which bodies may act on each other."""
ELSEWHERE = 0.08
"""Weight of clips without bodies near each other, relative to those with."""


def dynamics_loss(
    dynamics: DynamicsNetwork, tracks: TrackTensors, shapes: Tensor, properties: Properties, references: bool = True
) -> Tensor:
    """The loss of one clip of each set's target and, if wanted, one of one of its references."""
    rows = torch.arange(len(tracks), device=tracks.device)
    videos = [tracks.target]
    if references:
        chosen = torch.randint(tracks.references.present.shape[1], (len(tracks),), device=tracks.device)
        one = tracks.references
        videos.append(
            VideoTensors(*(part[rows, chosen] for part in (one.places, one.yaws, one.boxes, one.present)))
        )
    each = [
        losses.dynamics_loss(dynamics, video, rows, _starts(video), shapes, properties, STEPS) for video in videos
    ]
    return torch.stack(each).mean()


def _starts(video: VideoTensors) -> Tensor:
    """int64 [world]: first frames of clips, drawn at random."""
    layout = SlotLayout(video.present.shape[-1])
    near = (pair_distances(video.places, video.present, layout) < NEAR).any(1).to(video.places.dtype)
    ahead = pad(near, (0, STEPS - 1)).unfold(-1, STEPS, 1).amax(dim=-1)
    weights = ELSEWHERE + ahead
    weights[:, :EARLIEST] = 0.0
    weights[:, near.shape[1] - STEPS - 1 :] = 0.0
    return torch.multinomial(weights, 1).squeeze(-1)
