"""States of bodies that motion is predicted from, fitted to tracks, and the hidden properties that it depends on."""

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor
from torch.nn import functional

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.models.data.shape_geometry import heights_of, laws_of
from tumble.comphy.models.data.table_camera import PICTURE, to_picture
from tumble.comphy.models.data.track_filters import QUARTER
from tumble.comphy.models.data.track_tensors import VideoTensors

HISTORY = 3
"""Velocities that a prediction starts from: of this frame and of the frames before."""
WINDOWS = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
"""Numbers of further frames that a state is fitted to: the most that agree with free motion."""
TOLERANCE = 1.4, 0.1
"""Largest residual of a fit (root mean square, in pixels): a multiple of the tracks' own noise, plus a constant."""
MEDIAN_OF_NORMAL = 0.6745
"""Of the absolute value of a standard normal variable."""


@dataclass(frozen=True, eq=False)
class States:
    """States of the bodies of many worlds."""

    places: Tensor
    """[world, body, 2]."""
    yaws: Tensor
    """[world, body]."""
    velocities: Tensor
    """[world, HISTORY, body, 3]: x, y and yaw per second; the latest first."""
    present: Tensor
    """bool [world, body]: whether the body takes part."""

    def __getitem__(self, rows: Tensor | slice) -> "States":
        return States(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, eq=False)
class Properties:
    """Hidden properties, hard or soft."""

    heavy: Tensor
    """[world, body]: the probability of being heavy."""
    relations: Tensor
    """[world, body, body, 3]: the probability of each of RELATIONS, symmetric."""

    def __getitem__(self, rows: Tensor | slice) -> "Properties":
        return Properties(self.heavy[rows], self.relations[rows])


@dataclass(frozen=True, eq=False)
class Entries:
    """Bodies that come into view later: from a frame on they take part, with an observed state."""

    frames: Tensor
    """int [world, body]: the frame; -1 for a body that takes part from the start or never."""
    states: States

    def __getitem__(self, rows: Tensor | slice) -> "Entries":
        return Entries(self.frames[rows], self.states[rows])


def properties_of(masses: Tensor, charges: Tensor) -> Properties:
    """Properties from masses (1 or 5) and charges (-1, 0 or 1), each int [world, body]."""
    products = charges[:, :, None].long() * charges[:, None, :].long()
    return Properties((masses > 1).float(), functional.one_hot(relation_codes(products), 3).float())


def relation_codes(products: Tensor) -> Tensor:
    """int: index in RELATIONS of products of two charges."""
    return torch.where(products > 0, 1, torch.where(products < 0, 2, 0))


def exact_states(video: VideoTensors, frames: Tensor) -> States:
    """The states at frames [world] of exact tracks [world, frame, body, …]: velocities are differences of places."""
    earlier = (frames[:, None] - torch.arange(HISTORY + 1, device=frames.device)).clamp(min=0)
    rows = torch.arange(len(frames), device=frames.device)[:, None]
    places, yaws, present = video.places[rows, earlier], video.yaws[rows, earlier], video.present[rows, earlier]
    known = (present[:, 1:] & present[:, :-1] & (earlier[:, :-1] > earlier[:, 1:])[..., None])[..., None]
    moved = torch.cat([places[:, :-1] - places[:, 1:], quarter_turns(yaws[:, :-1] - yaws[:, 1:])[..., None]], -1)
    velocities = moved * known * FRAMES_PER_SECOND
    filled = [velocities[:, 0]]
    for k in range(1, HISTORY):
        filled.append(torch.where(known[:, k], velocities[:, k], filled[-1]))
    return States(places[:, 0], yaws[:, 0], torch.stack(filled, 1), present[:, 0] & known[:, 0, :, 0])


def quarter_turns(angles: Tensor) -> Tensor:
    """Angles modulo a quarter turn, nearest to 0."""
    return torch.remainder(angles + QUARTER / 2, QUARTER) - QUARTER / 2


def fitted_states(video: VideoTensors, shapes: Tensor, frames: Tensor, direction: int) -> States:
    """The states at frames [world, body] of tracks [world, frame, body, …], by a fit of free motion.

    It is fitted to the frames after (direction 1) or before (-1) each frame: to as many as agree with one velocity and
    the deceleration of the shape. A body that is absent in a frame has no state there.
    """
    count = video.present.shape[1]
    offsets = torch.arange(WINDOWS[-1] + 1, device=frames.device)
    wanted = frames[:, None] + direction * offsets[:, None]
    inside = (wanted >= 0) & (wanted < count)
    index = wanted.clamp(0, count - 1)
    present = video.present.gather(1, index) & inside
    present = present.long().cummin(1).values.bool()
    places = video.places.gather(1, index[..., None].expand(*index.shape, 2))
    yaws = video.yaws.gather(1, index)
    turned = quarter_turns(yaws[:, 1:] - yaws[:, :-1]).cumsum(1)
    yaws = yaws[:, :1] + torch.cat([torch.zeros_like(turned[:, :1]), turned], 1)
    seconds = (offsets * direction / FRAMES_PER_SECOND).to(places.dtype)[:, None]
    allowed = TOLERANCE[0] * noise_of(video, shapes)[:, None] + TOLERANCE[1]
    best = _fit(places, yaws, present, seconds, shapes, 1)
    for window in WINDOWS:
        found = _fit(places, yaws, present, seconds, shapes, window)
        fits = (found[3] < allowed) & present[:, : window + 1].all(1)
        best = [torch.where(_like(fits, new), new, old) for new, old in zip(found, best, strict=True)]
    start, speed, heading, _ = best
    return States(start, heading[..., 0], _repeated(torch.cat([speed, heading[..., 1:]], -1)), present[:, 0])


def _fit(places: Tensor, yaws: Tensor, present: Tensor, seconds: Tensor, shapes: Tensor, window: int) -> list[Tensor]:
    """A fit to the first frames: place, velocity, (yaw, yaw rate), and the root mean square of what is left."""
    part = slice(window + 1)
    values = torch.cat([places[:, part], yaws[:, part, :, None]], -1)
    weight = present[:, part].to(values.dtype)[..., None]
    times = seconds[part][None, ..., None]
    law = laws_of(shapes)
    curve = torch.zeros_like(values)
    for _ in range(2):
        start, slope = _line(values - curve, weight, times)
        velocity = slope[..., :2]
        speed = torch.linalg.vector_norm(velocity, dim=-1, keepdim=True).clamp(min=1e-6)
        slowing = (law[..., :1] + law[..., 1:] * speed).minimum(speed / (times.abs().amax() + 1e-6))
        bend = -0.5 * slowing * velocity / speed
        curve = torch.cat([bend[:, None] * times**2, torch.zeros_like(values[..., :1])], -1)
    fitted = (curve + start[:, None] + slope[:, None] * times)[..., :2]
    left = (_pixels(fitted, shapes) - _pixels(values[..., :2], shapes)) ** 2 * weight
    rest = (left.sum((1, 3)) / (2.0 * weight[..., 0].sum(1)).clamp(min=1.0)).sqrt()
    return [start[..., :2], slope[..., :2], torch.stack([start[..., 2], slope[..., 2]], -1), rest]


def noise_of(video: VideoTensors, shapes: Tensor) -> Tensor:
    """[world]: standard error of the places in smoothed tracks [world, frame, body, …], in pixels.

    White noise that was smoothed by the weights 1/4, 1/2, 1/4 has second differences of its own size; their median is
    not changed by collisions.
    """
    points, present = _pixels(video.places, shapes), video.present
    change = (points[:, 2:] - 2.0 * points[:, 1:-1] + points[:, :-2]).abs()
    known = (present[:, 2:] & present[:, 1:-1] & present[:, :-2])[..., None].expand_as(change)
    middle = torch.where(known, change, torch.full_like(change, torch.nan)).flatten(1).nanmedian(1).values
    return middle.nan_to_num(1.0) / MEDIAN_OF_NORMAL


def _pixels(places: Tensor, shapes: Tensor) -> Tensor:
    """Places [world, frame, body, 2] in pixels of the picture."""
    heights = heights_of(shapes)[:, None].expand(places.shape[:-1])
    return to_picture(places, heights) * torch.tensor(PICTURE, dtype=places.dtype, device=places.device)


def _line(values: Tensor, weight: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
    """Value at time 0 and slope, by least squares over the frames."""
    count = weight.sum(1).clamp(min=1.0)
    middle, mean = (weight * times).sum(1) / count, (weight * values).sum(1) / count
    away = (times - middle[:, None]) * weight
    spread = (away * (times - middle[:, None])).sum(1)
    slope = (away * (values - mean[:, None])).sum(1) / spread.clamp(min=1e-9)
    slope = slope * (spread > 1e-9)
    return mean - slope * middle, slope


def _repeated(velocity: Tensor) -> Tensor:
    """[world, HISTORY, body, 3]: the same velocity in the frames before."""
    return velocity[:, None].expand(-1, HISTORY, -1, -1)


def _like(mask: Tensor, values: Tensor) -> Tensor:
    return mask if mask.dim() == values.dim() else mask[..., None]


def observed_start(video: VideoTensors, shapes: Tensor) -> tuple[States, Entries]:
    """The states of bodies at the first frame of tracks, and those with which others come into view later."""
    first = video.present.long().argmax(1)
    ever = video.present.any(1)
    states = fitted_states(video, shapes, first, 1)
    at_start = (first == 0) & ever
    later = ever & ~at_start
    return (
        replace(states, present=at_start),
        Entries(torch.where(later, first, torch.full_like(first, -1)), replace(states, present=later)),
    )


def observed_end(video: VideoTensors, shapes: Tensor) -> States:
    """The states of bodies at the last frame of tracks; those that are not in view there do not take part."""
    last = torch.full_like(video.present[:, 0].long(), video.present.shape[1] - 1)
    return fitted_states(video, shapes, last, -1)
