"""The training of PCR from questions and answers, in lessons."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.track_tensors import TrackTensors, with_noise
from tumble.comphy.models.pcr.crops import rendered_crops
from tumble.comphy.models.pcr.dynamics_loss import dynamics_loss
from tumble.comphy.models.pcr.executor import execute
from tumble.comphy.models.pcr.losses import answer_loss, supposition_loss
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork, Scenes, hard_shapes, padded_tracks
from tumble.comphy.models.pcr.operators import Scores, describe
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
    """Whether the network knows the rule of ComPhy's sets: one body is heavy or one pair is charged, or nothing is."""
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
    place_weight: float = 0.2
    """Weight of the loss of where a supposed body is, relative to that of its property."""
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
    motion_every: int = 2
    """Steps of which one learns motion."""
    predicted_questions: int = 192
    """Options of predictive or counterfactual questions in a step of lesson four."""
    predicted_every: int = 6
    """Steps of lesson four of which one has such options: predicting worlds takes long."""
    motion_weight: float = 0.2
    """Weight of the loss of motion."""
    dynamics_rate: float = 1.5
    """Learning rate of the dynamics network, relative to the others."""
    world: str = PLAIN.name
    """Of the sets."""
    stages: int = 240
    """Different stages of pictures, in a world that has stages."""


class PcrTraining(Training):
    """Trains the grounder and the property network by answers, and the dynamics network by motion."""

    config_class = PcrConfig
    name = "pcr"
    config: PcrConfig
    network: PcrNetwork

    def __init__(self, config: PcrConfig, sets: PackedSets, device: torch.device, seed: int) -> None:
        self.config, self.seed, self.device = config, seed, device
        torch.manual_seed(seed)
        self.network = network_of(config).to(device)
        self.optimisation = Optimisation(config.learning_rate, config.weight_decay)
        self.tracks = padded_tracks(TrackTensors.from_packed(sets, device))
        self.crops = rendered_crops(sets, self.tracks, seed, config.stages)
        self.slots = LAYOUT.tensors(device)
        groups = grouped(asked_questions(sets.questions, sets.world), device, sets.world)
        if not groups or any(bool((group.answers[:, 0] < 0).any()) for group in groups):
            raise TrainingError("PCR has to be trained on questions with answers")
        self.visual = [group for group in groups if not group.needs_properties]
        self.physical = [group for group in groups if group.needs_properties and not (group.future or group.altered)]
        self.predicted = [group for group in groups if group.future or group.altered]
        self.suppositions = suppositions(sets.questions, device, sets.world)

    def groups(self) -> list[dict[str, Any]]:
        dynamics = list(self.network.dynamics.parameters())
        chosen = {id(value) for value in dynamics}
        rest = [value for value in self.network.parameters() if id(value) not in chosen]
        return [{"params": rest}, {"params": dynamics, "scale": self.config.dynamics_rate}]

    def losses(self, step: int, progress: float) -> Mapping[str, Tensor]:
        config = self.config
        at = progress if config.curriculum else 1.0
        draws = np.random.default_rng(step_seed(self.seed, step))
        parts = [self._draw(group) for group in _drawn(self.visual, config.visual_groups, draws)]
        visible = sum(len(part.numbers) for part in parts)
        physical = at >= config.properties_from
        if physical:
            parts += [self._draw(group) for group in _drawn(self.physical, config.physical_groups, draws)]
        rows = [part.group.rows[part.numbers] for part in parts]
        supposed = None
        if physical and config.imagination and len(self.suppositions.rows):
            supposed = torch.randint(len(self.suppositions.rows), (config.suppositions,), device=self.device)
            rows.append(self.suppositions.rows[supposed])
        scenes = self._scenes(torch.cat(rows), visible)
        found: dict[str, Tensor] = {}
        asked = 0
        for name, count in (("visual answers", visible), ("property answers", None)):
            chosen = [part for part in parts if part.group.needs_properties == (count is None)]
            if chosen:
                found[name] = self._answers(chosen, scenes, asked)
                asked += sum(len(part.numbers) for part in chosen)
        if supposed is not None:
            found["imagination"] = self._imagination(scenes, asked, supposed)
        if at >= config.dynamics_from and step % config.motion_every == 0:
            found["motion"] = self._motion(torch.cat(rows)[visible:], scenes, visible)
        if at >= config.predictions_from and self.predicted and step % config.predicted_every == 0:
            found["predicted answers"] = self._predicted(draws)
        return found

    def _draw(self, group: Group, most: int | None = None) -> "_Part":
        """Some questions of a skeleton."""
        size = min(most or self.config.questions, len(group.rows))
        return _Part(group, torch.randint(len(group.rows), (size,), device=self.device))

    def _scenes(self, rows: Tensor, visible: int = 0) -> Scenes:
        """Sets as the network understands them, from noisy tracks and some crops."""
        tracks = with_noise(self.tracks[rows], self.config.least_noise, self.config.most_noise)
        scenes: Scenes = self.network(tracks, self.crops.rows(rows).drawn(self.config.crops), visible)
        return scenes

    def _answers(self, parts: list["_Part"], scenes: Scenes, first: int) -> Tensor:
        """The mean loss of the answers to questions, whose scenes begin with number `first`."""
        losses = []
        for part in parts:
            own = scenes.rows(torch.arange(first, first + len(part.numbers), device=self.device))
            first += len(part.numbers)
            if part.group.future:
                own = self.network.with_future(own)[0]
            context = self.network.context(own, self.slots, soft=True)
            value = execute(part.group.skeleton, part.group.literals[part.numbers], context)
            losses.append(answer_loss(value, part.group.answers[part.numbers]))
        return torch.cat(losses).mean()

    def _imagination(self, scenes: Scenes, first: int, numbers: Tensor) -> Tensor:
        """The loss of what counterfactual questions suppose about scenes from number `first` on."""
        own = scenes.rows(torch.arange(first, first + len(numbers), device=self.device))
        context = self.network.context(own, self.slots, soft=True)
        described = describe(context, self.suppositions.literals[numbers])
        assert isinstance(described, Scores)
        place, holds = supposition_loss(described.values, own.scores, self.suppositions.changes[numbers])
        return self.config.place_weight * place.mean() + holds.mean()

    def _motion(self, rows: Tensor, scenes: Scenes, visible: int) -> Tensor:
        """The loss of predicted motion in clips of sets, given the properties that the network infers."""
        own = scenes.rows(torch.arange(visible, visible + len(rows), device=self.device))
        shapes, properties = hard_shapes(own), hard_properties(own.scores)
        loss = dynamics_loss(self.network.dynamics, self.tracks[rows], shapes, properties, self.config.references)
        return self.config.motion_weight * loss

    def _predicted(self, draws: np.random.Generator) -> Tensor:
        """The loss of answers about predicted collisions.

        It teaches how collisions in predicted tracks are told, and words; neither properties nor dynamics, since tracks
        are predicted from the likeliest properties without a gradient.
        """
        (group,) = _drawn(self.predicted, 1, draws)
        part = self._draw(group, self.config.predicted_questions)
        return self._answers([part], self._scenes(group.rows[part.numbers]), 0)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some questions of a skeleton."""

    group: Group
    numbers: Tensor
    """int64 [question]."""


ARCHITECTURE = (
    *("object_width", "property_hidden", "property_channels", "dynamics_hidden", "dropout"),
    *("references", "exclusive"),
)
"""The settings that the network depends on; the others are those of its training."""


def network_of(config: PcrConfig) -> PcrNetwork:
    """The untrained network."""
    return PcrNetwork(**{name: getattr(config, name) for name in ARCHITECTURE}, world=config.world)


def _drawn(groups: list[Group], number: int, draws: np.random.Generator) -> list[Group]:
    """Some of the skeletons, drawn by the root of their frequency."""
    if not groups:
        return []
    weights = np.sqrt([len(group.rows) for group in groups])
    numbers = draws.choice(len(groups), min(number, len(groups)), replace=False, p=weights / weights.sum())
    return [groups[k] for k in numbers]
