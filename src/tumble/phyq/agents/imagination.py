"""Imagined shots at one level: positions to shoot from, outcomes as arrays, and how safe good shots are.

Many positions continue in one call of the simulator, within a budget of shots.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any
from zlib import crc32

import numpy as np

from tumble import engine
from tumble.engine.host.states import joined_states
from tumble.phyq.catalogue.physics import STEP
from tumble.phyq.generation.candidates import Shots, coarse_states
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import FROM_START, Earlier, Simulator

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
        apart = shot_distances(self.points, self.points)
        np.fill_diagonal(apart, np.inf)
        nearest = apart.min(axis=1, initial=OTHER_KIND)
        other = np.where(ends[:, None] != ends[None, :], apart, np.inf).min(axis=1, initial=OTHER_KIND)
        return np.asarray(other - nearest / 2.0)


def shot_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float [n, m]: distances between shots [n, 3] and [m, 3]: the largest of their differences in units of SCALES."""
    apart = np.abs(first[:, None] - second[None]) / SCALES
    one_taps = np.isnan(first[:, None, TAP_MS]) != np.isnan(second[None, :, TAP_MS])
    apart = np.nan_to_num(apart, nan=0.0)
    return np.where(one_taps, OTHER_KIND, apart.max(axis=-1)).clip(max=OTHER_KIND)


@dataclass
class Imagination:
    """Plays imagined shots at a simulator's only level, at most `budget` of them.

    What counts is a bird that is launched: a sequence that continues from a known state counts for its last shot only.
    """

    simulator: Simulator
    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """The shots that can still be imagined."""
        return self.budget - self.spent

    def shoot(
        self, positions: Sequence[Position], candidates: Sequence[np.ndarray], wait: float = np.nan
    ) -> list[Trials]:
        """Imagines shots [n, (angle, stretch, tap)] from each position; those beyond the budget are left out.

        With `wait`, episodes end this number of seconds after the release, or later once the next bird is in place.
        """
        rows = [
            (position, self._affordable(position, own)) for position, own in zip(positions, candidates, strict=True)
        ]
        rows = [(position, own) for position, own in rows if len(own)]
        sequences = [position.then(point) for position, own in rows for point in own]
        if not sequences:
            return []
        played = self.simulator.play(
            np.zeros(len(sequences), int),
            sequences,
            ("states",),
            stop_after=np.full(len(sequences), wait),
            earlier=_earlier(rows),
        )
        labels, damages = coarse_states(played)
        can_continue, states = played.states_to_continue()
        shot = np.array([len(position.shots) for position, own in rows for _ in own], int)
        every = np.arange(len(shot))
        released, landed = played.released[every, shot], played.landed[every, shot]
        columns = {
            "points": np.concatenate([own for _, own in rows]),
            "won": played.won,
            "damage": np.array(damages),
            "label": np.array([crc32(label) for label in labels], np.int64),
            "flight": np.where(landed > 0, (landed - released) * STEP, np.nan),
            "moving": (played.steps - np.maximum(landed, released)) * STEP,
            "can_continue": can_continue,
            "delay": np.where(played.stopped, (played.steps - released) * STEP, np.nan),
        }
        ends = np.cumsum([len(own) for _, own in rows]).tolist()
        parts = [np.arange(end - len(own), end) for end, (_, own) in zip(ends, rows, strict=True)]
        return [
            Trials(position, **{name: column[part] for name, column in columns.items()}, states=states.take(part))
            for (position, _), part in zip(rows, parts, strict=True)
        ]

    def _affordable(self, position: Position, candidates: np.ndarray) -> np.ndarray:
        """The first candidates, as many as can be imagined, which are then spent."""
        cost = 1 if position.state is not None else len(position.shots) + 1
        kept = candidates[: max(0, self.left) // cost]
        self.spent += cost * len(kept)
        return kept


def _earlier(rows: Sequence[tuple[Position, np.ndarray]]) -> Earlier | None:
    """Where each shot begins; None if all begin at the start."""
    known = [position.state for position, _ in rows if position.state is not None]
    if not known:
        return None
    state_of: list[int] = []
    seen = 0
    for position, own in rows:
        state_of += [FROM_START if position.state is None else seen] * len(own)
        seen += position.state is not None
    return Earlier(reduce(joined_states, known), np.array(state_of, int))
