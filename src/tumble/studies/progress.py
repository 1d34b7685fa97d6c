"""Where a participant is in a study, as plain data."""

from dataclasses import dataclass, replace
from typing import Literal

from tumble.studies.errors import StudyError

LARGEST = 1e9
"""Number of an action, and time in milliseconds."""
MOST_NUMBERS = 200
"""Of an action."""
Kind = Literal["consent", "practice", "task", "questions", "finished"]


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
    solved: bool = False
    """Whether an earlier attempt solved the task."""

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

    @property
    def place(self) -> tuple[int, int, int]:
        return self.position, self.attempt, self.part


def checked_move(move: Move) -> Move:
    """The move with its numbers as floats; raises StudyError for what no page sends."""
    if not 0 < len(move.action) <= MOST_NUMBERS:
        raise StudyError(f"an action has 1 to {MOST_NUMBERS} numbers, not {len(move.action)}")
    if not all(number is None or (type(number) in (int, float) and abs(number) <= LARGEST) for number in move.action):
        raise StudyError(f"an action is made of numbers, at most {LARGEST:g}")
    if not all(type(place) is int and 0 <= place <= LARGEST for place in (move.position, move.attempt, move.part)):
        raise StudyError("position, attempt and part are whole numbers")
    times = [ms for ms in (move.touched_ms, move.released_ms) if ms is not None]
    if not all(0 <= ms <= LARGEST for ms in times) or times != sorted(times):
        raise StudyError("times are milliseconds, the release not before the touch")
    return replace(move, action=tuple(None if number is None else float(number) for number in move.action))
