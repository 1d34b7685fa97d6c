"""Angle sweeps: sequences of shots that differ only in the last angle, and what their results tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

import numpy as np

from tumble.phyq.generation.plans import TAP_STEP
from tumble.phyq.generation.solutions import rounded
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.phyq.tasks.constants import GROUND_Y
from tumble.phyq.tasks.level import Level
from tumble.phyq.tasks.outlines import bounding_box, outline
from tumble.phyq.tasks.trajectory import Release, path

FLYING_ANGLES = (-10.0, 84.0)
MARGIN = 0.3
"""A bird that passes the layout at this distance may touch it."""
STATE_SPACING = 0.5
"""Positions are rounded to multiples of this where end states are compared."""

Shots = tuple[Shot, ...]
Key = TypeVar("Key")


@dataclass(frozen=True)
class AngleSweep:
    """Sequences of shots on one level that differ only in the angle of the last shot."""

    level: int
    before: Shots
    last: Shot
    angles: tuple[float, ...]
    spacing: float

    def sequences(self) -> list[Shots]:
        """All sequences, in the order of their angles."""
        return [(*self.before, replace(self.last, angle=angle)) for angle in self.angles]


@dataclass(frozen=True)
class AngleInterval:
    """Neighbouring sequences of a sweep with the same result: the middle one, and the degrees that they span."""

    level: int
    shots: Shots
    width: float
    spacing: float


@dataclass(frozen=True)
class EndState:
    """An interval of a sweep that leads to the same coarse state, and the damage to the pigs in it."""

    interval: AngleInterval
    state: bytes
    damage: float


def angles_towards(level: Level, pieces: Sequence[object], spacing: float, stretch: float = 1.0) -> tuple[float, ...]:
    """The angles of flights that come near the bounding box of some pieces."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces if piece in pieces]
    left, right = min(box.left for box in boxes) - MARGIN, max(box.right for box in boxes) + MARGIN
    bottom, top = min(box.bottom for box in boxes) - MARGIN, max(box.top for box in boxes) + MARGIN
    angles = []
    for angle in np.arange(FLYING_ANGLES[0], FLYING_ANGLES[1] + 1e-9, spacing).round(2).tolist():
        x, y = path(Release(angle, stretch), 6.0).T
        if ((x >= left) & (x <= right) & (y >= max(bottom, GROUND_Y)) & (y <= top)).any():
            angles.append(angle)
    return tuple(angles)


def play_sweeps(simulator: Simulator, sweeps: Sequence[AngleSweep], want: tuple[str, ...] = ()) -> Episodes:
    """Plays all sequences of sweeps in one batch, in their order."""
    of = [sweep.level for sweep in sweeps for _ in sweep.angles]
    return simulator.play(of, [shots for sweep in sweeps for shots in sweep.sequences()], want)


def winning_intervals(sweeps: Sequence[AngleSweep], episodes: Episodes, wins: np.ndarray) -> list[AngleInterval]:
    """The intervals of neighbouring angles that count as wins [episodes]."""
    return [interval for interval, won in _intervals(sweeps, episodes, wins.tolist()) if won]


def end_states(
    sweeps: Sequence[AngleSweep], episodes: Episodes, states_before: Mapping[tuple[int, Shots], bytes]
) -> list[EndState]:
    """The coarse states after sequences that do not win, where the last shot changed something.

    `states_before` has the states before that shot, by level and earlier shots. The episodes need want=("states",).
    """
    states, damages = coarse_states(episodes)
    keys = [None if won else state for won, state in zip(episodes.won, states, strict=True)]
    damage_of = dict(zip(states, damages, strict=True))
    return [
        EndState(interval, state, damage_of[state])
        for interval, state in _intervals(sweeps, episodes, keys)
        if state is not None and state != states_before[interval.level, interval.shots[:-1]]
    ]


def coarse_states(episodes: Episodes) -> tuple[list[bytes], list[float]]:
    """The end states of episodes, with rounded positions, and the damage to pigs in them: 1 for each dead one."""
    poses, lives = episodes.final_poses(), episodes.final_lives()
    states, damages = [], []
    for k, number in enumerate(episodes.level_of.tolist()):
        world = episodes.worlds[number]
        pieces = np.array([body for body in world.dynamic if body < world.first_bird])
        gone = episodes.died[k, pieces] > 0
        places = np.where(gone[:, None], 99.0, np.nan_to_num(poses[k, pieces, :2]))
        pigs = world.of_role("pig")
        full = np.array([world.members[body].life for body in pigs])
        left = np.where(episodes.died[k, pigs] > 0, 0.0, np.clip(lives[k, pigs] / full, 0.0, 1.0))
        rounded_places = np.rint(places / STATE_SPACING).astype(np.int16)
        states.append(rounded_places.tobytes() + np.rint(left * 8.0).astype(np.int8).tobytes())
        damages.append(float((1.0 - left).sum()))
    return states, damages


def _intervals(
    sweeps: Sequence[AngleSweep], episodes: Episodes, keys: Sequence[Key]
) -> Iterator[tuple[AngleInterval, Key]]:
    """Intervals of neighbouring sequences with equal keys, each with its key."""
    start = 0
    for sweep in sweeps:
        rows = range(start, start + len(sweep.angles))
        start += len(sweep.angles)
        for key, group in groupby(_with_gap_counts(sweep, rows), key=lambda row: (keys[row[0]], row[1])):
            members = [row for row, _ in group]
            middle = members[len(members) // 2]
            first, last = sweep.angles[members[0] - rows[0]], sweep.angles[members[-1] - rows[0]]
            shot = replace(sweep.last, angle=(first + last) / 2.0)
            if shot.tap_share is not None:
                k = len(sweep.before)
                steps = int(episodes.tapped[middle, k] - episodes.released[middle, k])
                shot = Shot(sweep.angles[middle - rows[0]], shot.stretch, tap_ms=float(max(1, steps) * TAP_STEP))
            yield AngleInterval(sweep.level, (*sweep.before, rounded(shot)), last - first, sweep.spacing), key[0]


def _with_gap_counts(sweep: AngleSweep, rows: range) -> Iterator[tuple[int, int]]:
    """The rows of a sweep, each with the number of gaps between angles before it."""
    gaps = 0
    for k, row in enumerate(rows):
        if k and sweep.angles[k] - sweep.angles[k - 1] > 1.5 * sweep.spacing:
            gaps += 1
        yield row, gaps
