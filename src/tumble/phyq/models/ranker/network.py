"""The ranker's network, with attention between the objects of a scene, and the features that it sees.

Features are of objects, of pairs of objects, of shots, and of each shot with each object. All positions are
relative: to other objects, to the points at which the bird touches something, or to the ground. What pairs look
like is computed once for a scene and shared by all its shots. Every layer is a step of influence: what the bird
touches first can move what is near it, and so on.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.phyq.catalogue.physics import BIRD_COLOURS, GROUND_Y
from tumble.phyq.models.ranker.flights import FAR, PROPERTIES, KindTables, Leg, Outlines, legs_of

SHOT_CHUNK = 4096
"""Shots whose flights are computed together, which bounds the memory."""
PER_LEG_OBJECT, PER_LEG = 6, 7
"""Numbers of each leg: with each object, and for the shot."""
MOST_BIRDS = 4


@dataclass(frozen=True)
class SceneFeatures:
    """Features of scenes."""

    objects: Tensor
    """float [scenes, objects, features]."""
    pairs: Tensor
    """float [scenes, objects, objects, features]: of the second as seen from the first."""
    exists: Tensor
    """bool [scenes, objects]."""
    is_pig: Tensor
    """bool [scenes, objects]."""
    is_mortal: Tensor
    """bool [scenes, objects]: pigs, blocks and TNT."""


@dataclass(frozen=True)
class ShotFeatures:
    """Features of n shots: raw numbers, in half precision where there are many."""

    shots: Tensor
    """[n, features]."""
    objects: Tensor
    """[n, objects, features]."""


def scaled(lengths: Tensor) -> Tensor:
    """Lengths [..., k] as numbers [..., 3 k] that resolve small and large ones."""
    return torch.cat([torch.tanh(3.0 * lengths), torch.tanh(0.7 * lengths), (lengths / 8.0).clamp(-2.0, 2.0)], dim=-1)


def scene_features(kinds: Tensor, outlines: Outlines, lives: Tensor, tables: KindTables) -> SceneFeatures:
    """Features of scenes, from tensors as in `Scenes`."""
    index = kinds.clamp(min=0)
    exists = kinds >= 0
    low = outlines.corners.amin(dim=2) - outlines.margins[..., None]
    high = outlines.corners.amax(dim=2) + outlines.margins[..., None]
    centre, half = (low + high) / 2.0, (high - low) / 2.0
    edge = outlines.corners[:, :, 1] - outlines.corners[:, :, 0]
    other = outlines.corners[:, :, 2] - outlines.corners[:, :, 1]
    # direction of the longer side, as an angle of two directions that are the same
    longer = torch.where((edge.norm(dim=-1) >= other.norm(dim=-1))[..., None], edge, other)
    x, y = longer[..., 0], longer[..., 1]
    square = (x * x + y * y).clamp(min=1e-6)
    lean = torch.stack([(x * x - y * y) / square, 2.0 * x * y / square], dim=-1)
    lean = torch.where((outlines.margins > 0.0)[..., None], 0.0, lean)
    height = low[..., 1:] - GROUND_Y
    objects = torch.cat([tables.properties[index], lives[..., None], scaled(half), scaled(height), lean], dim=-1)
    offset = centre[:, None, :, :] - centre[:, :, None, :]
    gaps = offset.abs() - half[:, None, :, :] - half[:, :, None, :]
    above = low[:, None, :, 1] - high[:, :, None, 1]
    below = low[:, :, None, 1] - high[:, None, :, 1]
    right = low[:, None, :, 0] - high[:, :, None, 0]
    left = low[:, :, None, 0] - high[:, None, :, 0]
    lengths = torch.stack([offset[..., 0], offset[..., 1], gaps[..., 0], gaps[..., 1]], dim=-1)
    near = (gaps.amax(dim=-1, keepdim=True) < 0.05).to(lengths.dtype)
    edges = torch.stack([above, below, left, right], dim=-1)
    pairs = torch.cat([scaled(lengths), torch.tanh(2.0 * edges), near], dim=-1)
    mask = exists[..., None].to(objects.dtype)
    return SceneFeatures(
        objects * mask,
        pairs,
        exists,
        exists & tables.is_pig[index],
        exists & tables.is_mortal[index],
    )


def shot_features(
    shots: Tensor,
    scene_of: Tensor,
    poses: Tensor,
    outlines: Outlines,
    birds: Tensor,
    birds_left: Tensor,
    rests: Tensor,
    tables: KindTables,
    legs: int,
) -> ShotFeatures:
    """Features of shots float [n, 3] in the scenes `scene_of` [n]; the others are of scenes."""
    of_shots, of_objects = [], []
    for begin in range(0, len(shots), SHOT_CHUNK):
        part, rows = shots[begin : begin + SHOT_CHUNK], scene_of[begin : begin + SHOT_CHUNK]
        flown = legs_of(part, birds[rows], rests[rows], outlines[rows], tables, legs)
        centre = poses[rows, :, :2]
        of_objects.append(torch.cat([_leg_objects(leg, centre) for leg in flown], dim=-1).half())
        colours = functional.one_hot(birds[rows], len(BIRD_COLOURS)).float()
        left = functional.one_hot(birds_left[rows].clamp(1, MOST_BIRDS) - 1, MOST_BIRDS).float()
        own = torch.cat([part[:, :1] / 90.0, part[:, 1:2], torch.nan_to_num(part[:, 2:], nan=-0.5)], dim=-1)
        of_shots.append(torch.cat([own, colours, left, *(_leg_numbers(leg) for leg in flown)], dim=-1).half())
    return ShotFeatures(torch.cat(of_shots), torch.cat(of_objects))


def _leg_objects(leg: Leg, centres: Tensor) -> Tensor:
    """float [n, objects, PER_LEG_OBJECT]: raw numbers of a leg with each object."""
    offset = (centres - leg.points[:, None]).clamp(-30.0, 30.0)
    columns = [leg.distances, leg.touches.float(), leg.lateness, leg.first.float(), offset[..., 0], offset[..., 1]]
    return torch.stack(columns, dim=-1)


def _leg_numbers(leg: Leg) -> Tensor:
    """float [n, PER_LEG]."""
    height = (leg.points[:, 1:] - GROUND_Y) / 8.0
    none = (~leg.first.any(dim=1, keepdim=True)).float()
    return torch.cat([leg.velocities / 8.0, leg.normals, height, leg.seconds[:, None] / 4.0, none], dim=-1)


def encoded_objects(raw: Tensor, legs: int) -> Tensor:
    """Numbers of shots with objects [n, objects, legs * PER_LEG_OBJECT] as the network gets them."""
    parts = raw.float().reshape(*raw.shape[:-1], legs, PER_LEG_OBJECT)
    distance, touches, lateness, first, offset = torch.split(parts, [1, 1, 1, 1, 2], dim=-1)
    close = torch.exp(-distance / 0.4)
    encoded = torch.cat([close, distance / FAR, touches, lateness / 2.0, first, scaled(offset)], dim=-1)
    return encoded.flatten(-2)


def encoded_width(legs: int) -> int:
    """The number of features of `encoded_objects`."""
    return legs * 11


OBJECT_FEATURES = PROPERTIES + 1 + 3 * 3 + 2
PAIR_FEATURES = 4 * 3 + 4 + 1
SHOT_NUMBERS = 3 + len(BIRD_COLOURS) + MOST_BIRDS


@dataclass(frozen=True)
class RankerOutput:
    """Predictions for shots [n], and for objects in them [n, objects]."""

    win: Tensor
    """float [n]: the logit of a win."""
    death: Tensor
    """float [n, objects]: the logit of an object's end."""
    motion: Tensor
    """float [n, objects]: the logit of a motion."""
    move: Tensor
    """float [n, objects, 2]: where it comes to rest, relative to where it was."""


class RankerNetwork(nn.Module):
    """Scores shots in scenes."""

    def __init__(self, width: int, layers: int, heads: int, legs: int, dropout: float) -> None:
        super().__init__()
        self.legs = legs
        self.objects = nn.Linear(OBJECT_FEATURES, width)
        self.flights = nn.Linear(encoded_width(legs), width)
        self.shots = nn.Linear(SHOT_NUMBERS + legs * PER_LEG, width)
        self.first = nn.Sequential(nn.GELU(), nn.Linear(width, width))
        self.pairs = nn.Sequential(nn.Linear(PAIR_FEATURES, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.layers = nn.ModuleList([_Layer(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.of_objects = nn.Linear(width, 4)
        self.win = nn.Sequential(nn.Linear(3 * width + 2, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, scenes: SceneFeatures, shots: Tensor, objects: Tensor) -> RankerOutput:
        """Predictions for shots [scenes, n, …] and shots with objects [scenes, n, objects, …] as in ShotFeatures."""
        shown = self.objects(scenes.objects)[:, None] + self.shots(shots.to(self.shots.weight.dtype))[:, :, None]
        tokens = self.first(shown + self.flights(encoded_objects(objects, self.legs))).float()
        pairs = self.pairs(scenes.pairs)
        hidden = torch.zeros(scenes.exists.shape, device=tokens.device).masked_fill(~scenes.exists, -1e4)
        for layer in self.layers:
            tokens = layer(tokens, pairs, hidden)
        tokens = self.norm(tokens)
        found = self.of_objects(tokens).float()
        return RankerOutput(self._win(tokens, found[..., 0], scenes), found[..., 0], found[..., 1], found[..., 2:])

    def _win(self, tokens: Tensor, death: Tensor, scenes: SceneFeatures) -> Tensor:
        exists = scenes.exists[:, None, :, None]
        pigs = scenes.is_pig[:, None, :, None]
        count = exists.sum(dim=2).clamp(min=1)
        mean = (tokens * exists).sum(dim=2) / count
        of_pigs = (tokens * pigs).sum(dim=2) / pigs.sum(dim=2).clamp(min=1)
        highest = tokens.masked_fill(~exists, -1e4).amax(dim=2)
        survival = functional.logsigmoid(death) * scenes.is_pig[:, None]
        all_die, worst = survival.sum(dim=2, keepdim=True), survival.amin(dim=2, keepdim=True)
        pooled = torch.cat([mean, of_pigs, highest, all_die.clamp(min=-20.0), worst.clamp(min=-20.0)], dim=-1)
        win: Tensor = self.win(pooled).float() + all_die.clamp(min=-20.0)
        return win[..., 0]


class _Layer(nn.Module):
    """Attention with the features of pairs as biases and as messages, then a perceptron."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.bias = nn.Linear(width, heads)
        self.message = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, pairs: Tensor, hidden: Tensor) -> Tensor:
        """Tokens [scenes, n, objects, width], pairs [scenes, objects, objects, width], hidden [scenes, objects]."""
        scenes, count, objects, width = tokens.shape
        split = self.project(self.norm(tokens)).view(scenes, count, objects, 3, self.heads, -1)
        query, key, value = split.permute(3, 0, 1, 4, 2, 5)
        scores = query @ key.transpose(-1, -2) / (width // self.heads) ** 0.5
        bias = self.bias(pairs).permute(0, 3, 1, 2)[:, None] + hidden[:, None, None, None]
        weights = torch.softmax(scores.float() + bias, dim=-1).to(value.dtype)
        mixed = weights @ value
        message = self.message(pairs).view(scenes, objects, objects, self.heads, -1)
        mixed = mixed + torch.einsum("snhij,sijhd->snhid", weights, message)
        tokens = tokens + self.dropout(self.out(mixed.transpose(2, 3).reshape(scenes, count, objects, width)))
        added: Tensor = tokens + self.dropout(self.perceptron(self.second_norm(tokens)))
        return added
