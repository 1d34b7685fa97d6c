"""PHYRE's run specification: an agent, and the tasks of a fold that it attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from tumble.engine import physics_id
from tumble.phyre.agents import REGISTRY
from tumble.phyre.catalogue import task_files, task_json
from tumble.phyre.catalogue.task import MAX_ATTEMPTS, Task, TaskError, digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import FOLDS, Fold, fold, published_tasks, setting_named, template_of
from tumble.runs.participant import ColumnType
from tumble.runs.spec import RunSpec, RunSpecError, header_digest, spread_over_groups, task_file_name, task_file_of

SPLITS = ("test", "validation")
TASK_FILE, TASKS_DIGEST = "tasks", "tasks_sha256"


@dataclass(frozen=True)
class PhyreRunSpec(RunSpec):
    """An agent trains on the training tasks of a fold and attempts its test tasks."""

    benchmark = "phyre"
    registry = REGISTRY
    no_effect = {"store": None, "device": "cpu"}  # noqa: RUF012 (constant)

    setting: str
    """One of `splits.SETTINGS`, or of `splits.BALANCED_SETTINGS`."""
    fold: int = 0
    split: str = "test"
    """Tasks to attempt: "test", after training on all others, or "validation", for tuning."""
    tasks: str | None = None
    """A file of user-defined tasks to attempt instead; the agent still trains on the fold's training tasks."""
    attempts: int = MAX_ATTEMPTS
    store: str | None = None
    """A sweep store of known outcomes, "none", or None for the package's; it never changes a result."""
    device: str = "cpu"
    """Where the physics runs; it never changes a result."""

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            setting_named(self.setting)
        except TaskError as error:
            raise RunSpecError(str(error)) from None
        if self.split not in SPLITS:
            raise RunSpecError(f"no split {self.split!r}; there are {', '.join(SPLITS)}")
        if not 0 <= self.fold < FOLDS:
            raise RunSpecError(f"no fold {self.fold}; there are 0 to {FOLDS - 1}")

    def own_columns(self) -> Mapping[str, ColumnType]:
        """The action, which is empty where a model's answer could not be read; and the steps that were simulated."""
        return {"action": "numbers", "steps": "whole?"}

    @property
    def tier(self) -> str:
        return setting_named(self.setting).tier

    @property
    def title(self) -> str:
        return ", ".join([*self.agent_words, self.setting, f"fold {self.fold}", f"seed {self.seed}"])

    def name_parts(self) -> Sequence[object]:
        return self.setting, self.fold

    @classmethod
    def physics_id(cls) -> str:
        return physics_id()

    def _fold(self) -> Fold:
        return fold(self.setting, self.fold)

    def task_ids(self) -> list[str]:
        fold = self._fold()
        published = fold.test if self.split == "test" else fold.validation
        return spread_over_groups(list(published if self.tasks is None else self.user_tasks()), self.limit, template_of)

    def user_tasks(self) -> dict[str, Task]:
        """The user-defined tasks, by id; of a log those that its digest is of."""
        assert self.tasks is not None
        path = self.located().get("tasks", self.tasks)
        tasks = task_files.load(path)
        if self.source is not None and digest_of_tasks(tasks.values()) != header_digest(self.source, TASKS_DIGEST):
            raise RunSpecError(f"{path}: its tasks differ from those of the run, whose digest is its name")
        wrong = next((task for task in tasks.values() if task.tier != self.tier), None)
        if wrong is not None:
            raise RunSpecError(
                f"{self.tasks}: task {wrong.id} is of tier {wrong.tier}, but the setting needs tier {self.tier}"
            )
        return tasks

    def places(self) -> tuple[str, ...]:
        return ("tasks",)

    def task_file(self) -> tuple[str, str] | None:
        if self.tasks is None:
            return None
        tasks = self.user_tasks()
        return task_file_name(TASK_FILE, digest_of_tasks(tasks.values())), task_json.write_own(tasks.values())

    def located(self) -> dict[str, Any]:
        if self.source is None:
            return {}
        tasks = None if self.tasks is None else str(task_file_of(self.source, TASK_FILE, TASKS_DIGEST))
        return {"tasks": tasks, "store": None}

    def task_digests(self) -> dict[str, str | None]:
        digests = {TASKS_DIGEST: None if self.tasks is None else digest_of_tasks(self.user_tasks().values())}
        if self.limit is not None:  # which tasks a limit selects is not evident from the other fields
            digests["limited_tasks_sha256"] = sha256("\n".join(self.task_ids()).encode()).hexdigest()
        return digests

    def identity(self) -> dict[str, Any]:
        return {**super().identity(), **({} if self.tasks is None else {"tasks": None})}  # the digest identifies them

    def details(self, agent: Any) -> dict[str, Any]:
        return {"ranked": getattr(agent, "ranked", None)}

    def training_tasks(self) -> list[Task]:
        """The tasks to train on."""
        fold = self._fold()
        tasks = published_tasks(self.tier)
        return [tasks[task_id] for task_id in (fold.train_for_test if self.split == "test" else fold.train)]

    def tasks_to_attempt(self) -> list[Task]:
        """The tasks of `task_ids`."""
        tasks = published_tasks(self.tier) if self.tasks is None else self.user_tasks()
        return [tasks[task_id] for task_id in self.task_ids()]
