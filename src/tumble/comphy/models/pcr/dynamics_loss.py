"""The loss of predicted motion on observed tracks: short clips, more of them where bodies are near each other."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.graph.dynamics import DynamicsNetwork
from tumble.comphy.models.graph.losses import window_loss
from tumble.comphy.models.graph.states import Properties
from tumble.comphy.models.pcr.event_slots import pair_distances
from tumble.comphy.models.pcr.slots import SlotLayout

STEPS = 12
"""Frames of a clip that are predicted."""
BEFORE = 3
"""Frames of a clip before them, from which the velocities at its start are known."""
NEAR = 1.0
"""Distance below which bodies may act on each other."""
ELSEWHERE = 0.08
"""Weight of clips without bodies near each other, relative to those with."""


def dynamics_loss(
    dynamics: DynamicsNetwork, tracks: TrackTensors, shapes: Tensor, properties: Properties, references: bool = True
) -> Tensor:
    """The loss of one clip of each set's target and, if wanted, one of one of its references, in one batch."""
    rows = torch.arange(len(tracks), device=tracks.device)
    clips = [_clip(tracks.target, rows)]
    if references:
        chosen = torch.randint(tracks.references.present.shape[1], (len(tracks),), device=tracks.device)
        one = tracks.references
        video = VideoTensors(*(part[rows, chosen] for part in (one.places, one.yaws, one.boxes, one.present)))
        clips.append(_clip(video, rows))
        shapes = torch.cat([shapes, shapes])
        properties = Properties(torch.cat([properties.heavy] * 2), torch.cat([properties.relations] * 2))
    joined = VideoTensors(
        *(torch.cat([getattr(clip, name) for clip in clips]) for name in ("places", "yaws", "boxes", "present"))
    )
    return window_loss(dynamics, joined, shapes, properties, STEPS)


def _clip(video: VideoTensors, rows: Tensor) -> VideoTensors:
    """Clips of videos [world, frame, body, …], of BEFORE + 1 + STEPS frames each, drawn at random."""
    frames = _starts(video)[:, None] + torch.arange(-BEFORE, STEPS + 1, device=rows.device)
    index = rows[:, None], frames
    return VideoTensors(video.places[index], video.yaws[index], video.boxes[index], video.present[index])


def _starts(video: VideoTensors) -> Tensor:
    """int64 [world]: the frames that clips are predicted from, drawn at random."""
    layout = SlotLayout(video.present.shape[-1])
    near = (pair_distances(video.places, video.present, layout) < NEAR).any(1).to(video.places.dtype)
    ahead = pad(near, (0, STEPS - 1)).unfold(-1, STEPS, 1).amax(dim=-1)
    weights = ELSEWHERE + ahead
    weights[:, :BEFORE] = 0.0
    weights[:, near.shape[1] - STEPS :] = 0.0
    return torch.multinomial(weights, 1).squeeze(-1)
