"""The dynamics network: the motion of bodies on the table from frame to frame, by messages between them.

States that motion is predicted from are fitted to tracks. Two rounds of messages change the velocities. A message
depends on what the pair does in axes that point from one body to the other, on both shapes and masses, and on the
relation of the charges, each of which has its own network; a body's own network adds what the table does. All of it
turns with the table.
"""

import math
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.models.data.geometry import (
    PICTURE_SIZE,
    folds_of,
    has_heading,
    heights_of,
    in_picture,
    laws_of,
    to_picture,
)
from tumble.comphy.models.data.track_tensors import QUARTER_TURN, VideoTensors
from tumble.comphy.models.graph.property_network import RELATIONS

HISTORY = 3
"""Velocities that a prediction starts from: of this frame and of the frames before."""
FIT_WINDOWS = (2, 3, 4, 5, 6, 8, 10, 13, 16, 20)
"""Numbers of further frames that a state is fitted to: the most that agree with free motion."""
FIT_TOLERANCE = 1.4, 0.1
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
    return torch.remainder(angles + QUARTER_TURN / 2, QUARTER_TURN) - QUARTER_TURN / 2


def fitted_states(video: VideoTensors, shapes: Tensor, frames: Tensor, direction: int) -> States:
    """The states at frames [world, body] of tracks [world, frame, body, …], by a fit of free motion.

    It is fitted to the frames after (direction 1) or before (-1) each frame: to as many as agree with one velocity and
    the deceleration of the shape. A body that is absent in a frame has no state there.
    """
    count = video.present.shape[1]
    offsets = torch.arange(FIT_WINDOWS[-1] + 1, device=frames.device)
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
    allowed = FIT_TOLERANCE[0] * noise_of(video, shapes)[:, None] + FIT_TOLERANCE[1]
    best = _fit_motion(places, yaws, present, seconds, shapes, 1)
    for window in FIT_WINDOWS:
        found = _fit_motion(places, yaws, present, seconds, shapes, window)
        fits = (found[3] < allowed) & present[:, : window + 1].all(1)
        best = [torch.where(_like(fits, new), new, old) for new, old in zip(found, best, strict=True)]
    start, speed, heading, _ = best
    return States(start, heading[..., 0], _repeated(torch.cat([speed, heading[..., 1:]], -1)), present[:, 0])


def _fit_motion(
    places: Tensor, yaws: Tensor, present: Tensor, seconds: Tensor, shapes: Tensor, window: int
) -> list[Tensor]:
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
    return to_picture(places, heights) * torch.tensor(PICTURE_SIZE, dtype=places.dtype, device=places.device)


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


MESSAGE_ROUNDS = 2
NEAR, FAR = 0.75, 1.0
"""Distances between which the messages of uncharged pairs fade: they only touch."""
BEYOND = 0.12
"""Share of the picture's size by which a centre may be outside before the body takes no part any more."""
PAIR_INPUTS = 15
"""Besides both shapes."""
NODE_INPUTS = 2 + 3 * HISTORY
"""Besides the shape."""
MEMORY = 8
"""Further channels of a message."""


@dataclass(frozen=True, eq=False)
class Rollout:
    """Predicted tracks; the first frame is the start."""

    places: Tensor
    """[world, frame, body, 2]."""
    yaws: Tensor
    """[world, frame, body]."""
    velocities: Tensor
    """[world, frame, body, 3]."""
    present: Tensor
    """bool [world, frame, body]: whether the body takes part."""
    in_view: Tensor
    """bool [world, frame, body]: whether its centre is in the picture too."""


class DynamicsNetwork(nn.Module):
    """Predicts motion frame by frame; with `property_blind` it does not use masses and charges."""

    def __init__(self, hidden: int = 128, property_blind: bool = False, shapes: int = 3) -> None:
        """`shapes`: how many the world has."""
        super().__init__()
        self.property_blind = property_blind
        kinds = 1 if property_blind else len(RELATIONS)
        self.messages = nn.ModuleList(
            nn.ModuleList(_network(PAIR_INPUTS + 2 * shapes, hidden, 3 + MEMORY) for _ in range(kinds))
            for _ in range(MESSAGE_ROUNDS)
        )
        self.nodes = nn.ModuleList(_network(NODE_INPUTS + shapes + MEMORY, hidden, 3) for _ in range(MESSAGE_ROUNDS))

    def step(self, states: States, shapes: Tensor, properties: Properties) -> States:
        """The states one frame later, from shapes [world, body, shape]."""
        velocity = states.velocities[:, 0]
        for messages, node in zip(self.messages, self.nodes, strict=True):
            velocity = velocity + self._change(messages, node, states, velocity, shapes, properties)
        velocity = velocity * states.present[..., None]
        return States(
            states.places + velocity[..., :2] / FRAMES_PER_SECOND,
            states.yaws + velocity[..., 2] / FRAMES_PER_SECOND,
            torch.cat([velocity[:, None], states.velocities[:, :-1]], 1),
            states.present,
        )

    def rollout(
        self,
        start: States,
        shapes: Tensor,
        properties: Properties,
        steps: int,
        entries: Entries | None = None,
        leaves: bool = True,
    ) -> Rollout:
        """The motion in some steps of one frame each; a body that leaves the picture by far takes part no more."""
        states, frames = start, [start]
        heights = heights_of(shapes)
        for frame in range(1, steps + 1):
            states = self.step(states, shapes, properties)
            if entries is not None:
                states = _joined(states, entries, entries.frames == frame)
            if leaves:
                seen = in_picture((to_picture(states.places, heights) + BEYOND) / (1.0 + 2.0 * BEYOND))
                states = replace(states, present=states.present & seen)
            frames.append(states)
        places = torch.stack([one.places for one in frames], 1)
        present = torch.stack([one.present for one in frames], 1)
        return Rollout(
            places,
            torch.stack([one.yaws for one in frames], 1),
            torch.stack([one.velocities[:, 0] for one in frames], 1),
            present,
            present & in_picture(to_picture(places, heights[:, None].expand(places.shape[:-1]))),
        )

    def _change(
        self,
        messages: nn.Module,
        node: nn.Module,
        states: States,
        velocity: Tensor,
        shapes: Tensor,
        properties: Properties,
    ) -> Tensor:
        """[world, body, 3]: the change of velocities in a round."""
        offset = states.places[:, None] - states.places[:, :, None]  # [world, one, other, 2]
        distance = torch.linalg.vector_norm(offset + 1e-9, dim=-1).clamp(min=0.05)
        normal = offset / distance[..., None]
        tangent = torch.stack([-normal[..., 1], normal[..., 0]], -1)
        pairs = self._pair_inputs(states, velocity, shapes, properties, distance, normal, tangent)
        both = states.present[:, :, None] & states.present[:, None]
        both = both & ~torch.eye(both.shape[-1], dtype=torch.bool, device=both.device)
        near = ((FAR - distance) / (FAR - NEAR)).clamp(0.0, 1.0) * both
        assert isinstance(messages, nn.ModuleList)
        if self.property_blind:
            sent = _sent(messages[0], pairs, near)
        else:
            sent = _sent(messages[0], pairs, near * properties.relations[..., 0])
            for kind in range(1, len(RELATIONS)):
                sent = sent + _sent(messages[kind], pairs, both * properties.relations[..., kind])
        push = (sent[..., :1] * normal + sent[..., 1:2] * tangent).sum(2)
        speed = torch.linalg.vector_norm(velocity[..., :2] + 1e-9, dim=-1, keepdim=True)
        ahead = velocity[..., :2] / speed.clamp(min=1e-2)
        across = torch.stack([-ahead[..., 1], ahead[..., 0]], -1)
        past = [
            torch.stack([(one[..., :2] * ahead).sum(-1), (one[..., :2] * across).sum(-1), 0.2 * one[..., 2]], -1)
            for one in (velocity, *states.velocities[:, 1:].unbind(1))
        ]
        heavy = torch.zeros_like(properties.heavy) if self.property_blind else properties.heavy
        inputs = [shapes, heavy[..., None], torch.exp(-10.0 * speed), *past, sent[..., 3:].sum(2)]
        own = node(torch.cat(inputs, -1))
        moved = push + own[..., :1] * ahead + own[..., 1:2] * across
        turned = (sent[..., 2].sum(2) + own[..., 2]) * has_heading(shapes)
        return torch.cat([moved, turned[..., None]], -1)

    def _pair_inputs(
        self,
        states: States,
        velocity: Tensor,
        shapes: Tensor,
        properties: Properties,
        distance: Tensor,
        normal: Tensor,
        tangent: Tensor,
    ) -> Tensor:
        """[world, one, other, channel]: what a message depends on."""
        size = distance.shape
        relative = velocity[:, None, :, :2] - velocity[:, :, None, :2]
        before = states.velocities[:, 1, :, :2]
        changed = (before[:, None] - before[:, :, None] - relative) * 0.5
        angle = torch.atan2(normal[..., 1], normal[..., 0])
        folds, turning = folds_of(shapes), has_heading(shapes)
        turns = [folds[:, :, None] * (states.yaws[:, :, None] - angle), folds[:, None] * (states.yaws[:, None] - angle)]
        turned = [turning[:, :, None].expand(size), turning[:, None].expand(size)]
        heavy = torch.zeros_like(properties.heavy) if self.property_blind else properties.heavy
        own = [
            distance.clamp(max=2.0),
            torch.exp((0.4 - distance) * 10.0).clamp(max=4.0),
            (0.16 / distance**2).clamp(max=2.0),
            (relative * normal).sum(-1),
            (relative * tangent).sum(-1),
            (changed * normal).sum(-1),
            (changed * tangent).sum(-1),
            turns[0].cos() * turned[0],
            turns[0].sin() * turned[0],
            turns[1].cos() * turned[1],
            turns[1].sin() * turned[1],
            heavy[:, :, None].expand(size),
            heavy[:, None].expand(size),
        ]
        spins = [(0.1 * velocity[..., 2] * turning)[:, :, None].expand(size)]
        spins.append((0.1 * velocity[..., 2] * turning)[:, None].expand(size))
        kinds = [shapes[:, :, None].expand(*size, -1), shapes[:, None].expand(*size, -1)]
        return torch.cat([torch.stack([*own, *spins], -1), *kinds], -1)


def _network(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Three linear layers; the last one starts small, so that untrained bodies go straight on."""
    last = nn.Linear(hidden, outputs)
    nn.init.normal_(last.weight, std=0.1 / math.sqrt(hidden))
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(inputs, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), last)


def _sent(network: nn.Module, pairs: Tensor, weights: Tensor) -> Tensor:
    """[world, one, other, channel]: messages by their weights; on a CPU only those with a weight are computed."""
    if pairs.device.type != "cpu":
        result: Tensor = network(pairs) * weights[..., None]
        return result
    index = weights.nonzero(as_tuple=True)
    found = network(pairs[index]) * weights[index][:, None]
    return torch.zeros(*weights.shape, found.shape[-1], dtype=found.dtype).index_put(index, found)


def _joined(states: States, entries: Entries, now: Tensor) -> States:
    """States with those of the bodies that come into view now."""
    found = entries.states
    return States(
        torch.where(now[..., None], found.places, states.places),
        torch.where(now, found.yaws, states.yaws),
        torch.where(now[:, None, :, None], found.velocities, states.velocities),
        states.present | now,
    )
