"""Features of tracks for concepts of motion: of bodies around a frame and over the video, and of pairs around a frame.

Places are on the table, in units; directions are in the picture.
"""

import torch
from torch import Tensor
from torch.nn.functional import pad

from tumble.comphy.catalogue.world import HALF_HEIGHTS
from tumble.comphy.models.data.table_camera import to_picture
from tumble.comphy.models.data.track_filters import slopes
from tumble.comphy.models.graph.collisions import pair_signals
from tumble.comphy.models.pcr.device_constants import constant
from tumble.comphy.models.pcr.event_slots import pair_indices
from tumble.comphy.models.pcr.slots import SlotLayout
from tumble.comphy.observation.camera import CAMERA

MOTION_CHANNELS = 9
MOTION_OFFSETS = (-3, 0, 3)
"""Frames around a time at which motion is read."""
VIDEO_FEATURES = 20
RANKS = (0, 1, 3, 6, 12, 24, 48, 96)
"""Of a body's speeds over the video, the fastest first."""
PAIR_OFFSETS = tuple(range(-8, 9))
SIGNAL_OFFSETS = tuple(range(-3, 4))
PAIR_FEATURES = len(PAIR_OFFSETS) * 2 + 8 * 2 + 2 + len(SIGNAL_OFFSETS) * 2
"""Besides both shapes."""
PASSAGE_OFFSETS = tuple(range(-6, 7))
PASSAGE_FEATURES = len(PASSAGE_OFFSETS) + 4
HEIGHT = HALF_HEIGHTS["cube"]
"""The same for all shapes."""


def motion_channels(places: Tensor, present: Tensor) -> Tensor:
    """[scene, frame, body, MOTION_CHANNELS]: speed, direction in the picture, and presence, over short and long spans.

    places is [scene, frame, body, 2] and present bool [scene, frame, body].
    """
    heights = torch.full(present.shape, HEIGHT, dtype=places.dtype, device=places.device)
    picture = to_picture(places, heights) * constant((CAMERA.aspect, 1.0), places.device)
    channels = []
    for reach in (2, 5):
        speed = torch.linalg.vector_norm(slopes(places, present, reach), dim=-1, keepdim=True)
        step = slopes(picture, present, reach)
        direction = step / torch.linalg.vector_norm(step, dim=-1, keepdim=True).clamp(min=1e-4)
        channels += [(speed + 0.01).log() + 2.3, speed.clamp(max=3.0), direction]
    return torch.cat([*channels, present[..., None].to(places.dtype)], -1)


def motion_at(channels: Tensor, frames: Tensor) -> Tensor:
    """[scene, body, time, len(MOTION_OFFSETS) * MOTION_CHANNELS]: the channels around frames [scene, time]."""
    at_frames = _window(channels.transpose(1, 2), frames[:, None].expand(-1, channels.shape[2], -1), MOTION_OFFSETS)
    return at_frames.flatten(-2)


def video_features(channels: Tensor) -> Tensor:
    """[scene, body, VIDEO_FEATURES]: speeds by rank, and how much a body moves in each direction."""
    present = channels[..., -1]
    speed = torch.where(present > 0, channels[..., 4], -5.0)  # of the long span
    ranked = (
        speed.sort(dim=1, descending=True)
        .values.index_select(1, constant(RANKS, channels.device))
        .clamp(-5.0, 5.0)
        .transpose(1, 2)
    )
    moving = present * torch.sigmoid(channels[..., 4] * 8.0)
    along = channels[..., 6:8]
    toward = torch.cat([-along[..., :1], along[..., :1], -along[..., 1:], along[..., 1:]], -1)
    shares = [
        (moving[..., None] * weight).sum(1) / moving.sum(1).clamp(min=1.0)[..., None]
        for weight in (toward.clamp(min=0.0), torch.sigmoid((toward - 0.72) * 20.0), toward)
    ]
    return torch.cat([ranked, *shares], -1)


def passage_features(places: Tensor, present: Tensor, frames: Tensor) -> Tensor:
    """[scene, body, number, PASSAGE_FEATURES]: presence around frames [scene, body, number], place and velocity."""
    values = torch.cat([present[..., None].to(places.dtype), places, slopes(places, present, 2)], -1).transpose(1, 2)
    window = _window(values, frames, PASSAGE_OFFSETS)
    weights = window[..., 0]
    mean = (window[..., 1:] * weights[..., None]).sum(-2) / weights.sum(-1).clamp(min=1.0)[..., None]
    return torch.cat([weights, mean], -1)


def pair_features(
    places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, frames: Tensor, layout: SlotLayout
) -> Tensor:
    """[scene, pair, number, 2, channel]: two bodies around frames [scene, pair, number], seen from either one.

    Distances, presence, velocities before and after along the line that joins them and across, shapes
    [scene, body, shape], gaps between their outlines and jumps of the speed at which they part.
    """
    ends = pair_indices(layout, places.device)
    values = torch.cat([places, present[..., None].to(places.dtype)], -1).transpose(1, 2)
    first, second = (_window(values[:, end], frames, PAIR_OFFSETS) for end in ends)
    middle = len(PAIR_OFFSETS) // 2
    offsets = second[..., :2] - first[..., :2]
    together = first[..., 2] * second[..., 2]
    distances = torch.linalg.vector_norm(offsets, dim=-1)
    normal = offsets[..., middle, :] / distances[..., middle, None].clamp(min=1e-3)
    axes = torch.stack([normal, torch.stack([-normal[..., 1], normal[..., 0]], -1)], -1)
    own = [_steps(window, axes, middle) for window in (first, second)]
    kinds = [shapes[:, end][:, :, None].expand(*frames.shape, -1) for end in ends]
    gaps = (distances - 0.4).clamp(max=1.0) * together
    outline, jump, _ = pair_signals(places, yaws, present, shapes)
    signals = torch.stack([outline.clamp(-0.3, 0.5) * 5.0, jump.clamp(-2.0, 2.0)], -1)[:, :, ends[0], ends[1]]
    signals = (_window(signals.transpose(1, 2), frames, SIGNAL_OFFSETS) * together[..., 5:12, None]).flatten(-2)
    views = []
    for near, far, sign in ((0, 1, 1.0), (1, 0, -1.0)):
        velocities = torch.cat([sign * own[near], sign * own[far]], -1)
        moved = torch.stack([gaps.amin(-1) * 4.0, gaps[..., middle] * 4.0], -1)
        views.append(torch.cat([gaps * 4.0, together, velocities, moved, kinds[near], kinds[far], signals], -1))
    return torch.stack(views, -2)


def _steps(window: Tensor, axes: Tensor, middle: int) -> Tensor:
    """[…, 8]: velocity of a body before and after, over short and long spans, in local axes, in units per second."""
    steps = []
    for one, other in ((middle - 3, middle - 1), (middle + 1, middle + 3), (0, middle - 1), (middle + 1, -1)):
        both = (window[..., one, 2] * window[..., other, 2])[..., None]
        frames = abs((other % window.shape[-2]) - one)
        velocity = (window[..., other, :2] - window[..., one, :2]) * both * (25.0 / frames)
        steps.append((velocity[..., None, :] @ axes).squeeze(-2))
    return torch.cat(steps, -1).clamp(-4.0, 4.0)


def _window(values: Tensor, frames: Tensor, offsets: tuple[int, ...]) -> Tensor:
    """[scene, item, number, offset, channel]: values [scene, item, frame, channel] around frames; 0 beyond them."""
    reach = max(map(abs, offsets))
    padded = pad(values, (0, 0, reach, reach))
    at = frames.clamp(0, values.shape[2] - 1)[..., None] + constant(offsets, frames.device) + reach
    flat = at.flatten(2)[..., None].expand(-1, -1, -1, values.shape[-1])
    return padded.gather(2, flat).reshape(*frames.shape, len(offsets), values.shape[-1])
