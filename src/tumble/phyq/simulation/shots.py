"""Shots as plain data, one by one and as tables of many."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.engine.math.trig import exact_sine_cosine
from tumble.phyq.simulation.game.layout import WHEN_AT_REST
from tumble.phyq.tasks.constants import STEP, STRETCH_LIMIT
from tumble.phyq.tasks.trajectory import REST_POINT, Release, release_of_pull
from tumble.scene import Vec

SHORTEST_PULL = 0.001
LONGEST_WAIT = 60.0
"""Seconds that a shot may be delayed or a tap may come after the release."""


class ShotError(ValueError):
    """A shot that cannot be, and why."""


@dataclass(frozen=True)
class Shot:
    """A release: the direction of flight in degrees above the horizontal, the pull, the tap, and when to shoot."""

    angle: float
    stretch: float = 1.0
    """Length of the pull from the rest point; 1 is full power."""
    tap_ms: float | None = None
    """Milliseconds from the release to the tap."""
    tap_share: float | None = None
    """Share of the time from the release to the first contact, as it would be without a tap."""
    delay: float | None = None
    """Seconds from the previous release on, or from when the level is ready; None: when everything rests."""

    def __post_init__(self) -> None:
        _check("angle", self.angle, -180.0, 180.0)
        _check("stretch", self.stretch, SHORTEST_PULL, STRETCH_LIMIT)
        if self.tap_ms is not None and self.tap_share is not None:
            raise ShotError("give tap_ms or tap_share, not both")
        if self.tap_ms is not None:
            _check("tap_ms", self.tap_ms, 0.0, 1000.0 * LONGEST_WAIT)
        if self.tap_share is not None:
            _check("tap_share", self.tap_share, 0.0, 1.0)
        if self.delay is not None:
            _check("delay", self.delay, 0.0, LONGEST_WAIT)

    @property
    def release(self) -> Release:
        """The shot without tap and time."""
        return Release(self.angle, self.stretch)


def shot_from(point: Vec, rest: Vec = REST_POINT, **more: float | None) -> Shot:
    """The shot that lets go at a point; a pull longer than the sling allows ends at its limit."""
    release = release_of_pull(point[0] - rest[0], point[1] - rest[1])
    return Shot(release.angle, release.stretch, **more)


def _check(field: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise ShotError(f"{field} must be a number from {low:g} to {high:g}, got {value!r}")


@dataclass(frozen=True)
class ShotTable:
    """Sequences of shots of many episodes: arrays of [episodes, shots], of which `counts` [episodes] are given."""

    counts: np.ndarray
    pulls: np.ndarray  # float32 [episodes, shots, (x, y)]: from the release point to the rest point
    waits: np.ndarray  # int32: steps from the previous release on, or WHEN_AT_REST
    taps: np.ndarray  # int32: steps from the release on, 0 for none
    shares: np.ndarray  # float64: share of the flight, NaN for none

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: np.ndarray) -> "ShotTable":
        """Some of the sequences."""
        return ShotTable(self.counts[rows], self.pulls[rows], self.waits[rows], self.taps[rows], self.shares[rows])

    def first(self, count: int) -> "ShotTable":
        """The sequences cut off after so many shots."""
        return replace(self, counts=np.minimum(self.counts, count))


def table_of(
    angles: object,
    stretches: object = 1.0,
    *,
    tap_ms: object = math.nan,
    tap_shares: object = math.nan,
    delays: object = math.nan,
    counts: object = None,
) -> ShotTable:
    """A table from arrays [episodes, shots], or [episodes] for one shot each; NaN stands for none."""
    angle = np.asarray(angles, float)
    angle = angle[:, None] if angle.ndim == 1 else angle

    def fitted(name: str, values: object, low: float, high: float, may_lack: bool) -> np.ndarray:
        given = np.asarray(values, float)
        given = given[:, None] if given.ndim == 1 else given
        fits = (given >= low) & (given <= high)
        if not (fits | np.isnan(given) if may_lack else fits).all():
            raise ShotError(f"{name} must be numbers from {low:g} to {high:g}")
        return np.broadcast_to(given, angle.shape)

    angle = fitted("angles", angle, -180.0, 180.0, False)
    stretch = fitted("stretches", stretches, SHORTEST_PULL, STRETCH_LIMIT, False)
    ms = fitted("tap_ms", tap_ms, 0.0, 1000.0 * LONGEST_WAIT, True)
    shares = fitted("tap_shares", tap_shares, 0.0, 1.0, True)
    delay = fitted("delays", delays, 0.0, LONGEST_WAIT, True)
    sine, cosine = exact_sine_cosine(angle * (math.pi / 180.0))
    steps = np.where(np.isnan(ms), 0.0, np.maximum(1.0, np.rint(ms / (1000.0 * STEP))))
    waits = np.where(np.isnan(delay), WHEN_AT_REST, np.rint(delay / STEP))
    used = np.full(len(angle), angle.shape[1]) if counts is None else np.asarray(counts)
    return ShotTable(
        used.astype(np.int32),
        np.stack([stretch * cosine, stretch * sine], axis=-1).astype(np.float32),
        waits.astype(np.int32),
        steps.astype(np.int32),
        np.array(shares),
    )


def table(sequences: Sequence[Sequence[Shot]]) -> ShotTable:
    """A table of sequences of shots, which may differ in length."""
    width = max((len(sequence) for sequence in sequences), default=0)
    filler = Shot(0.0)
    rows = [[*sequence, *[filler] * (width - len(sequence))] for sequence in sequences]

    def column(field: str) -> np.ndarray:
        values = [[getattr(shot, field) for shot in row] for row in rows]
        return np.array(values, float).reshape(len(rows), width)

    return table_of(
        column("angle"),
        column("stretch"),
        tap_ms=column("tap_ms"),
        tap_shares=column("tap_share"),
        delays=column("delay"),
        counts=[len(sequence) for sequence in sequences],
    )


def tap_steps(shares: np.ndarray, flights: np.ndarray) -> np.ndarray:
    """The step of a tap at a share of flights of so many steps."""
    return np.asarray(np.maximum(1, np.rint(shares * flights)), np.int32)
