"""A trained network applied to one set: what it sees, infers and predicts, its answers and the steps to them.

The concept scores of a true scene, which a network that knows everything would give, take the place of its own to
test and to find errors.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, world_of_bodies
from tumble.comphy.catalogue.video_set import CHANGES, Alteration
from tumble.comphy.catalogue.world import SHOWN_FRAMES
from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.pcr.concepts import (
    COLLISION,
    END,
    IN,
    LIMIT,
    NONE,
    OPPOSITE,
    OUT,
    SAME,
    START,
    Altered,
    ConceptScores,
    SlotLayout,
    SlotTensors,
    words_of,
)
from tumble.comphy.models.pcr.crops import crops_of_videos
from tumble.comphy.models.pcr.network import CONTEXT, LAYOUT, PcrNetwork, PredictedTracks, Scenes, padded_tracks
from tumble.comphy.models.pcr.operators import Context, Value
from tumble.comphy.models.pcr.programs import (
    Asked,
    QuestionGroup,
    answer_texts,
    execute,
    grouped_by_skeleton,
    trace_skeleton,
)
from tumble.comphy.models.pcr.training import PcrConfig, network_of
from tumble.comphy.models.perceiver.perception import MatchedTruth, Perception
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.program import NULL
from tumble.comphy.questions.symbolic_scene import VISIBLE_KINDS, ProgramContext, SymbolicScene, shown_frame
from tumble.comphy.simulation.events import DIRECTIONS, Event
from tumble.learning.checkpoint import load_network
from tumble.learning.settings import TrainingError

_KINDS = {"in": IN, "out": OUT, "collision": COLLISION}


def true_scores(scene: SymbolicScene, layout: SlotLayout) -> ConceptScores:
    """The scores of one true scene, [1, …]; events beyond the slots of the layout are left out."""
    context = ProgramContext(scene)
    frames, happens = _true_slots(scene, layout)
    count = len(scene.bodies)
    known = words_of(world_of_bodies(scene.bodies)).all
    words = np.zeros((layout.bodies, len(known)), bool)
    directions = np.zeros((layout.bodies, len(frames) + 1, len(DIRECTIONS)), bool)
    moving = np.zeros((layout.bodies, len(frames) + 1, 2), bool)
    moments: list[int | str] = [*map(shown_frame, frames), NULL]
    for place, moment in enumerate(moments):
        is_moving, is_visible = context.moving_in(moment), context.visible_in(moment)
        moving[:count, place, 0], moving[:count, place, 1] = is_moving, is_visible & ~is_moving
    for body, properties in enumerate(scene.bodies):
        words[body] = [word in properties.appearance for word in known]
        for place, moment in enumerate(moments):
            directions[body, place] = [context.direction(body, moment) == word for word in DIRECTIONS]
    heavy, relations = property_scores(scene.bodies, layout)
    return ConceptScores(
        present=torch.arange(layout.bodies)[None] < count,
        words=_sure_scores(words),
        moving=_sure_scores(moving[:, -1]),
        moving_at=_sure_scores(moving[:, :-1]),
        direction=_sure_scores(directions[:, -1]),
        direction_at=_sure_scores(directions[:, :-1]),
        events=_sure_scores(happens),
        frames=torch.tensor(frames)[None],
        heavy=heavy,
        relations=relations,
        future=collision_scores(scene.future_events, layout)[None],
    )


def property_scores(bodies: Sequence[Body], layout: SlotLayout) -> tuple[Tensor, Tensor]:
    """The scores of known properties: heavy [1, body], and log probabilities of relations [1, body, body, 3]."""
    heavy = np.zeros(layout.bodies, bool)
    heavy[: len(bodies)] = [body.is_heavy for body in bodies]
    charges = np.zeros(layout.bodies, int)
    charges[: len(bodies)] = [body.charge for body in bodies]
    products = np.outer(charges, charges) * (1 - np.eye(layout.bodies, dtype=int))
    relations = np.select([products > 0, products < 0], [SAME, OPPOSITE], NONE)
    sure = torch.nn.functional.one_hot(torch.from_numpy(relations).long(), 3) * LIMIT
    return _sure_scores(heavy), sure.to(torch.float32).log_softmax(-1)[None]


def true_changes(scene: SymbolicScene, layout: SlotLayout) -> Altered:
    """The collisions of the true counterfactual worlds; none after a change that questions are not about."""
    worlds = torch.full((layout.bodies, len(CHANGES), len(layout.pairs)), -LIMIT)
    for body in range(len(scene.bodies)):
        for k, change in enumerate(CHANGES):
            worlds[body, k] = collision_scores(scene.altered_events.get(Alteration(body, change), ()), layout)

    def altered(body: Tensor, change: Tensor) -> Tensor:
        return worlds[body.argmax(-1), change]

    return altered


def _true_slots(scene: SymbolicScene, layout: SlotLayout) -> tuple[list[int], np.ndarray]:
    """The frame of each slot, and whether its event happens."""
    frames, happens = [0] * len(layout), np.zeros(len(layout), bool)
    numbers: dict[tuple[int, tuple[int, ...]], int] = defaultdict(int)
    for event in scene.shown_events:
        if event.kind not in VISIBLE_KINDS:
            continue
        key = _KINDS[event.kind], event.bodies
        number = numbers[key]
        numbers[key] += 1
        if number < (layout.collisions if event.kind == "collision" else layout.passages):
            slot = layout.slot_of(*key, number)
            frames[slot], happens[slot] = event.frame, True
    for kind, frame in ((START, 0), (END, SHOWN_FRAMES)):
        slot = layout.kinds.index(kind)
        frames[slot], happens[slot] = frame, True
    return frames, happens


def collision_scores(events: tuple[Event, ...], layout: SlotLayout) -> Tensor:
    """[pair]: whether each pair collides."""
    colliding = {event.bodies for event in events if event.kind == "collision"}
    return torch.tensor([LIMIT if pair in colliding else -LIMIT for pair in layout.pairs])


def _sure_scores(holds: np.ndarray) -> Tensor:
    """Scores [1, …] of what is known."""
    return torch.where(torch.from_numpy(holds), LIMIT, -LIMIT)[None]


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
        groups = grouped_by_skeleton(asked, self.scenes.tracks.device, self.network.world)
        self._predict_changes([group for group in groups if group.altered])
        found = {}
        with torch.no_grad():
            for group in groups:
                value = execute(group.skeleton, group.literals, self._context(len(group.asked), self._altered))
                for one, answer in zip(group.asked, answer_texts(group.skeleton, value), strict=True):
                    found[one.question.id, one.choice] = answer
        return found

    def _context(self, questions: int, altered: Altered) -> Context:
        """What programs run on, for a number of questions."""
        rows = torch.zeros(questions, dtype=torch.long, device=self.scenes.tracks.device)
        return Context(self.scenes.scores.rows(rows), self._slots, altered, soft=False)

    @cached_property
    def _slots(self) -> SlotTensors:
        return LAYOUT.tensors(self.scenes.tracks.device)

    def _predict_changes(self, groups: Sequence[QuestionGroup]) -> None:
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
        (group,) = grouped_by_skeleton([one], self.scenes.tracks.device, self.network.world)
        with torch.no_grad():
            values = trace_skeleton(group.skeleton, group.literals, self._context(1, self._altered))
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
        network = network_of(PcrConfig(**content["config"]))
        network.load_state_dict(content["network"])
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
