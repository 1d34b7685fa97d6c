"""The network: for each shot, attention between the objects of its scene, with the geometry of pairs of objects.

What pairs look like is computed once for a scene and shared by all its shots. Every layer is a step of influence: what
the bird touches first can move what is near it, and so on.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tumble.phyq.models.ranker.features import MOST_BIRDS, PER_LEG, SceneFeatures, encoded_objects, encoded_width
from tumble.phyq.models.ranker.kinds import PROPERTIES
from tumble.phyq.tasks.pieces import BIRD_COLOURS

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
