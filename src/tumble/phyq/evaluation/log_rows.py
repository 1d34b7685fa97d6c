"""Phy-Q's attempts as rows of a run log, and back."""

from collections.abc import Sequence

from tumble.phyq.simulation.attempt import Attempt
from tumble.phyq.simulation.shots import Shot, ShotError
from tumble.runs.log import Row

FIELDS = ("angle", "stretch", "tap_ms", "tap_share", "delay")
"""Five numbers for each shot; None where a shot has no such thing."""


def numbers_of(shots: Sequence[Shot]) -> list[float | None]:
    """Shots as numbers."""
    values = [getattr(shot, name) for shot in shots for name in FIELDS]
    return [None if value is None else float(value) for value in values]


def shots_of(numbers: Sequence[float | None]) -> tuple[Shot, ...]:
    """The shots that numbers stand for."""
    if len(numbers) % len(FIELDS):
        raise ShotError(f"{len(numbers)} numbers are no shots: each has {len(FIELDS)}, {', '.join(FIELDS)}")
    rows = [numbers[first : first + len(FIELDS)] for first in range(0, len(numbers), len(FIELDS))]
    return tuple(Shot(**dict(zip(FIELDS, row, strict=True))) for row in rows)  # type: ignore[arg-type]


STATUS_CODES = {"won": 1, "open": 0, "lost": -1, "cap": -2}
"""What a run log keeps; open: the agent gave up with birds left."""

STATUS_WORDS = {code: status for status, code in STATUS_CODES.items()}

WON = STATUS_CODES["won"]


def row_of(number: int, attempt: Attempt) -> Row:
    """An attempt as the log keeps it."""
    status = STATUS_CODES[attempt.status]
    return {"attempt": number, "action": numbers_of(attempt.shots), "status": status, "steps": attempt.steps}
