"""Filters over the frames of tracks: short gaps filled by interpolation, light smoothing, velocities."""

import math

import torch
from torch import Tensor

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND

LONGEST_GAP = 12
"""Frames without a detection that are filled; a body that is away for longer has left."""
WEIGHTS = (0.25, 0.5, 0.25)
"""Of the frame before, the frame itself and the frame after, in smoothing."""
QUARTER = math.pi / 2
"""Yaws of cubes are the same modulo a quarter turn."""


def fill_gaps(seen: Tensor, places: Tensor, yaws: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Presence, places and yaws with gaps of up to LONGEST_GAP frames filled by interpolation.

    seen is bool [..., frame, body], places [..., frame, body, 2], yaws [..., frame, body]; the frames before the first
    detection and after the last one stay absent. Places and yaws are 0 where a body is absent.
    """
    before, after = _neighbours(seen)
    inside = (before >= 0) & (after < seen.shape[-2]) & (after - before - 1 <= LONGEST_GAP)
    present = seen | inside
    first, second = before.clamp(min=0), after.clamp(max=seen.shape[-2] - 1)
    frames = torch.arange(seen.shape[-2], device=seen.device)[:, None]
    share = (frames - first) / (second - first).clamp(min=1)
    old, new = _at(places, first), _at(places, second)
    moved = old + share[..., None] * (new - old)
    one, other = yaws.gather(-2, first), yaws.gather(-2, second)
    turn = torch.remainder(other - one + QUARTER / 2, QUARTER) - QUARTER / 2
    headings = one + share * turn
    places = torch.where(seen[..., None], places, moved) * present[..., None]
    return present, places, torch.where(seen, yaws, headings) * present


def filled(boxes: Tensor, present: Tensor) -> Tensor:
    """Boxes [..., frame, body, 4], interpolated where a body is present without one."""
    known = boxes[..., 2] >= 0.0
    before, after = _neighbours(known)
    inside = present & ~known & (before >= 0) & (after < known.shape[-2])
    first, second = before.clamp(min=0), after.clamp(max=known.shape[-2] - 1)
    frames = torch.arange(known.shape[-2], device=known.device)[:, None]
    share = ((frames - first) / (second - first).clamp(min=1))[..., None]
    old, new = _at(boxes, first), _at(boxes, second)
    return torch.where(inside[..., None], old + share * (new - old), boxes)


def smoothed(present: Tensor, places: Tensor, passes: int = 1) -> Tensor:
    """Places [..., frame, body, 2], averaged with those of the frames before and after while a body is present.

    At the ends of a track, where one neighbour is missing, they stay as they are: an average would be biased.
    """
    both = present.clone()
    both[..., 1:, :] &= present[..., :-1, :]
    both[..., :-1, :] &= present[..., 1:, :]
    both[..., 0, :] = both[..., -1, :] = False
    for _ in range(passes):
        mean = WEIGHTS[0] * places.roll(1, -3) + WEIGHTS[1] * places + WEIGHTS[2] * places.roll(-1, -3)
        places = torch.where(both[..., None], mean, places)
    return places


def slopes(values: Tensor, present: Tensor, reach: int) -> Tensor:
    """[..., frame, body, channel]: change per second, as the slopes of `local_lines`."""
    return local_lines(values, present, reach)[0]


def local_lines(values: Tensor, present: Tensor, reach: int) -> tuple[Tensor, Tensor]:
    """Slopes of lines fitted around each frame, and the root mean squares of what they leave.

    Lines are fitted by least squares to values [..., frame, body, channel] in the frames within `reach` in which a body
    is present, bool [..., frame, body]. Slopes [..., frame, body, channel] are per second, and 0 where a body is not
    present in at least two of the frames; what is left [..., frame, body] is over all channels.
    """
    weight = present.to(values.dtype)[..., None]
    sums = [torch.zeros_like(weight) for _ in range(3)]
    totals = [torch.zeros_like(values) for _ in range(3)]
    frames = values.shape[-3]
    around = values * weight
    for offset in range(-min(reach, frames - 1), min(reach, frames - 1) + 1):
        near, moved = _shifted(weight, offset, frames), _shifted(around, offset, frames)
        away = (moved - values) * near  # relative to the frame itself, for precision
        for power, total in enumerate(sums):
            total += near * float(offset) ** power
        totals[0] += away
        totals[1] += away * float(offset)
        totals[2] += away**2
    count = sums[0].clamp(min=1.0)
    spread = sums[0] * sums[2] - sums[1] ** 2
    slope = (sums[0] * totals[1] - sums[1] * totals[0]) / spread.clamp(min=1e-6) * (spread > 0.5)
    left = totals[2] / count - (totals[0] / count) ** 2 - slope**2 * spread / count**2
    rest = left.clamp(min=0.0).mean(-1).sqrt()
    return slope * weight * FRAMES_PER_SECOND, rest


def _shifted(values: Tensor, offset: int, frames: int) -> Tensor:
    """Values [..., frame, body, channel] some frames later; 0 beyond the ends."""
    result = torch.zeros_like(values)
    if offset >= 0:
        result[..., : frames - offset, :, :] = values[..., offset:, :, :]
    else:
        result[..., -offset:, :, :] = values[..., :offset, :, :]
    return result


def _neighbours(seen: Tensor) -> tuple[Tensor, Tensor]:
    """int [..., frame, body]: the last frame up to each one in which a body is seen (-1), and the next one (frames)."""
    count = seen.shape[-2]
    frames = torch.arange(count, device=seen.device)[:, None]
    before = torch.where(seen, frames, torch.full_like(frames, -1)).cummax(-2).values
    after = torch.where(seen, frames, torch.full_like(frames, count)).flip(-2).cummin(-2).values.flip(-2)
    return before, after


def _at(values: Tensor, frames: Tensor) -> Tensor:
    """Values [..., frame, body, channel] at frames [..., frame, body]."""
    return values.gather(-3, frames[..., None].expand(*frames.shape, values.shape[-1]))
