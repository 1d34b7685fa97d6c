"""The training of the shot ranker: collected shots on the device, losses, and from a file to a checkpoint.

Scenes on the device are in groups with about the same number of objects.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from tumble.learning.checkpoint import export_weights
from tumble.learning.harness import Budget, LossTraining, Optimisation, train
from tumble.learning.page import write_training_page
from tumble.learning.settings import TrainingError, configured
from tumble.phyq.models.ranker.collect import ALIVE, VARIANT, WON, Collected, ShotData, read_shots
from tumble.phyq.models.ranker.flights import KindTables, kind_tables, outlines_of
from tumble.phyq.models.ranker.network import RankerNetwork, SceneFeatures, ShotFeatures, scene_features, shot_features
from tumble.phyq.models.ranker.scenes import MAX_OBJECTS, PIG_KINDS

WIDTHS = (10, 14, 18, 24, 32, 40, MAX_OBJECTS)
"""Objects that the scenes of a group have room for."""


@dataclass(frozen=True)
class Group:
    """Scenes of one width, and their shots, ordered by scene, with winning shots first."""

    scenes: SceneFeatures
    weights: Tensor
    """float [scenes]: sums of the weights up to each scene; all templates weigh the same."""
    starts: Tensor
    """long [scenes]: the first shot of each scene."""
    counts: Tensor
    """long [scenes]: its shots."""
    wins: Tensor
    """long [scenes]: its winning shots."""
    shots: ShotFeatures
    won: Tensor
    """int8 [shots], as in Collected."""
    fates: Tensor
    moves: Tensor

    def draw(self, scenes: int, shots: int, winning: int) -> tuple[Tensor, Tensor]:
        """Random scenes [scenes] and shots [scenes, shots] of them, where possible `winning` of them winning ones."""
        device = self.weights.device
        drawn = torch.rand(scenes, device=device) * self.weights[-1]
        rows = torch.searchsorted(self.weights, drawn).clamp(max=len(self.weights) - 1)
        starts, counts, wins = self.starts[rows, None], self.counts[rows, None], self.wins[rows, None]
        share = torch.rand(scenes, shots, device=device)
        anywhere = (share * counts).long().clamp(max=counts - 1)
        won = (share * wins).long()
        use_wins = (torch.arange(shots, device=device) < winning) & (wins > 0)
        return rows, starts + torch.where(use_wins, won, anywhere)

    def scene_rows(self, rows: Tensor) -> SceneFeatures:
        """The features of some scenes."""
        own = self.scenes
        return SceneFeatures(
            own.objects[rows], own.pairs[rows], own.exists[rows], own.is_pig[rows], own.is_mortal[rows]
        )


def groups_of(
    collected: Collected,
    tables: KindTables,
    legs: int,
    device: torch.device,
    without: Collection[str] = (),
    variants: bool = True,
) -> list[Group]:
    """All scenes with a pig, but those of templates to do `without`, and their shots, in groups of similar width.

    `variants` says whether scenes of variants of tasks are used.
    """
    scenes = collected.scenes
    objects = (scenes.kinds >= 0).sum(axis=1)
    usable = np.isin(scenes.kinds, PIG_KINDS).any(axis=1)
    usable &= ~np.isin(np.char.rstrip(collected.templates, VARIANT), list(without))
    usable &= variants | ~np.char.endswith(collected.templates, VARIANT)
    usable &= np.bincount(collected.scene_of, minlength=len(scenes)) > 0
    weight = _scene_weights(collected.templates, usable)
    order = np.lexsort((-(collected.won == WON).astype(int), collected.scene_of))
    bounds = np.searchsorted(collected.scene_of[order], np.arange(len(scenes) + 1))
    groups = []
    for low, width in zip((0, *WIDTHS), WIDTHS, strict=False):
        rows = np.flatnonzero(usable & (objects > low) & (objects <= width))
        if len(rows):
            shots = np.concatenate([order[bounds[row] : bounds[row + 1]] for row in rows.tolist()])
            groups.append(_group(collected, rows, shots, weight[rows], width, tables, legs, device))
    return groups


def _scene_weights(templates: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """float [scenes]: one over the number of usable scenes of the template."""
    _, of, counts = np.unique(np.where(usable, templates, ""), return_inverse=True, return_counts=True)
    return np.asarray(np.where(usable, 1.0 / counts[of], 0.0))


def _group(
    collected: Collected,
    rows: np.ndarray,
    shots: np.ndarray,
    weight: np.ndarray,
    width: int,
    tables: KindTables,
    legs: int,
    device: torch.device,
) -> Group:
    scenes = collected.scenes.take(rows)
    # objects that exist come first
    columns = np.argsort(scenes.kinds < 0, axis=1, kind="stable")[:, :width]
    local = np.searchsorted(rows, collected.scene_of[shots])

    def tensor(values: np.ndarray, dtype: torch.dtype | None = None) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(values)).to(device, dtype)

    def of_objects(values: np.ndarray) -> np.ndarray:
        index = columns.reshape(*columns.shape, *[1] * (values.ndim - 2))
        return np.take_along_axis(values, index, axis=1)

    kinds = tensor(of_objects(scenes.kinds), torch.long)
    poses, sizes = tensor(of_objects(scenes.poses)), tensor(of_objects(scenes.sizes))
    outlines = outlines_of(kinds, poses, sizes, tables)
    scene_of = tensor(local, torch.long)
    counts = np.bincount(local, minlength=len(rows))
    own_columns = columns[local]
    return Group(
        scenes=scene_features(kinds, outlines, tensor(of_objects(scenes.lives)), tables),
        weights=tensor(np.cumsum(weight), torch.float32),
        starts=tensor(np.cumsum(counts) - counts, torch.long),
        counts=tensor(counts, torch.long),
        wins=tensor(np.bincount(local, collected.won[shots] == WON, len(rows)), torch.long),
        shots=shot_features(
            tensor(collected.shots[shots]),
            scene_of,
            poses,
            outlines,
            tensor(scenes.birds, torch.long),
            tensor(scenes.birds_left, torch.long),
            tensor(scenes.rests),
            tables,
            legs,
        ),
        won=tensor(collected.won[shots]),
        fates=tensor(np.take_along_axis(collected.fates[shots], own_columns, axis=1)),
        moves=tensor(np.take_along_axis(collected.moves[shots], own_columns[..., None], axis=1)),
    )


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


class RankerTraining(LossTraining):
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
        "win": _weighted_mean(_entropy(found.win, won.clamp(min=0.0)), known),
        "death": object_weight * _weighted_mean(_entropy(found.death, ended), mortal),
        "motion": object_weight * _weighted_mean(_entropy(found.motion, moved), mortal),
        "move": 0.5 * object_weight * _weighted_mean(away, mortal * (1.0 - ended)),
    }


def _entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def _weighted_mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1.0)


def train_ranker(
    data: Path,
    out: Path,
    budget: Budget,
    device: torch.device,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    export: Path | None = None,
) -> Path:
    """Trains, or resumes, and writes the checkpoint and the page of its losses; `export` gets the weights to ship."""
    shots = read_shots(data)
    training = RankerTraining(configured("shot-ranker", RankerConfig, settings or {}), shots, device, seed)
    train(training, out, budget, device, seed, shots.digest)
    write_training_page(out.with_suffix(".html"), training)
    if export is not None:
        export_weights(out, export)
    return out
