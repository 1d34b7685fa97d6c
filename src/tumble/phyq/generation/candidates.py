"""Shots that are worth trying at a level: sweeps of angles with what their results tell, and shots at pigs.

The sequences of an angle sweep differ only in the last angle. Shots at pigs and near them come with fitting taps.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

import numpy as np

from tumble.phyq.catalogue.level import Level, bounding_box, outline
from tumble.phyq.catalogue.physics import GROUND_Y, LAUNCH_SPEED
from tumble.phyq.catalogue.trajectory import REST_POINT, Release, path, position_at, releases_to
from tumble.phyq.generation.solutions import TAP_STEP, rounded
from tumble.phyq.simulation.episodes import Episodes
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.simulation.simulator import Simulator
from tumble.scene import Vec

FLYING_ANGLES = (-10.0, 84.0)
LAYOUT_MARGIN = 0.3
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
    left, right = min(box.left for box in boxes) - LAYOUT_MARGIN, max(box.right for box in boxes) + LAYOUT_MARGIN
    bottom, top = min(box.bottom for box in boxes) - LAYOUT_MARGIN, max(box.top for box in boxes) + LAYOUT_MARGIN
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


PIG_OFFSETS: tuple[Vec, ...] = ((0.0, 0.0), (0.0, 0.5), (-0.8, 0.0), (-0.8, -0.7))
"""Points around a pig that birds are shot at: itself, what is above it, and what is before it."""
SWEEP_ANGLES = tuple(range(-4, 80, 4))
FINE_SWEEP_ANGLES = tuple(range(-10, 84))
"""Angles in degrees."""
TAP_SHARES = {"yellow": (0.75,), "blue": (0.6, 0.85)}
"""When birds of these colours are tapped, as shares of the time to their target."""
EGG_ANGLES = (30, 45, 60, 70)
"""Angles of white birds, which drop their egg above a pig."""
EGG_HEIGHTS = (0.6, 7.0)
"""The least and the greatest height above the pig."""


def shots_at_pigs(colour: str, pigs: Sequence[Vec]) -> list[Shot]:
    """Shots of a bird at the pigs that are left, without duplicates."""
    shots = [Shot(float(angle)) for angle in SWEEP_ANGLES]
    for x, y in pigs:
        shots += [shot for dx, dy in PIG_OFFSETS for shot in _shots_at_point(colour, (x + dx, y + dy))]
        shots += _shots_above((x, y)) if colour == "white" else []
    return list(dict.fromkeys(map(rounded, shots)))


def single_shots(colour: str, pigs: Sequence[Vec]) -> list[Shot]:
    """Shots of a first bird that must not win a level: the candidates and a finer sweep of angles."""
    return list(dict.fromkeys([*shots_at_pigs(colour, pigs), *(Shot(float(angle)) for angle in FINE_SWEEP_ANGLES)]))


def _shots_at_point(colour: str, target: Vec) -> Iterator[Shot]:
    """The low and the high shot at a point, with and without a tap."""
    for release in releases_to(target):
        yield Shot(release.angle)
        for share in TAP_SHARES.get(colour, ()):
            yield Shot(release.angle, tap_ms=_tap_ms(share * _seconds_to(release, target[0])))


def _shots_above(pig: Vec) -> Iterator[Shot]:
    """Shots of which the bird is tapped right above a pig."""
    for angle in EGG_ANGLES:
        release = Release(float(angle))
        seconds = _seconds_to(release, pig[0])
        height = float(position_at(release, seconds)[1]) - pig[1]
        if EGG_HEIGHTS[0] <= height <= EGG_HEIGHTS[1]:
            yield Shot(release.angle, tap_ms=_tap_ms(seconds))


def _seconds_to(release: Release, x: float) -> float:
    """The time until a flight is at x."""
    across = math.cos(math.radians(release.angle)) * release.stretch
    return (x - REST_POINT[0] + across) / (LAUNCH_SPEED * across)


def _tap_ms(seconds: float) -> float:
    """Milliseconds in whole steps."""
    return float(max(1, np.rint(1000.0 * seconds / TAP_STEP)) * TAP_STEP)
