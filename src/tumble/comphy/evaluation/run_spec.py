"""ComPhy's run specification: an agent, and the questions that it answers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tumble.comphy.agents import REGISTRY
from tumble.comphy.catalogue.task import QuestionSet, task_id
from tumble.comphy.catalogue.world import WORLDS
from tumble.comphy.dataset.layout import named_split
from tumble.comphy.evaluation.answer_key import cached_key, questions_digest, world_of_data
from tumble.comphy.simulation.simulator import physics_id
from tumble.errors import TumbleError
from tumble.runs.log import LogError
from tumble.runs.participant import NOT_AGENTS, ColumnType
from tumble.runs.spec import RunSpec, header_digest, possible_data_folders, search_folders, spread_over_groups

TRAIN_DIGEST, QUESTIONS_DIGEST = "train_sha256", "questions_sha256"
TRAIN = "train"
"""The split that agents train on."""

_located: dict[tuple[Any, ...], str] = {}
"""Folders of datasets by the digest of their questions, and by the folders in which they were looked for."""


@dataclass(frozen=True)
class ComPhyRunSpec(RunSpec):
    """An agent trains on the train split of a dataset and answers the questions of a split."""

    benchmark = "comphy"
    registry = REGISTRY

    data: str
    """The folder of the dataset."""
    split: str = "test"

    def __post_init__(self) -> None:
        super().__post_init__()
        named_split(self.split)

    def own_columns(self) -> Mapping[str, ColumnType]:
        """Of a question: which options were answered correctly, or whether it was; kind, template and answers; and of
        its set what the agent inferred (`result.rows_of`)."""
        texts = ("kind", "family", "answer", "found", "given", "trained", "concepts")
        return {"correct": "flags", **dict.fromkeys(texts, "text")}

    @property
    def title(self) -> str:
        return f"{super().title}, {self.data}"

    def name_parts(self) -> Sequence[object]:
        return (self.split,)

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    @classmethod
    def all_physics(cls) -> tuple[str, ...]:
        return tuple(world.physics for world in WORLDS.values())

    def physics(self) -> str:
        return physics_id(world_of_data(self.folder).name)

    @property
    def folder(self) -> str:
        """The folder of the dataset; of a log the one whose questions have the log's digest."""
        return str(self.located().get("data", self.data))

    def data_folders(self) -> tuple[Path, ...]:
        return () if self.source is not None else (Path(self.data),)

    def key(self) -> list[QuestionSet]:
        """The questions to answer, with their answers."""
        return self._key_in(self.folder)

    def _key_in(self, folder: str) -> list[QuestionSet]:
        key = cached_key(folder, self.split)
        return spread_over_groups(key.sets, self.limit, lambda questions: key.families[questions.index])

    def located(self) -> dict[str, Any]:
        if self.source is None:
            return {}
        wanted = header_digest(self.source, QUESTIONS_DIGEST)
        key = (wanted, *search_folders(self.source))
        if key in _located:
            return {"data": _located[key]}
        places = sorted(possible_data_folders(self.source), key=lambda place: place.name != self.data)
        for place in map(str, places):
            with suppress(TumbleError, OSError):
                if questions_digest(self._key_in(place)) == wanted:
                    _located[key] = place
                    return {"data": place}
        where = ", ".join(map(str, search_folders(self.source))) or "any folder that was named"
        raise LogError(
            f"the dataset of this run, {self.data} (questions {wanted[:12]}…), is not in {where}; "
            "name its folder with --data DIR"
        )

    def task_ids(self) -> list[str]:
        return [task_id(questions.index) for questions in self.key()]

    def places(self) -> tuple[str, ...]:
        return ("data",)

    @property
    def learns(self) -> bool:
        """Whether the agent is trained with the train split."""
        if self.source is not None:  # the class of a user's agent is not asked: that would run it
            return self.source.digests.get(TRAIN_DIGEST) is not None
        return self.agent not in NOT_AGENTS and bool(self.registry.class_of(self.agent).learns)

    def task_digests(self) -> dict[str, str | None]:
        return {
            TRAIN_DIGEST: questions_digest(cached_key(self.folder, TRAIN).sets) if self.learns else None,
            QUESTIONS_DIGEST: questions_digest(self.key()),
        }

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "data": ""}  # the same dataset may be in another folder

    def details(self, agent: Any) -> dict[str, Any]:
        return {
            "question_count": sum(len(of_set.questions) for of_set in self.key()),
            "left_out": len(cached_key(self.folder, self.split).left_out),
        }
