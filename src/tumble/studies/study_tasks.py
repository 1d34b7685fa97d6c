"""What a benchmark brings for studies: which tasks there are, what an attempt is, and how it is simulated."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tumble.runs.log import Row
from tumble.runs.run_spec import RunSpec

Action = Sequence[float | None]
"""The numbers of an action, as in run logs."""


@dataclass(frozen=True)
class Outcome:
    """The result of an attempt, or of its parts so far."""

    status: int
    """As in run logs."""
    steps: int
    solved: bool = False
    open: bool = False
    """Whether the attempt continues with a further part, as while birds are left."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Further fields of the row in a run log."""
    shown: Any = field(default=None, compare=False)
    """What the participant is shown, which is not stored: the motion."""


Simulate = Callable[[str, Action], Outcome]
"""Simulates the action of an attempt, all of its parts, at the task of an id. Equal calls give equal outcomes."""


class StudyTasks(ABC):
    """The tasks of a study, as its benchmark selects them."""

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """The ids of the tasks, in the order of the run specification."""

    @property
    @abstractmethod
    def physics(self) -> str:
        """The id of the current physics."""

    @abstractmethod
    def check_task(self, task_id: str) -> None:
        """Raises a TumbleError unless this task can be attempted in this study, for practice too."""

    @abstractmethod
    def check_action(self, task_id: str, action: Action) -> None:
        """Raises a TumbleError for an action that is no attempt, and must not count as one; nothing is simulated."""

    @abstractmethod
    def simulate(self, task_id: str, action: Action) -> Outcome:
        """The outcome of an action that was checked."""

    @abstractmethod
    def is_over(self, statuses: Sequence[int]) -> bool:
        """Whether a task is over after attempts with these statuses."""

    def amends(self, before: Action, after: Action) -> bool:
        """Whether the action of a part may be replaced by another one while it is shown, as by a tap in flight."""
        return False

    @abstractmethod
    def spec(self, study: str, participant: int, folder: Path) -> RunSpec:
        """The run specification of a participant; `folder` is that of the log, for files that it depends on."""

    def rows_given_up(self, rows: Sequence[Row]) -> list[Row]:
        """The rows of a task that a participant gave up, where a run log needs more than its attempts."""
        return list(rows)
