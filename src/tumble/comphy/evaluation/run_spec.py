"""ComPhy's run specification: an agent, and the questions that it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tumble.comphy.agents import REGISTRY
from tumble.comphy.dataset.layout import named_split
from tumble.comphy.evaluation.answer_key import cached_key, digest, world_of_data
from tumble.comphy.simulation.simulator import physics_id
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.task import task_id
from tumble.comphy.tasks.world import WORLDS
from tumble.runs.run_spec import RunSpec
from tumble.runs.task_limit import spread

TRAIN = "train"
"""The split that agents train on."""


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
        return physics_id(world_of_data(self.data).name)

    def key(self) -> list[QuestionSet]:
        """The questions to answer, with their answers."""
        key = cached_key(self.data, self.split)
        return spread(key.sets, self.limit, lambda questions: key.families[questions.index])

    def task_ids(self) -> list[str]:
        return [task_id(questions.index) for questions in self.key()]

    def places(self) -> tuple[str, ...]:
        return ("data",)

    def task_digests(self) -> dict[str, str | None]:
        learns = self.registry.class_of(self.agent).learns
        return {
            "train_sha256": digest(cached_key(self.data, TRAIN).sets) if learns else None,
            "questions_sha256": digest(self.key()),
        }

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), "data": ""}  # the same dataset may be in another folder

    def details(self, agent: Any) -> dict[str, Any]:
        return {
            "question_count": sum(len(of_set.questions) for of_set in self.key()),
            "may_use": "truth" if agent.uses_truth else "tracks",
            "left_out": len(cached_key(self.data, self.split).left_out),
        }
