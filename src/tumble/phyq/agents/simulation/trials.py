"""Imagined shots from one position and their outcomes, as arrays; how safe the good ones are."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tumble import engine
from tumble.engine.host.states import joined_states
from tumble.phyq.generation.angle_sweeps import Shots
from tumble.phyq.simulation.shots import Shot

ANGLE, STRETCH, TAP_MS = range(3)
"""Columns of candidate shots; the tap is NaN for none."""
SCALES = np.array([1.0, 0.02, 60.0])
"""Differences that count as one unit of distance between shots: degrees, stretch, milliseconds."""
OTHER_KIND = 10.0
"""The distance between a shot with a tap and one without."""


@dataclass(frozen=True)
class Position:
    """A moment of an episode in which a bird can be shot: the shots until then, and the state after them."""

    shots: Shots = ()
    state: engine.States | None = None
    """One state; None: the shots are imagined from the start."""
    delay: float | None = None
    """Seconds from the last release to this moment; None if everything is at rest."""

    def then(self, point: np.ndarray) -> Shots:
        """The shots until this moment and one more, of the numbers (angle, stretch, tap)."""
        tap = None if np.isnan(point[TAP_MS]) else float(point[TAP_MS])
        return (*self.shots, Shot(float(point[ANGLE]), float(point[STRETCH]), tap_ms=tap, delay=self.delay))


@dataclass(frozen=True)
class Trials:
    """Shots that were imagined from one position; one row for each."""

    position: Position
    points: np.ndarray
    """float [n, (angle, stretch, tap)]."""
    won: np.ndarray
    """bool [n]."""
    damage: np.ndarray
    """float [n]: to pigs, 1 for each dead one."""
    label: np.ndarray
    """int [n]: equal where the world ends in nearly the same state."""
    flight: np.ndarray
    """float [n]: seconds until the first contact, NaN if there was none."""
    moving: np.ndarray
    """float [n]: seconds from the first contact until the end."""
    can_continue: np.ndarray
    """bool [n]: whether another bird can be shot after it."""
    delay: np.ndarray
    """float [n]: seconds from the release until the end if the world still moves then; NaN if it is at rest."""
    states: engine.States
    """The states after each."""

    def __len__(self) -> int:
        return len(self.points)

    def joined(self, other: "Trials") -> "Trials":
        """These and others from the same position."""
        names = ("points", "won", "damage", "label", "flight", "moving", "can_continue", "delay")
        both: dict[str, Any] = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return replace(self, **both, states=joined_states(self.states, other.states))

    def after(self, row: int) -> Position:
        """The position after a shot."""
        shots = self.position.then(self.points[row])
        delay = None if np.isnan(self.delay[row]) else float(self.delay[row])
        return Position(shots, self.states.take(np.array([row])), delay)

    def margins(self) -> np.ndarray:
        """float [n]: the distance of each shot to the nearest boundary of those that end like it.

        The boundary is taken to lie in the middle between neighbours.
        """
        ends = np.where(self.won, np.int64(-1), self.label)
        apart = distances(self.points, self.points)
        np.fill_diagonal(apart, np.inf)
        nearest = apart.min(axis=1, initial=OTHER_KIND)
        other = np.where(ends[:, None] != ends[None, :], apart, np.inf).min(axis=1, initial=OTHER_KIND)
        return np.asarray(other - nearest / 2.0)


def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float [n, m]: distances between shots [n, 3] and [m, 3]: the largest of their differences in units of SCALES."""
    apart = np.abs(first[:, None] - second[None]) / SCALES
    one_taps = np.isnan(first[:, None, TAP_MS]) != np.isnan(second[None, :, TAP_MS])
    apart = np.nan_to_num(apart, nan=0.0)
    return np.where(one_taps, OTHER_KIND, apart.max(axis=-1)).clip(max=OTHER_KIND)
