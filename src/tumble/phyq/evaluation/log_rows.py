"""Phy-Q's attempts as rows of a run log, and back."""

from collections.abc import Sequence

from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.runs.log import LogError, Row

FIELDS = ("angle", "stretch", "tap_ms", "tap_share", "delay")
"""The numbers of a shot; None for what a shot does not have."""


def numbers_of(shots: Sequence[Shot]) -> list[float | None]:
    """The numbers of shots, one after the other."""
    values = [getattr(shot, name) for shot in shots for name in FIELDS]
    return [None if value is None else float(value) for value in values]


def shots_of(numbers: Sequence[float | None]) -> tuple[Shot, ...]:
    """The shots of numbers."""
    if len(numbers) % len(FIELDS):
        raise ShotError(f"{len(numbers)} numbers are not shots: each shot has {len(FIELDS)}: {', '.join(FIELDS)}")
    rows = [numbers[first : first + len(FIELDS)] for first in range(0, len(numbers), len(FIELDS))]
    return tuple(Shot(**dict(zip(FIELDS, row, strict=True))) for row in rows)  # type: ignore[arg-type]


STATUS_CODES = {"won": 1, "open": 0, "lost": -1, "cap": -2}
"""In run logs; open: the agent gave up with birds left."""

STATUS_NAMES = {code: status for status, code in STATUS_CODES.items()}

WON = STATUS_CODES["won"]
GAVE_UP = STATUS_CODES["open"]


def row_of(number: int, attempt: Attempt, scored: bool = False) -> Row:
    """An attempt as a row of the log; with `scored`, also the game's score, as text."""
    status = STATUS_CODES[attempt.status]
    row = {"attempt": number, "action": numbers_of(attempt.shots), "status": status, "steps": attempt.steps}
    return {**row, "score": str(attempt.score)} if scored else row


def score_of(row: Row) -> int:
    """The points of an attempt as competitions count them: 0 unless it won."""
    try:
        return int(row["score"]) if row["status"] == WON else 0
    except (KeyError, TypeError, ValueError):
        raise LogError(f"task {row.get('task')}: an attempt without a valid score: {row.get('score')!r}") from None
