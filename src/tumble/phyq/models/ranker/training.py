"""The training of the shot ranker on collected shots."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from tumble.learning.errors import TrainingError
from tumble.learning.trainer import Optimisation, Training
from tumble.phyq.models.ranker.collect import ALIVE
from tumble.phyq.models.ranker.data_file import ShotData
from tumble.phyq.models.ranker.kinds import kind_tables
from tumble.phyq.models.ranker.network import RankerNetwork
from tumble.phyq.models.ranker.tensors import Group, groups_of

MOVED = 0.15
"""Distance from which on an object counts as moved."""
FARTHEST = 4.0
"""Distances that are to be predicted are clipped to this, along x and y."""


@dataclass(frozen=True)
class RankerConfig:
    """All that the ranker's weights depend on besides data and seed."""

    width: int = 128
    """Of the network's tokens."""
    layers: int = 4
    """Steps of influence between objects."""
    heads: int = 4
    """Of the attention."""
    legs: int = 2
    """Legs of flights that are features: 1 ends at the first contact, 2 at the one after a bounce."""
    dropout: float = 0.1
    without: str = ""
    """Templates to leave out, separated by commas, to test on them; besides those that the data does without."""
    variants: bool = True
    """Whether shots on variants of tasks are used."""
    scenes: int = 64
    """Scenes in a step."""
    shots: int = 32
    """Shots in each of them."""
    winning: int = 10
    """Of these, shots that win, if there are any."""
    object_weight: float = 1.0
    """Of the losses of what happens to objects."""
    learning_rate: float = 1e-3
    """At its highest."""
    weight_decay: float = 0.05
    bfloat16: bool = True
    """Whether the network is trained in mixed precision on a GPU."""

    def network(self) -> RankerNetwork:
        """The untrained network."""
        return RankerNetwork(self.width, self.layers, self.heads, self.legs, self.dropout)


class RankerTraining(Training):
    """Trains on random shots of random scenes, of which a part wins."""

    config_class = RankerConfig

    network: RankerNetwork

    def __init__(self, config: RankerConfig, data: ShotData, device: torch.device, seed: int) -> None:
        self.config = config
        self.name = "shot-ranker"
        self.optimisation = Optimisation(
            learning_rate=config.learning_rate, weight_decay=config.weight_decay, bfloat16=config.bfloat16
        )
        torch.manual_seed(seed)
        self.network = config.network().to(device)
        self.scene_groups = groups_of(
            data.collected, kind_tables(device), config.legs, device, config.without.split(","), config.variants
        )
        if not self.scene_groups:
            raise TrainingError("there is no shot to learn from: no scene has a pig")
        self.shares = torch.tensor([float(group.weights[-1]) for group in self.scene_groups])

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        number = int(torch.multinomial(self.shares, 1))  # on the CPU, so that nothing waits for the device
        group, config = self.scene_groups[number], self.config
        rows, shots = group.draw(config.scenes, config.shots, config.winning)
        return ranker_losses(self.network, group, rows, shots, config.object_weight)


def ranker_losses(
    network: RankerNetwork, group: Group, rows: Tensor, shots: Tensor, object_weight: float
) -> dict[str, Tensor]:
    """Losses for shots [scenes, n] of scenes [scenes]."""
    scenes = group.scene_rows(rows)
    found = network(scenes, group.shots.shots[shots], group.shots.objects[shots])
    won = group.won[shots].float()
    known = (won >= 0.0).float()
    mortal = scenes.is_mortal[:, None].expand_as(found.death).float()
    ended = (group.fates[shots] != ALIVE).float()
    move = group.moves[shots].float().clamp(-FARTHEST, FARTHEST)
    moved = torch.maximum((move.norm(dim=-1) > MOVED).float(), ended)
    away = functional.smooth_l1_loss(found.move, move, reduction="none").mean(dim=-1)
    return {
        "win": _mean(_entropy(found.win, won.clamp(min=0.0)), known),
        "death": object_weight * _mean(_entropy(found.death, ended), mortal),
        "motion": object_weight * _mean(_entropy(found.motion, moved), mortal),
        "move": 0.5 * object_weight * _mean(away, mortal * (1.0 - ended)),
    }


def _entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1.0)
