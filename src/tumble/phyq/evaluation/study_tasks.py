"""Phy-Q in studies with people: levels of a setting, and how the shots of a person are simulated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tumble.phyq.catalogue import tasks
from tumble.phyq.catalogue.level import Level
from tumble.phyq.catalogue.tasks import Task
from tumble.phyq.evaluation.run_spec import PhyQRunSpec
from tumble.phyq.simulation.attempt import GAVE_UP, SHOT_FIELDS, STATUS_CODES, Attempt, attempt_shots, shots_of
from tumble.phyq.simulation.shots import ShotError
from tumble.phyq.simulation.simulator import Simulator
from tumble.runs.log import Row
from tumble.runs.participant import PEOPLE
from tumble.studies.study import Action, Outcome, StudyError, StudyTasks

MOST_SIMULATORS = 64


class Selection(BaseModel):
    """The table [tasks]: as the options of `tumble phyq evaluate`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    setting: str = "tasks"
    only: tuple[str, ...] = ()
    limit: int | None = None


@dataclass(frozen=True)
class PhyQStudyTasks(StudyTasks):
    """An attempt is an episode, whose parts are shots; all attempts at a task are made, as agents make them."""

    selection: Selection
    attempts: int

    @property
    def ids(self) -> Sequence[str]:
        return self._ids

    @cached_property
    def _ids(self) -> list[str]:
        return self._any_spec.task_ids()

    @property
    def physics(self) -> str:
        return PhyQRunSpec.physics_id()

    @cached_property
    def _any_spec(self) -> PhyQRunSpec:
        return self._spec("", 0)

    def task(self, task_id: str) -> Task:
        """A task of the study, or one for practice."""
        return self._any_spec.task(task_id) if task_id in self._ids else tasks.cached_task(task_id)

    def check_task(self, task_id: str) -> None:
        self.task(task_id)

    def check_action(self, task_id: str, action: Action) -> None:
        shots = shots_of(action)
        birds = len(self.task(task_id).level.birds)
        if not shots or len(shots) > birds:
            raise ShotError(f"{len(shots)} shots are no attempt: there are {birds} birds")

    def simulate(self, task_id: str, action: Action) -> Outcome:
        (made,) = attempt_shots(_simulator_of(self.task(task_id).level), [0], [shots_of(action)])
        return Outcome(STATUS_CODES[made.status], made.steps, made.won, made.status == "open", self.further_of(made))

    def further_of(self, made: Attempt) -> dict[str, int]:
        """What the row of an attempt has besides its status: the score of levels, as agents' rows do."""
        return {"score": made.score} if self._scored else {}

    def is_over(self, statuses: Sequence[int]) -> bool:
        return len(statuses) >= self.attempts

    def amends(self, before: Action, after: Action) -> bool:
        """A tap, or a later one where the first came too early to have an effect."""
        if len(before) != len(SHOT_FIELDS) or len(after) != len(SHOT_FIELDS):
            return False
        old, new = (dict(zip(SHOT_FIELDS, numbers, strict=True)) for numbers in (before, after))
        first, second = old.pop("tap_ms"), new.pop("tap_ms")
        return old == new and second is not None and (first is None or first < second)

    def spec(self, study: str, participant: int, folder: Path) -> PhyQRunSpec:
        return self._spec(study, participant)

    def rows_given_up(self, rows: Sequence[Row]) -> list[Row]:
        """Missing attempts are episodes without a shot."""
        empty = {"action": [], "status": GAVE_UP, "steps": 0, **({"score": 0} if self._scored else {})}
        missing = range(len(rows) + 1, self.attempts + 1)
        return [*rows, *({"attempt": number, **empty} for number in missing)]

    @property
    def _scored(self) -> bool:
        return self.selection.setting == "levels"

    def _spec(self, study: str, participant: int) -> PhyQRunSpec:
        chosen = self.selection
        only = chosen.only
        if chosen.setting == "levels":
            only = tuple(str(Path(place).resolve()) for place in only)
        settings = {"study": study}
        return PhyQRunSpec(
            PEOPLE, chosen.setting, only, self.attempts, settings=settings, limit=chosen.limit, seed=participant
        )


@lru_cache(maxsize=MOST_SIMULATORS)
def _simulator_of(level: Level) -> Simulator:
    return Simulator([level])


def study_tasks(selection: Mapping[str, Any], attempts: int) -> PhyQStudyTasks:
    """The tasks of a study."""
    try:
        chosen = Selection.model_validate(dict(selection))
    except ValidationError as error:
        first = error.errors()[0]
        raise StudyError(f"tasks.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    found = PhyQStudyTasks(chosen, attempts)
    assert found.ids is not None  # a wrong selection is refused here
    return found
