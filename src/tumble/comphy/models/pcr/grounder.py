"""The grounder: scores of the concepts that can be seen, by how near features are to learned concept vectors.

The score of a concept is (cos(c, m(f)) - margin) / scale, where c is its vector and m maps features into the space of
its attribute. All of it is learned from questions and answers; nobody labels a body or an event. Features of motion
are those of bodies around a frame and over the video, and of pairs around a frame; places are on the table, in units,
directions in the picture. Events are proposed where tracks begin or end within the video, and where two bodies are
near each other and their approach is stopped or reversed most suddenly. Whether they happen is for the network to
say.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, pad

from tumble.comphy.catalogue.world import HALF_HEIGHTS, PLAIN, SHOWN_FRAMES, ObjectWorld
from tumble.comphy.models.data.geometry import to_picture
from tumble.comphy.models.data.track_tensors import VideoTensors, slopes_per_second
from tumble.comphy.models.graph.motion import pair_signals
from tumble.comphy.models.pcr.concepts import (
    LIMIT,
    MOTIONS,
    PASSAGES,
    SlotLayout,
    device_constant,
    words_of,
    words_of_width,
)
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import DIRECTIONS

TOUCHING_DISTANCE = 0.8
"""Distance of two centres below which bodies may touch: two cubes do so up to 0.57."""
REACH = 3
"""Frames before and after a collision over which the change of the distance is measured."""
PROPOSALS_APART = 5
"""The fewest frames between two proposals for a pair, less one."""
LEAST_JUMP = 0.008
"""Units by which the distance changes more over the frames after a collision than over those before."""


@dataclass(frozen=True, eq=False)
class Proposals:
    """Frames at which something may happen."""

    frames: Tensor
    """int64 [scene, item, number]: the frame; 0 where there is none."""
    exists: Tensor
    """bool [scene, item, number]."""


def pair_indices(layout: SlotLayout, device: torch.device) -> tuple[Tensor, Tensor]:
    """int64 [pair]: the first and the second body of each pair."""
    first, second = (device_constant(tuple(pair[end] for pair in layout.pairs), device) for end in (0, 1))
    return first, second


def passage_proposals(present: Tensor, number: int) -> tuple[Proposals, Proposals]:
    """Where bodies come in and where they go out; present is bool [scene, frame, body]."""
    now, before = present[:, 1:], present[:, :-1]
    return tuple(_first_frames(change.transpose(1, 2), number, 1) for change in (now & ~before, before & ~now))  # type: ignore[return-value]


def _first_frames(happens: Tensor, number: int, shift: int) -> Proposals:
    """The first frames in which something happens, from bool [scene, item, frame]."""
    ranks = happens.cumsum(-1)
    numbers = torch.arange(1, number + 1, device=happens.device)
    chosen = happens[:, :, None] & (ranks[:, :, None] == numbers[:, None])
    exists = chosen.any(-1)
    return Proposals((chosen.to(torch.uint8).argmax(-1) + shift) * exists, exists)


def pair_distances(places: Tensor, present: Tensor, layout: SlotLayout) -> Tensor:
    """[scene, pair, frame]: distances of bodies; large where one of them is absent."""
    first, second = pair_indices(layout, places.device)
    offsets = (places[:, :, second] - places[:, :, first]).transpose(1, 2)
    both = (present[:, :, first] & present[:, :, second]).transpose(1, 2)
    return torch.where(both, torch.linalg.vector_norm(offsets, dim=-1), 99.0)


def collision_proposals(distances: Tensor, number: int) -> Proposals:
    """Where pairs may collide, from distances [scene, pair, frame], by frame."""
    near = distances < TOUCHING_DISTANCE
    velocity = distances[..., REACH:] - distances[..., :-REACH]  # [.., k]: over the frames k to k + REACH
    jumps = torch.zeros_like(distances)
    jumps[..., REACH:-REACH] = velocity[..., REACH:] - velocity[..., :-REACH]
    known = near.clone()
    known[..., :REACH] = known[..., -REACH:] = False
    for offset in (-REACH, REACH):  # both bodies are in view in all frames that a jump is measured over
        known &= distances.roll(offset, -1) < 90.0
    jumps = torch.where(known, jumps, 0.0)
    peaks = (jumps >= torch.nn.functional.max_pool1d(jumps, 2 * PROPOSALS_APART + 1, 1, PROPOSALS_APART)) & (
        jumps > LEAST_JUMP
    )
    strongest = torch.where(peaks, jumps, 0.0).topk(number, dim=-1)
    exists = strongest.values > 0.0
    frames, order = torch.where(exists, strongest.indices, 10**6).sort(-1)
    return Proposals(frames * exists.gather(-1, order), exists.gather(-1, order))


MOTION_CHANNELS = 9
MOTION_OFFSETS = (-3, 0, 3)
"""Frames around a time at which motion is read."""
VIDEO_FEATURES = 20
SPEED_RANKS = (0, 1, 3, 6, 12, 24, 48, 96)
"""Of a body's speeds over the video, the fastest first."""
PAIR_OFFSETS = tuple(range(-8, 9))
SIGNAL_OFFSETS = tuple(range(-3, 4))
PAIR_FEATURES = len(PAIR_OFFSETS) * 2 + 8 * 2 + 2 + len(SIGNAL_OFFSETS) * 2
"""Besides both shapes."""
PASSAGE_OFFSETS = tuple(range(-6, 7))
PASSAGE_FEATURES = len(PASSAGE_OFFSETS) + 4
CENTRE_HEIGHT = HALF_HEIGHTS["cube"]
"""The same for all shapes."""


def motion_channels(places: Tensor, present: Tensor) -> Tensor:
    """[scene, frame, body, MOTION_CHANNELS]: speed, direction in the picture, and presence, over short and long spans.

    places is [scene, frame, body, 2] and present bool [scene, frame, body].
    """
    heights = torch.full(present.shape, CENTRE_HEIGHT, dtype=places.dtype, device=places.device)
    picture = to_picture(places, heights) * device_constant((CAMERA.aspect, 1.0), places.device)
    channels = []
    for reach in (2, 5):
        speed = torch.linalg.vector_norm(slopes_per_second(places, present, reach), dim=-1, keepdim=True)
        step = slopes_per_second(picture, present, reach)
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
        .values.index_select(1, device_constant(SPEED_RANKS, channels.device))
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
    values = torch.cat(
        [present[..., None].to(places.dtype), places, slopes_per_second(places, present, 2)], -1
    ).transpose(1, 2)
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
    at = frames.clamp(0, values.shape[2] - 1)[..., None] + device_constant(offsets, frames.device) + reach
    flat = at.flatten(2)[..., None].expand(-1, -1, -1, values.shape[-1])
    return padded.gather(2, flat).reshape(*frames.shape, len(offsets), values.shape[-1])


ATTRIBUTE_MARGIN, ATTRIBUTE_SCALE = 0.15, 0.21
EVENT_MARGIN, EVENT_SCALE = 0.0, 0.2


class ConceptSpace(nn.Module):
    """A map of features into a space, and the vectors of its concepts."""

    def __init__(
        self, features: int, width: int, concepts: int, hidden: int = 0, margin: float = 0.0, scale: float = 0.2
    ) -> None:
        super().__init__()
        layers = [nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, width)] if hidden else []
        self.map = nn.Sequential(*layers) if hidden else nn.Linear(features, width)
        self.concepts = nn.Parameter(torch.randn(concepts, width) / width**0.5)
        self.margin, self.scale = margin, scale

    def forward(self, features: Tensor) -> Tensor:
        """[…, feature] to scores [..., concept]."""
        return self.scores(self.map(features))

    def scores(self, mapped: Tensor) -> Tensor:
        """Scores of what is already in the space."""
        cosines = normalize(mapped, dim=-1, eps=1e-6) @ normalize(self.concepts, dim=-1).T
        return (cosines - self.margin) / self.scale


class CropEncoder(nn.Module):
    """Convolutions from crops to object vectors."""

    def __init__(self, width: int = 256, channels: int = 32) -> None:
        super().__init__()
        sizes = (3, channels, 2 * channels, 4 * channels)
        layers: list[nn.Module] = []
        for inputs, outputs in pairwise(sizes):
            layers += [nn.Conv2d(inputs, outputs, 3, 2, 1), nn.GroupNorm(8, outputs), nn.ReLU()]
        layers += [nn.Conv2d(sizes[-1], sizes[-1], 3, 1, 1), nn.ReLU(), nn.Flatten()]
        self.layers = nn.Sequential(*layers, nn.Linear(sizes[-1] * 16, width), nn.ReLU())

    def forward(self, crops: Tensor, weights: Tensor) -> Tensor:
        """uint8 [scene, body, crop, 3, 32, 32] and weights [scene, body, crop] to vectors [scene, body, width]."""
        pictures = crops.flatten(0, 2).float() / 127.5 - 1.0
        vectors: Tensor = self.layers(pictures).unflatten(0, crops.shape[:3])
        total = weights.sum(-1).clamp(min=1e-6)[..., None]
        return (vectors * weights[..., None]).sum(-2) / total


@dataclass(frozen=True, eq=False)
class TemporalScores:
    """Scores of what happens in a video; every tensor begins with [scene]."""

    moving: Tensor
    moving_at: Tensor
    direction: Tensor
    direction_at: Tensor
    events: Tensor
    frames: Tensor


class Grounder(nn.Module):
    """Scores of words, motion, directions and events."""

    def __init__(
        self, layout: SlotLayout, width: int = 256, space: int = 64, hidden: int = 128, world: ObjectWorld = PLAIN
    ) -> None:
        super().__init__()
        self.layout = layout
        self.crops = CropEncoder(width)
        self.attributes = nn.ModuleList(
            ConceptSpace(width, space, len(words), 0, ATTRIBUTE_MARGIN, ATTRIBUTE_SCALE)
            for words in words_of(world).by_attribute
        )
        motion = MOTION_CHANNELS * len(MOTION_OFFSETS)
        event = (hidden, EVENT_MARGIN, EVENT_SCALE)
        self.moving_at = ConceptSpace(motion, space, len(MOTIONS), *event)
        self.moving = ConceptSpace(VIDEO_FEATURES, space, len(MOTIONS), *event)
        self.direction_at = ConceptSpace(motion, space, len(DIRECTIONS), *event)
        self.direction = ConceptSpace(VIDEO_FEATURES, space, len(DIRECTIONS), *event)
        self.passages = ConceptSpace(PASSAGE_FEATURES, space, len(PASSAGES), *event)
        self.collision = ConceptSpace(PAIR_FEATURES + 2 * len(world.shapes), space, 2, *event)
        """The second concept is for collisions in predicted tracks."""

    def words(self, crops: Tensor, weights: Tensor) -> Tensor:
        """[scene, body, word]: scores of the words for visible attributes."""
        vectors = self.crops(crops, weights)
        return torch.cat([space(vectors) for space in self.attributes], -1)

    def temporal(self, target: VideoTensors, shapes: Tensor) -> TemporalScores:
        """Scores of motion and events in target videos, with the shapes [scene, body, shape] of the bodies."""
        places, present = target.places, target.present
        coming, going = passage_proposals(present, self.layout.passages)
        colliding, collision_scores = self._collisions(places, target.yaws, present, shapes, 0)
        scenes = len(places)
        ends = device_constant((0, SHOWN_FRAMES), places.device).expand(scenes, 2)
        frames = torch.cat([coming.frames.flatten(1), going.frames.flatten(1), colliding.flatten(1), ends], 1)
        passing = [
            torch.where(found.exists, self.passages(passage_features(places, present, found.frames))[..., kind], -LIMIT)
            for kind, found in enumerate((coming, going))
        ]
        sure = torch.full((scenes, 2), LIMIT, device=places.device)
        events = torch.cat([*(scores.flatten(1) for scores in passing), collision_scores.flatten(1), sure], 1)
        channels = motion_channels(places, present)
        at_frames = motion_at(channels, frames.clamp(max=SHOWN_FRAMES - 1))
        visible = at_frames[..., (len(MOTION_OFFSETS) // 2 + 1) * MOTION_CHANNELS - 1] > 0
        over_video = video_features(channels)
        moving_at = torch.where(visible[..., None], self.moving_at(at_frames), -LIMIT)
        moving = torch.where(present.any(1)[..., None], self.moving(over_video), -LIMIT)
        return TemporalScores(
            moving, moving_at, self.direction(over_video), self.direction_at(at_frames), events, frames
        )

    def predicted_collisions(
        self, places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, first: Tensor
    ) -> Tensor:
        """[scene, pair]: scores of collisions from frames `first` [scene] on in predicted tracks."""
        frames, scores = self._collisions(places, yaws, present, shapes, 1)
        return torch.where(frames >= first[:, None, None], scores, -LIMIT).amax(-1)

    def _collisions(
        self, places: Tensor, yaws: Tensor, present: Tensor, shapes: Tensor, concept: int
    ) -> tuple[Tensor, Tensor]:
        """Frames and scores [scene, pair, number] of collisions."""
        proposed = collision_proposals(pair_distances(places, present, self.layout), self.layout.collisions)
        features = pair_features(places, yaws, present, shapes, proposed.frames, self.layout)
        mapped = self.collision.map(features).mean(-2)
        scores = self.collision.scores(mapped)[..., concept]
        return proposed.frames, torch.where(proposed.exists, scores, -LIMIT)


def shape_chances(words: Tensor) -> Tensor:
    """[scene, body, shape]: probabilities of shapes, from the scores of words, without a gradient."""
    first, count = words_of_width(words.shape[-1]).spans[2]
    return words[..., first : first + count].detach().softmax(-1)
