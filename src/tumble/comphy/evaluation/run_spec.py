"""ComPhy's run specification: which agent answers the questions of which data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tumble.comphy.agents import REGISTRY
from tumble.comphy.evaluation.answer_key import digest, known_key, named_split
from tumble.comphy.evaluation.log_rows import task_id
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.question import QuestionSet
from tumble.runs.run_spec import RunSpec

TRAIN = "train"
"""The split that agents train on."""


@dataclass(frozen=True)
class ComPhyRunSpec(RunSpec):
    """An agent trains on the train split of some data and answers the questions of another split."""

    benchmark = "comphy"
    registry = REGISTRY

    data: str
    """The folder of the data."""
    split: str = "test"

    def __post_init__(self) -> None:
        super().__post_init__()
        named_split(self.split)

    @property
    def title(self) -> str:
        return f"{super().title}, {self.data}"

    def name_parts(self) -> Sequence[object]:
        return (self.split,)

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    def key(self) -> list[QuestionSet]:
        """The questions that are asked, with the right answers."""
        return list(known_key(self.data, self.split).sets[: self.limit])

    def task_ids(self) -> list[str]:
        return [task_id(own.index) for own in self.key()]

    def task_digests(self) -> dict[str, str | None]:
        learns = self.registry.class_of(self.agent).learns
        return {
            "train_sha256": digest(known_key(self.data, TRAIN).sets) if learns else None,
            "questions_sha256": digest(self.key()),
        }

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "data": ""}  # the same data in another folder is the same data

    def details(self, agent: Any) -> dict[str, Any]:
        return {"question_count": sum(len(own.questions) for own in self.key())}
