"""Answers of a trained network to the questions about many sets, and its accuracy by family."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import fields

import torch

from tumble.comphy.models.data.track_tensors import TrackTensors, VideoTensors
from tumble.comphy.models.pcr.concept_scores import ConceptScores
from tumble.comphy.models.pcr.crops import Crops
from tumble.comphy.models.pcr.executor import answers, execute
from tumble.comphy.models.pcr.network import LAYOUT, PcrNetwork, Scenes
from tumble.comphy.models.pcr.question_table import Asked, Group, grouped
from tumble.comphy.questions.answers import same_answer

SETS_AT_ONCE = 100


def understood(network: PcrNetwork, tracks: TrackTensors, crops: Crops) -> Scenes:
    """The scenes of many sets, with what will happen after the shown frames."""
    network.eval()
    parts = []
    with torch.no_grad():
        for first in range(0, len(tracks), SETS_AT_ONCE):
            rows = torch.arange(first, min(first + SETS_AT_ONCE, len(tracks)), device=tracks.device)
            scenes = network(tracks[rows], crops.rows(rows))
            parts.append(network.with_future(scenes)[0])
    return _joined(parts)


def _joined(parts: Sequence[Scenes]) -> Scenes:
    def video(name: str) -> VideoTensors:
        found = [getattr(part.tracks, name) for part in parts]
        return VideoTensors(*(torch.cat([getattr(one, field.name) for one in found]) for field in fields(VideoTensors)))

    shapes = torch.cat([part.tracks.shapes for part in parts])
    tracks = TrackTensors(shapes, video("target"), video("references"))
    columns = {
        field.name: torch.cat([getattr(part.scores, field.name) for part in parts]) for field in fields(ConceptScores)
    }
    return Scenes(tracks, ConceptScores(**columns))


def answered(network: PcrNetwork, scenes: Scenes, asked: Sequence[Asked]) -> Iterator[tuple[Asked, str]]:
    """The answer to each question and option, skeleton by skeleton."""
    slots = LAYOUT.tensors(scenes.tracks.device)
    network.eval()
    with torch.no_grad():
        for group in grouped(asked, scenes.tracks.device):
            for part in _parts(group):
                context = network.context(scenes.rows(group.rows[part]), slots, soft=False)
                value = execute(group.skeleton, group.literals[part], context)
                yield from zip(group.asked[part], answers(group.skeleton, value), strict=True)


def _parts(group: Group) -> Iterator[slice]:
    return (slice(first, first + 256) for first in range(0, len(group.asked), 256))


def accuracy_by_family(network: PcrNetwork, scenes: Scenes, asked: Sequence[Asked]) -> dict[str, tuple[float, int]]:
    """Share of right answers (of options, where a question has any) and their number, by family and by kind."""
    right: dict[str, list[bool]] = defaultdict(list)
    for one, answer in answered(network, scenes, asked):
        hit = one.answer is not None and same_answer(answer, one.answer)
        right[one.question.family].append(hit)
        right[one.question.kind].append(hit)
    return {name: (sum(hits) / len(hits), len(hits)) for name, hits in sorted(right.items())}
