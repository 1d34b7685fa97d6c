"""Where a participant is in a study, as plain data."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["consent", "practice", "task", "questions", "finished"]


@dataclass(frozen=True)
class PastAttempt:
    """An attempt that was made, at the current task."""

    action: tuple[float | None, ...]
    status: int
    solved: bool


@dataclass(frozen=True)
class Step:
    """What a participant does next; all but `kind` is of tasks only."""

    kind: Kind
    position: int = 0
    """Of the task, counted from 0, tasks for practice included."""
    positions: int = 0
    """The number of all tasks."""
    task: str = ""
    attempt: int = 0
    """The number of the next attempt, from 1."""
    part: int = 0
    """The number of its next part, from 1: of the next shot."""
    begun: tuple[float | None, ...] = ()
    """The action of its earlier parts."""
    attempts: int = 0
    """Allowed at the task."""
    past: tuple[PastAttempt, ...] = field(default=())

    @property
    def is_task(self) -> bool:
        return self.kind in ("practice", "task")


@dataclass(frozen=True)
class Move:
    """What a participant sends: a part of an attempt, with the numbers that make sure that it counts once."""

    position: int
    attempt: int
    part: int
    action: tuple[float | None, ...]
    touched_ms: float | None = None
    """From when the task was seen to the first touch, as the page measured it."""
    released_ms: float | None = None
    """To the release."""
