"""The training of PCR from questions and answers, in lessons.

Besides the losses of answers and of what counterfactual questions suppose, there is one of predicted motion on
observed tracks: on short clips, more of them where bodies are near each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, logsigmoid, pad

from tumble.comphy.catalogue.world import PLAIN
from tumble.comphy.models.data.packed_sets import PackedSets
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors, with_noise
from tumble.comphy.models.graph.dynamics import DynamicsNetwork, Properties
from tumble.comphy.models.graph.losses import window_loss
from tumble.comphy.models.pcr.concepts import HEAVIER, LIGHTER, PROPERTIES, ConceptScores, SlotLayout
from tumble.comphy.models.pcr.crops import rendered_crops
from tumble.comphy.models.pcr.grounder import pair_distances
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork, Scenes, hard_properties, hard_shapes, padded_tracks
from tumble.comphy.models.pcr.operators import (
    LogPairs,
    LogWords,
    Number,
    Scores,
    Value,
    YesNo,
    describe,
    property_scores,
)
from tumble.comphy.models.pcr.programs import QuestionGroup, asked_questions, execute, grouped_by_skeleton, suppositions
from tumble.learning.harness import LossTraining, Optimisation, step_seed
from tumble.learning.settings import TrainingError

COUNT_WEIGHT = 0.5
SUPPOSITION_MARGIN = 1.0
"""By which the body that a description names should be ahead of the next one."""


def answer_loss(value: Value, answers: Tensor) -> Tensor:
    """[question]: cross entropy of words and of yes and no, squared error of counts.

    Two words may be in either order: the loss is that of both pairings together.
    """
    if isinstance(value, YesNo):
        return binary_cross_entropy_with_logits(value.score, answers[:, 0].to(value.score.dtype), reduction="none")
    if isinstance(value, Number):
        return COUNT_WEIGHT * (value.value - answers[:, 0].to(value.value.dtype)) ** 2
    if isinstance(value, LogWords):
        return -value.values.gather(-1, answers[:, :1]).squeeze(-1)
    assert isinstance(value, LogPairs)
    questions = torch.arange(len(answers), device=answers.device)
    return -value.values[questions, answers[:, 0], answers[:, 1]]


def supposition_loss(described: Tensor, scenes: ConceptScores, changes: Tensor) -> tuple[Tensor, Tensor]:
    """What a counterfactual question says about the scene: losses [question] of the place and of the property.

    There is one body of its description, with scores [question, body]. It is light if it could be heavier, heavy if it
    could be lighter, and charged if its charge could be removed or negated.
    """
    best, second = described.topk(2, dim=-1).values.unbind(-1)
    place = torch.relu(SUPPOSITION_MARGIN - (best - second)) + torch.relu(SUPPOSITION_MARGIN - best)
    scores = property_scores(scenes)
    wanted = torch.full_like(changes, PROPERTIES.index("charged"))
    wanted = torch.where(changes == HEAVIER, PROPERTIES.index("light"), wanted)
    wanted = torch.where(changes == LIGHTER, PROPERTIES.index("heavy"), wanted)
    held = scores.gather(-1, wanted[:, None, None].expand(-1, scores.shape[1], 1)).squeeze(-1)
    weights = described.detach().softmax(-1)
    return place, -(weights * logsigmoid(held)).sum(-1)


STEPS = 12
"""Frames of a clip that are predicted."""
BEFORE = 3
"""Frames of a clip before them, from which the velocities at its start are known."""
NEAR_DISTANCE = 1.0
"""Distance below which bodies may act on each other."""
ELSEWHERE_WEIGHT = 0.08
"""Weight of clips without bodies near each other, relative to those with."""


def dynamics_loss(
    dynamics: DynamicsNetwork, tracks: TrackTensors, shapes: Tensor, properties: Properties, references: bool = True
) -> Tensor:
    """The loss of one clip of each set's target and, if wanted, one of one of its references, in one batch."""
    rows = torch.arange(len(tracks), device=tracks.device)
    clips = [_clip(tracks.target, rows)]
    if references:
        chosen = torch.randint(tracks.references.present.shape[1], (len(tracks),), device=tracks.device)
        one = tracks.references
        video = VideoTensors(*(part[rows, chosen] for part in (one.places, one.yaws, one.boxes, one.present)))
        clips.append(_clip(video, rows))
        shapes = torch.cat([shapes, shapes])
        properties = Properties(torch.cat([properties.heavy] * 2), torch.cat([properties.relations] * 2))
    joined = VideoTensors(
        *(torch.cat([getattr(clip, name) for clip in clips]) for name in ("places", "yaws", "boxes", "present"))
    )
    return window_loss(dynamics, joined, shapes, properties, STEPS)


def _clip(video: VideoTensors, rows: Tensor) -> VideoTensors:
    """Clips of videos [world, frame, body, …], of BEFORE + 1 + STEPS frames each, drawn at random."""
    frames = _clip_starts(video)[:, None] + torch.arange(-BEFORE, STEPS + 1, device=rows.device)
    index = rows[:, None], frames
    return VideoTensors(video.places[index], video.yaws[index], video.boxes[index], video.present[index])


def _clip_starts(video: VideoTensors) -> Tensor:
    """int64 [world]: the frames that clips are predicted from, drawn at random."""
    layout = SlotLayout(video.present.shape[-1])
    near = (pair_distances(video.places, video.present, layout) < NEAR_DISTANCE).any(1).to(video.places.dtype)
    ahead = pad(near, (0, STEPS - 1)).unfold(-1, STEPS, 1).amax(dim=-1)
    weights = ELSEWHERE_WEIGHT + ahead
    weights[:, :BEFORE] = 0.0
    weights[:, near.shape[1] - STEPS :] = 0.0
    return torch.multinomial(weights, 1).squeeze(-1)


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


class PcrTraining(LossTraining):
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
        groups = grouped_by_skeleton(asked_questions(sets.questions, sets.world), device, sets.world)
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
        parts = [self._draw(group) for group in _drawn_skeletons(self.visual, config.visual_groups, draws)]
        visible = sum(len(part.numbers) for part in parts)
        physical = at >= config.properties_from
        if physical:
            parts += [self._draw(group) for group in _drawn_skeletons(self.physical, config.physical_groups, draws)]
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

    def _draw(self, group: QuestionGroup, most: int | None = None) -> "_Part":
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
        (group,) = _drawn_skeletons(self.predicted, 1, draws)
        part = self._draw(group, self.config.predicted_questions)
        return self._answers([part], self._scenes(group.rows[part.numbers]), 0)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some questions of a skeleton."""

    group: QuestionGroup
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


def _drawn_skeletons(groups: list[QuestionGroup], number: int, draws: np.random.Generator) -> list[QuestionGroup]:
    """Some of the skeletons, drawn by the root of their frequency."""
    if not groups:
        return []
    weights = np.sqrt([len(group.rows) for group in groups])
    numbers = draws.choice(len(groups), min(number, len(groups)), replace=False, p=weights / weights.sum())
    return [groups[k] for k in numbers]
