"""The grounder: scores of the concepts that can be seen, by how near features are to learned concept vectors.

The score of a concept is (cos(c, m(f)) - margin) / scale, where c is its vector and m maps features into the space of
its attribute. All of it is learned from questions and answers; nobody labels a body or an event.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from tumble.comphy.catalogue.world import PLAIN, SHOWN_FRAMES, ObjectWorld
from tumble.comphy.models.data.track_tensors import VideoTensors
from tumble.comphy.models.pcr.concept_scores import LIMIT
from tumble.comphy.models.pcr.device_constants import constant
from tumble.comphy.models.pcr.event_slots import approaches, pair_distances, passages
from tumble.comphy.models.pcr.slots import SlotLayout
from tumble.comphy.models.pcr.track_features import (
    MOTION_CHANNELS,
    MOTION_OFFSETS,
    PAIR_FEATURES,
    PASSAGE_FEATURES,
    VIDEO_FEATURES,
    motion_at,
    motion_channels,
    pair_features,
    passage_features,
    video_features,
)
from tumble.comphy.models.pcr.words import MOTIONS, PASSAGES, words_of, words_of_width
from tumble.comphy.simulation.events import DIRECTIONS

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
        coming, going = passages(present, self.layout.passages)
        colliding, collision_scores = self._collisions(places, target.yaws, present, shapes, 0)
        scenes = len(places)
        ends = constant((0, SHOWN_FRAMES), places.device).expand(scenes, 2)
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
        proposed = approaches(pair_distances(places, present, self.layout), self.layout.collisions)
        features = pair_features(places, yaws, present, shapes, proposed.frames, self.layout)
        mapped = self.collision.map(features).mean(-2)
        scores = self.collision.scores(mapped)[..., concept]
        return proposed.frames, torch.where(proposed.exists, scores, -LIMIT)


def shape_chances(words: Tensor) -> Tensor:
    """[scene, body, shape]: probabilities of shapes, from the scores of words, without a gradient."""
    first, count = words_of_width(words.shape[-1]).spans[2]
    return words[..., first : first + count].detach().softmax(-1)
