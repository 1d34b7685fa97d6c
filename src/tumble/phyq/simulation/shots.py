"""Shots as plain data, and tables of the shots of many episodes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.checks import is_a, number, shown
from tumble.engine.state.geometry import exact_sine_cosine
from tumble.errors import TumbleError
from tumble.phyq.catalogue.physics import STEP, STRETCH_LIMIT
from tumble.phyq.catalogue.trajectory import REST_POINT, Release, release_of_pull
from tumble.phyq.simulation.game_layout import WHEN_AT_REST
from tumble.scene import Vec

SHORTEST_PULL = 0.001
LONGEST_WAIT = 60.0
"""The longest delay of a shot, and of a tap after the release, in seconds."""


class ShotError(TumbleError):
    """An invalid shot, or shots that do not fit a level."""


@dataclass(frozen=True)
class Shot:
    """A release: the angle of flight in degrees above the horizontal, the pull, the tap, and when to shoot.

    >>> Shot(42.0, tap_share=0.6)
    Shot(angle=42.0, stretch=1.0, tap_ms=None, tap_share=0.6, delay=None)
    """

    angle: float
    stretch: float = 1.0
    """Length of the pull from the rest point; 1 is full stretch."""
    tap_ms: float | None = None
    """Milliseconds from the release to the tap."""
    tap_share: float | None = None
    """Time of the tap as a share of the flight, from the release to the first contact that an untapped bird has."""
    delay: float | None = None
    """Seconds after the previous release, or after the level is ready; None: when everything rests."""

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
        """The shot without tap and delay."""
        return Release(self.angle, self.stretch)


def shot_from(point: Vec, rest: Vec = REST_POINT, **more: float | None) -> Shot:
    """The shot that releases the bird at a point; longer pulls are cut to full stretch."""
    x, y = (
        number(f"{axis} of point", end, error=ShotError) - origin
        for axis, end, origin in zip("xy", point, rest, strict=True)
    )
    release = release_of_pull(x, y)
    return Shot(release.angle, release.stretch, **more)


def _check(field: str, value: object, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise ShotError(f"{field} must be a number from {low:g} to {high:g}, got {value!r}")


@dataclass(frozen=True)
class ShotTable:
    """Sequences of shots of many episodes as arrays [episodes, shots]; `counts` [episodes] are their lengths."""

    counts: np.ndarray
    pulls: np.ndarray  # float32 [episodes, shots, (x, y)]: from the release point to the rest point
    waits: np.ndarray  # int32: steps from the previous release on, or WHEN_AT_REST
    taps: np.ndarray  # int32: steps from the release on, 0 for none
    shares: np.ndarray  # float64: share of the flight, NaN for none

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, rows: np.ndarray) -> "ShotTable":
        """The given rows."""
        return ShotTable(self.counts[rows], self.pulls[rows], self.waits[rows], self.taps[rows], self.shares[rows])

    def first(self, count: int) -> "ShotTable":
        """The first `count` shots of each sequence."""
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
    """A table from arrays [episodes, shots], or [episodes] for one shot each; NaN means none."""
    angle = _numbers("angles", angles)
    angle = angle[:, None] if angle.ndim == 1 else angle
    if angle.ndim != 2:
        raise ShotError(f"angles must have the shape [episodes] or [episodes, shots], not {list(angle.shape)}")

    def checked(name: str, values: object, low: float, high: float, optional: bool) -> np.ndarray:
        array = _numbers(name, values)
        array = array[:, None] if array.ndim == 1 else array
        in_range = (array >= low) & (array <= high)
        if not (in_range | np.isnan(array) if optional else in_range).all():
            raise ShotError(f"{name} must be numbers from {low:g} to {high:g}")
        try:
            return np.broadcast_to(array, angle.shape)
        except ValueError:
            shapes = f"{list(array.shape)} does not fit {list(angle.shape)}"
            raise ShotError(f"{name} must have the shape of angles, or be one number: {shapes}") from None

    angle = checked("angles", angle, -180.0, 180.0, False)
    stretch = checked("stretches", stretches, SHORTEST_PULL, STRETCH_LIMIT, False)
    ms = checked("tap_ms", tap_ms, 0.0, 1000.0 * LONGEST_WAIT, True)
    shares = checked("tap_shares", tap_shares, 0.0, 1.0, True)
    delay = checked("delays", delays, 0.0, LONGEST_WAIT, True)
    sine, cosine = exact_sine_cosine(angle * (math.pi / 180.0))
    steps = np.where(np.isnan(ms), 0.0, np.maximum(1.0, np.rint(ms / (1000.0 * STEP))))
    waits = np.where(np.isnan(delay), WHEN_AT_REST, np.rint(delay / STEP))
    used = np.full(len(angle), angle.shape[1]) if counts is None else _numbers("counts", counts)
    if used.shape != (len(angle),) or not (np.isin(used, np.arange(angle.shape[1] + 1))).all():
        raise ShotError(f"counts must be {len(angle)} whole numbers from 0 to {angle.shape[1]}")
    return ShotTable(
        used.astype(np.int32),
        np.stack([stretch * cosine, stretch * sine], axis=-1).astype(np.float32),
        waits.astype(np.int32),
        steps.astype(np.int32),
        np.array(shares),
    )


def table(sequences: Sequence[Sequence[Shot]]) -> ShotTable:
    """A table of sequences of shots of any lengths."""
    wrong = next((shot for sequence in sequences for shot in _shots(sequence) if not is_a(Shot, shot)), None)
    if wrong is not None:
        raise ShotError(f"an episode must be a list of shots, as in [Shot(42.0)], not of {shown(wrong)}")
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


def _shots(sequence: Sequence[Shot]) -> Sequence[Shot]:
    """The sequence of shots of an episode; refuses a single shot."""
    if not is_a(Sequence, sequence):
        raise ShotError(f"an episode must be a list of shots, as in [Shot(42.0)], not {shown(sequence)}")
    return sequence


def _numbers(name: str, values: object) -> np.ndarray:
    """The values as an array of floats; a ShotError if they are none."""
    try:
        return np.asarray(values, float)
    except (TypeError, ValueError, OverflowError):
        raise ShotError(f"{name} must be numbers") from None


def tap_steps(shares: np.ndarray, flights: np.ndarray) -> np.ndarray:
    """int32: steps from the release to the tap, for shares of flights given in steps."""
    return np.asarray(np.maximum(1, np.rint(shares * flights)), np.int32)
