"""PHYRE in studies with people: the tasks of a fold or named ones, and how an attempt of a person is simulated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tumble.phyre.catalogue import task_files
from tumble.phyre.catalogue.task import Task, digest_of_tasks
from tumble.phyre.catalogue.tasks_by_id import SETTINGS
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.evaluation.run_spec import TASK_FILE, PhyreRunSpec
from tumble.phyre.simulation.actions import ActionError, as_actions
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import SOLVED
from tumble.runs.participant import PEOPLE
from tumble.runs.spec import task_file_name
from tumble.studies.study import Action, Outcome, StudyError, StudyTasks

MOST_SIMULATORS = 64


class Selection(BaseModel):
    """The table [tasks]: test tasks of a fold, or ids."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    setting: str | None = None
    fold: int = 0
    split: str = "test"
    limit: int | None = None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class PhyreStudyTasks(StudyTasks):
    """Attempts end when the task is solved, or when they are used up."""

    selection: Selection
    attempts: int
    _tasks: dict[str, Task] = field(default_factory=dict)
    """Those that are listed by id."""

    @property
    def ids(self) -> Sequence[str]:
        return self._ids

    @cached_property
    def _ids(self) -> list[str]:
        return list(self._tasks) or self._spec("", 0, None).task_ids()

    @property
    def physics(self) -> str:
        return PhyreRunSpec.physics_id()

    @cached_property
    def tier(self) -> str:
        """The tier of all tasks."""
        return next(iter(self._tasks.values())).tier if self._tasks else self._spec("", 0, None).tier

    def task(self, task_id: str) -> Task:
        """A task of the study, or one for practice."""
        return self._tasks.get(task_id) or task_by_id(task_id)

    def check_task(self, task_id: str) -> None:
        tier = self.task(task_id).tier
        if tier != self.tier:
            raise StudyError(f"task {task_id} is of tier {tier}, the study's tasks of {self.tier}")

    def check_action(self, task_id: str, action: Action) -> None:
        if any(number is None for number in action):
            raise ActionError("an action is made of numbers")
        simulator = self._simulator(task_id)
        if not simulator.valid([task_id], as_actions([list(action)], self.tier))[0]:
            raise ActionError("a ball overlaps a body or the other ball, or leaves the scene")

    def simulate(self, task_id: str, action: Action) -> Outcome:
        (status,), (steps,) = self._simulator(task_id).outcomes([task_id], [list(action)])
        return Outcome(int(status), int(steps), bool(status >= SOLVED))

    def is_over(self, statuses: Sequence[int]) -> bool:
        return len(statuses) >= self.attempts or any(status >= SOLVED for status in statuses)

    def spec(self, study: str, participant: int, folder: Path) -> PhyreRunSpec:
        if not self._tasks:
            return self._spec(study, participant, None)
        file = folder / task_file_name(TASK_FILE, digest_of_tasks(self._tasks.values()))
        if not file.exists():
            task_files.save(file, self._tasks)
        return self._spec(study, participant, str(file.resolve()))

    def _spec(self, study: str, participant: int, file: str | None) -> PhyreRunSpec:
        chosen = self.selection
        setting = chosen.setting or next(name for name, one in SETTINGS.items() if one.tier == self.tier)
        settings = {"study": study}
        return PhyreRunSpec(
            PEOPLE,
            setting,
            chosen.fold,
            chosen.split,
            file,
            self.attempts,
            settings=settings,
            limit=chosen.limit,
            seed=participant,
        )

    def _simulator(self, task_id: str) -> Simulator:
        return _simulator_of(self.task(task_id))


@lru_cache(maxsize=MOST_SIMULATORS)
def _simulator_of(task: Task) -> Simulator:
    return Simulator([task], task.tier)


def study_tasks(selection: Mapping[str, Any], attempts: int) -> PhyreStudyTasks:
    """The tasks of a study."""
    try:
        chosen = Selection.model_validate(dict(selection))
    except ValidationError as error:
        first = error.errors()[0]
        raise StudyError(f"tasks.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if (chosen.setting is None) == (not chosen.ids):
        raise StudyError("tasks: give a setting, or ids")
    if chosen.ids and (chosen.limit is not None or len(set(chosen.ids)) < len(chosen.ids)):
        raise StudyError("tasks.ids: each task once, and no limit")
    found = PhyreStudyTasks(chosen, attempts, {task_id: task_by_id(task_id) for task_id in chosen.ids})
    for task_id in chosen.ids:
        found.check_task(task_id)
    return found
