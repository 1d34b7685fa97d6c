"""Sequences of shots as flat lists of numbers, as run logs keep them."""

from collections.abc import Sequence

from tumble.phyq.shots import Shot, ShotError

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
