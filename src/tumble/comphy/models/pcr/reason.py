"""A trained network applied to one set: what it sees, infers and predicts, its answers and the steps to them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.models.data.matched_truth import MatchedTruth
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.pcr.concept_scores import Altered
from tumble.comphy.models.pcr.crops import crops_of_videos
from tumble.comphy.models.pcr.executor import answers, execute, trace
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork, Scenes, padded_tracks
from tumble.comphy.models.pcr.operators import Context, Value
from tumble.comphy.models.pcr.question_table import Asked, Group, grouped
from tumble.comphy.models.pcr.slots import SlotTensors
from tumble.comphy.models.pcr.training import ARCHITECTURE, PcrConfig, network_of
from tumble.comphy.models.pcr.true_scores import collision_scores, property_scores
from tumble.comphy.models.pcr.words import OPPOSITE, SAME, words_of
from tumble.comphy.models.pcr.worlds import CONTEXT, PredictedTracks
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.models.shipped import checkpoint_path, world_in
from tumble.learning.errors import TrainingError
from tumble.learning.trainer import load_network


@dataclass(frozen=True, eq=False)
class Understanding:
    """The network's results for one set."""

    network: PcrNetwork
    scenes: Scenes
    """Of this one set, with its future."""
    future: PredictedTracks
    kept: tuple[int, ...]
    """The perceived bodies that there is room for."""
    changed: dict[tuple[int, int], tuple[Tensor, np.ndarray]] = field(default_factory=dict)
    """By body and change, as far as they were asked for: scores of collisions [pair], and places as in motions."""
    true_future: np.ndarray | None = None
    """float64 [frame, body, 2]: places after the shown frames, if the truth is given in place of a prediction."""

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies with the words of the highest scores and the likeliest hidden properties."""
        scores = self.scenes.scores
        heavy = (scores.heavy[0] > 0).tolist()
        charges = _charges(scores.relations[0].argmax(-1))
        words = words_of(self.network.world)
        looks = [
            [words.all[first + k] for k in scores.words[0, :, first : first + count].argmax(-1).tolist()]
            for first, count in words.spans
        ]
        return tuple(
            Body(color, material, shape, HEAVY if heavy[body] else LIGHT, charges[body])
            for body, (color, material, shape) in enumerate(zip(*looks, strict=True))
            if body < len(self.kept)
        )

    def answers(self, asked: Sequence[Asked]) -> dict[tuple[int, int | None], str]:
        """The answers to questions and options, by the ids of questions and the positions of options."""
        groups = grouped(asked, self.scenes.tracks.device, self.network.world)
        self._predict_changes([group for group in groups if group.altered])
        found = {}
        with torch.no_grad():
            for group in groups:
                value = execute(group.skeleton, group.literals, self._context(len(group.asked), self._altered))
                for one, answer in zip(group.asked, answers(group.skeleton, value), strict=True):
                    found[one.question.id, one.choice] = answer
        return found

    def _context(self, questions: int, altered: Altered) -> Context:
        """What programs run on, for a number of questions."""
        rows = torch.zeros(questions, dtype=torch.long, device=self.scenes.tracks.device)
        return Context(self.scenes.scores.rows(rows), self._slots, altered, soft=False)

    @cached_property
    def _slots(self) -> SlotTensors:
        return LAYOUT.tensors(self.scenes.tracks.device)

    def _predict_changes(self, groups: Sequence[Group]) -> None:
        """Predicts all worlds that counterfactual questions are about, together: one after the other takes longer."""
        wanted: set[tuple[int, int]] = set()

        def note(weights: Tensor, change: Tensor) -> Tensor:
            wanted.update(zip(weights.argmax(-1).tolist(), change.tolist(), strict=True))
            return torch.zeros(len(weights), len(LAYOUT.pairs), device=weights.device)

        with torch.no_grad():
            for group in groups:
                execute(group.skeleton, group.literals, self._context(len(group.asked), note))
            self._predict(sorted(wanted - self.changed.keys()))

    def _predict(self, wanted: Sequence[tuple[int, int]]) -> None:
        """Predicts the worlds after some changes, each of a body, that are not known yet."""
        if not wanted:
            return
        device = self.scenes.tracks.device
        body, change = torch.tensor(wanted, device=device).unbind(-1)
        scores, tracks = self.network.altered(self.scenes.rows(torch.zeros_like(body)), self._slots, body, change)
        for row, key in enumerate(wanted):
            self.changed[key] = scores[row], _masked(tracks.places[row], tracks.in_view[row])

    def _altered(self, weights: Tensor, change: Tensor) -> Tensor:
        """The scores of collisions after changes."""
        keys = list(zip(weights.argmax(-1).tolist(), change.tolist(), strict=True))
        with torch.no_grad():
            self._predict(sorted(set(keys) - self.changed.keys()))
        return torch.stack([self.changed[key][0] for key in keys])

    def trace(self, one: Asked) -> list[tuple[str, Value]]:
        """The steps of the program of one question or option, and their results."""
        (group,) = grouped([one], self.scenes.tracks.device, self.network.world)
        with torch.no_grad():
            values = trace(group.skeleton, group.literals, self._context(1, self._altered))
        return [(step.operation, value) for step, value in zip(group.skeleton.steps, values, strict=True)]

    @property
    def future_motion(self) -> np.ndarray:
        """float64 [frame, body, 2]: places in the shown frames and after them; NaN where a body is not in view."""
        target = self.scenes.tracks.target
        if self.true_future is not None:
            shown = _masked(target.places[0], target.present[0])[:, : len(self.kept)]
            return np.concatenate([shown, self.true_future])
        places = torch.cat([target.places[0], self.future.places[0, CONTEXT:]])
        seen = torch.cat([target.present[0], self.future.in_view[0, CONTEXT:]])
        return _masked(places, seen)[:, : len(self.kept)]

    def altered_motion(self, alteration: Alteration) -> np.ndarray:
        """float64 [frame, body, 2]: places in the shown frames after a change; NaN where a body is not in view."""
        key = alteration.body, CHANGES.index(alteration.change)
        with torch.no_grad():
            self._predict([key] if key not in self.changed else [])
        return self.changed[key][1][:, : len(self.kept)]


def load_pcr(name: str, checkpoint: str | Path = "") -> PcrNetwork:
    """The network of a checkpoint; without one, that which comes with the package under this name."""
    path = checkpoint_path(name, checkpoint)
    content = load_network(path, name)
    try:
        network = network_of(PcrConfig(**{name: content["config"][name] for name in ARCHITECTURE}, **world_in(content)))
        network.load_state_dict({key: value.float() for key, value in content["network"].items()})
    except (KeyError, TypeError, RuntimeError) as error:
        raise TrainingError(f"{path}: not a checkpoint of this version's PCR ({type(error).__name__})") from None
    return network.eval()


def understand(
    network: PcrNetwork,
    perception: Perception,
    videos: tuple[np.ndarray, ...],
    properties: MatchedTruth | None = None,
    dynamics: MatchedTruth | None = None,
) -> Understanding:
    """The network's results for the pictures of a set and the tracks that were found in them.

    The truth may be given in place of inferred properties, and of predicted worlds.
    """
    tracks = TrackTensors.from_perceptions([perception], torch.device("cpu"))
    tracks, kept = _limited(tracks, LAYOUT.bodies)
    tracks = padded_tracks(tracks)
    with torch.no_grad():
        scenes = network(tracks, crops_of_videos(videos, tracks))
        if properties is not None:
            bodies = properties.of(kept).bodies([perception.appearances[k] for k in kept])
            heavy, relations = property_scores(bodies, LAYOUT)
            scenes = replace(scenes, scores=replace(scenes.scores, heavy=heavy, relations=relations))
        scenes, future = network.with_future(scenes)
    found = Understanding(network, scenes, future, kept)
    return found if dynamics is None else _with_true_worlds(found, dynamics.of(kept))


def _with_true_worlds(found: Understanding, truth: MatchedTruth) -> Understanding:
    """The scores with true collisions after the shown frames and after changes in place of predicted ones."""
    scores = replace(found.scenes.scores, future=collision_scores(truth.future.events, LAYOUT)[None])
    changed = {
        (alteration.body, CHANGES.index(alteration.change)): (collision_scores(world.events, LAYOUT), world.places)
        for alteration, world in truth.altered.items()
    }
    scenes = replace(found.scenes, scores=scores)
    return replace(found, scenes=scenes, changed=changed, true_future=truth.future.places)


def _limited(tracks: TrackTensors, most: int) -> tuple[TrackTensors, tuple[int, ...]]:
    """The bodies that are seen in the most frames of the target, in their order, and their numbers."""
    count = tracks.shapes.shape[1]
    if count <= most:
        return tracks, tuple(range(count))
    numbers = tracks.target.present[0].sum(0).topk(most).indices.sort().values

    def chosen(video: VideoTensors, axis: int) -> VideoTensors:
        return VideoTensors(
            *(one.index_select(axis, numbers) for one in (video.places, video.yaws, video.boxes, video.present))
        )

    limited = replace(
        tracks,
        shapes=tracks.shapes[:, numbers],
        target=chosen(tracks.target, 2),
        references=chosen(tracks.references, 3),
    )
    return limited, tuple(numbers.tolist())


def _charges(relations: Tensor) -> list[int]:
    """Charges of bodies with relations [body, body]; the first of a pair is positive, since its sign can't be seen."""
    charges = [0] * len(relations)
    for one, row in enumerate(relations.tolist()):
        for other, relation in enumerate(row):
            if other > one and relation in (SAME, OPPOSITE):
                charges[one] = charges[one] or 1
                charges[other] = charges[other] or charges[one] * (1 if relation == SAME else -1)
    return charges


def _masked(places: Tensor, seen: Tensor) -> np.ndarray:
    return torch.where(seen[..., None], places, torch.nan).double().numpy()
