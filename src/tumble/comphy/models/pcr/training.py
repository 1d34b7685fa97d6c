"""The training of PCR from questions and answers, in lessons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.track_tensors import TrackTensors, with_noise
from tumble.comphy.models.pcr.crops import rendered_crops
from tumble.comphy.models.pcr.dynamics_loss import dynamics_loss
from tumble.comphy.models.pcr.executor import execute
from tumble.comphy.models.pcr.losses import answer_loss, supposition_loss
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork, Scenes, hard_shapes, padded_tracks
from tumble.comphy.models.pcr.operators import describe
from tumble.comphy.models.pcr.question_table import Group, asked_questions, grouped, suppositions
from tumble.comphy.models.pcr.worlds import hard_properties
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import Optimisation, Training, step_seed


@dataclass(frozen=True)
class PcrConfig:
    """The settings of PCR and of its training."""

    references: bool = True
    """Whether hidden properties are inferred from the references too."""
    imagination: bool = True
    """Whether what counterfactual questions suppose is learned from."""
    curriculum: bool = True
    """Whether questions come in lessons; without, all questions are asked from the start."""
    exclusive: bool = True
    """Whether the network knows that at most one body is heavy and at most one pair is charged."""
    object_width: int = 256
    """Of object vectors."""
    property_hidden: int = 192
    """Width of the property network."""
    property_channels: int = 64
    """Of the property network's convolutions over frames."""
    dynamics_hidden: int = 128
    """Width of the dynamics network."""
    dropout: float = 0.1
    """In the property network."""
    learning_rate: float = 1e-3
    """At its highest."""
    weight_decay: float = 1e-4
    visual_groups: int = 5
    """Skeletons without hidden properties in a step."""
    physical_groups: int = 4
    """Skeletons with hidden properties in a step."""
    questions: int = 48
    """Of each skeleton in a step, at most."""
    suppositions: int = 128
    """Counterfactual questions in a step that are learned from by imagination."""
    crops: int = 2
    """Of each body in a step."""
    least_noise: float = 0.3
    """Smallest standard error of centres in the tracks, in pixels of a picture 240 wide."""
    most_noise: float = 1.0
    """Largest standard error."""
    properties_from: float = 0.15
    """Share of the training after which hidden properties are asked for: lesson two."""
    dynamics_from: float = 0.3
    """Share after which motion is learned: lesson three."""
    predictions_from: float = 0.65
    """Share after which predicted and counterfactual collisions are asked for: lesson four."""
    worlds: int = 192
    """Clips in a step that motion is learned from."""
    predicted_questions: int = 192
    """Options of predictive or counterfactual questions in a step of lesson four."""
    predicted_every: int = 6
    """Steps of lesson four of which one has such options: predicting worlds takes long."""
    dynamics_rate: float = 1.5
    """Learning rate of the dynamics network, relative to the others."""


class PcrTraining(Training):
    """Trains the grounder and the property network by answers, and the dynamics network by motion."""

    config_class = PcrConfig
    name = "pcr"

    def __init__(self, config: PcrConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.seed, self.device = config, seed, device
        torch.manual_seed(seed)
        self.network = network_of(config).to(device)
        self.optimisation = Optimisation(config.learning_rate, config.weight_decay)
        self.tracks = padded_tracks(TrackTensors.from_packed(sets, device))
        self.crops = rendered_crops(sets, self.tracks, seed)
        self.slots = LAYOUT.tensors(device)
        groups = grouped(asked_questions(sets.questions), device)
        if not groups or any(bool((group.answers[:, 0] < 0).any()) for group in groups):
            raise TrainingError("PCR has to be trained on questions with answers")
        self.visual = [group for group in groups if not group.needs_properties]
        self.physical = [group for group in groups if group.needs_properties and not (group.future or group.altered)]
        self.predicted = [group for group in groups if group.future or group.altered]
        self.suppositions = suppositions(sets.questions, device)

    def groups(self) -> list[dict[str, Any]]:
        dynamics = list(self.network.dynamics.parameters())
        chosen = {id(value) for value in dynamics}
        rest = [value for value in self.network.parameters() if id(value) not in chosen]
        return [{"params": rest}, {"params": dynamics, "scale": self.config.dynamics_rate}]

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        config = self.config
        at = progress if config.curriculum else 1.0
        draws = np.random.default_rng(step_seed(self.seed, step))
        found: dict[str, Tensor] = {}
        visual = _drawn(self.visual, config.visual_groups, draws)
        if visual:
            found["visual answers"] = self._answers(visual, physical=False)
        if at >= config.properties_from and self.physical:
            physical = _drawn(self.physical, config.physical_groups, draws)
            found["property answers"] = self._answers(physical, physical=True)
        if at >= config.properties_from and config.imagination and len(self.suppositions.rows):
            found["imagination"] = self._imagination()
        if at >= config.dynamics_from:
            found["motion"] = self._motion()
        if at >= config.predictions_from and self.predicted and step % config.predicted_every == 0:
            group = _drawn(self.predicted, 1, draws)
            found["predicted answers"] = self._answers(group, physical=True, most=config.predicted_questions)
        return found

    def _scenes(self, rows: Tensor, physical: bool) -> Scenes:
        noise = self.config.least_noise, self.config.most_noise
        tracks = with_noise(self.tracks[rows], *noise)
        scenes: Scenes = self.network(tracks, self.crops.rows(rows).drawn(self.config.crops), physical)
        return scenes

    def _answers(self, groups: list[Group], physical: bool, most: int | None = None) -> Tensor:
        """The mean loss of some questions of each of some skeletons."""
        sizes = [min(most or self.config.questions, len(group.rows)) for group in groups]
        chosen = [
            torch.randint(len(group.rows), (size,), device=self.device)
            for group, size in zip(groups, sizes, strict=True)
        ]
        rows = torch.cat([group.rows[numbers] for group, numbers in zip(groups, chosen, strict=True)])
        scenes = self._scenes(rows, physical)
        losses, first = [], 0
        for group, numbers in zip(groups, chosen, strict=True):
            part = scenes.rows(torch.arange(first, first + len(numbers), device=self.device))
            first += len(numbers)
            if group.future:
                part = self.network.with_future(part)[0]
            context = self.network.context(part, self.slots, soft=True)
            losses.append(
                answer_loss(execute(group.skeleton, group.literals[numbers], context), group.answers[numbers])
            )
        return torch.cat(losses).mean()

    def _imagination(self) -> Tensor:
        """The loss of what some counterfactual questions suppose."""
        known = self.suppositions
        numbers = torch.randint(len(known.rows), (self.config.suppositions,), device=self.device)
        scenes = self._scenes(known.rows[numbers], physical=True)
        context = self.network.context(scenes, self.slots, soft=True)
        described = describe(context, known.literals[numbers])
        place, holds = supposition_loss(described.values, scenes.scores, known.changes[numbers])  # type: ignore[union-attr]
        return 0.2 * place.mean() + holds.mean()

    def _motion(self) -> Tensor:
        """The loss of predicted motion in some clips, given the properties that the network infers."""
        rows = torch.randint(len(self.tracks), (self.config.worlds,), device=self.device)
        with torch.no_grad():
            self.network.eval()
            scenes = self._scenes(rows, physical=True)
            self.network.train()
        return dynamics_loss(
            self.network.dynamics, self.tracks[rows], hard_shapes(scenes), hard_properties(scenes.scores)
        )


def network_of(config: PcrConfig) -> PcrNetwork:
    """The untrained network."""
    return PcrNetwork(
        config.object_width,
        config.property_hidden,
        config.property_channels,
        config.dynamics_hidden,
        config.dropout,
        config.references,
        config.exclusive,
    )


def _drawn(groups: list[Group], number: int, draws: np.random.Generator) -> list[Group]:
    """Some of the skeletons, drawn by the root of their frequency."""
    if not groups:
        return []
    weights = np.sqrt([len(group.rows) for group in groups])
    numbers = draws.choice(len(groups), min(number, len(groups)), replace=False, p=weights / weights.sum())
    return [groups[k] for k in numbers]
