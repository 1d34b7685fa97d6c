"""Lines of shots that differ in the angle of the last one, and what can be read from such a line once it is played."""

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
MOVED = 0.5
"""Ends of shots whose pieces lie less far apart count as the same."""

Shots = tuple[Shot, ...]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Line:
    """Sequences of shots on one level, which differ in the angle of the last shot alone."""

    level: int
    before: Shots
    last: Shot
    angles: tuple[float, ...]
    spacing: float

    def sequences(self) -> list[Shots]:
        """All of them, in the order of their angles."""
        return [(*self.before, replace(self.last, angle=angle)) for angle in self.angles]


@dataclass(frozen=True)
class Run:
    """Neighbours of a line that end alike: the one in the middle, and how many degrees they span."""

    level: int
    shots: Shots
    width: float
    spacing: float


@dataclass(frozen=True)
class End:
    """Neighbours of a line after which the level looks alike, and what the pigs have suffered by then."""

    run: Run
    looks: bytes
    harm: float


def angles_towards(level: Level, pieces: Sequence[object], spacing: float, stretch: float = 1.0) -> tuple[float, ...]:
    """The angles of flights that come near the box around some pieces."""
    boxes = [bounding_box(outline(piece)) for piece in level.pieces if piece in pieces]
    left, right = min(box.left for box in boxes) - MARGIN, max(box.right for box in boxes) + MARGIN
    bottom, top = min(box.bottom for box in boxes) - MARGIN, max(box.top for box in boxes) + MARGIN
    chosen = []
    for angle in np.arange(FLYING_ANGLES[0], FLYING_ANGLES[1] + 1e-9, spacing).round(2).tolist():
        x, y = path(Release(angle, stretch), 6.0).T
        if ((x >= left) & (x <= right) & (y >= max(bottom, GROUND_Y)) & (y <= top)).any():
            chosen.append(angle)
    return tuple(chosen)


def play_lines(simulator: Simulator, lines: Sequence[Line], want: tuple[str, ...] = ()) -> Episodes:
    """Plays all sequences of the lines, one after the other."""
    of = [line.level for line in lines for _ in line.angles]
    return simulator.play(of, [shots for line in lines for shots in line.sequences()], want)


def winning_runs(lines: Sequence[Line], episodes: Episodes) -> list[Run]:
    """The runs of neighbours that win."""
    return [run for run, won in _runs(lines, episodes, episodes.won.tolist()) if won]


def ends(lines: Sequence[Line], episodes: Episodes, begun: Mapping[tuple[int, Shots], bytes]) -> list[End]:
    """How levels look after the lines that don't win, where the last shot changed something; needs states.

    `begun` has how levels look before it, by level and shots so far.
    """
    looks, harms = looks_of(episodes)
    keys = [None if won else look for won, look in zip(episodes.won, looks, strict=True)]
    harm_of = dict(zip(looks, harms, strict=True))
    return [
        End(run, look, harm_of[look])
        for run, look in _runs(lines, episodes, keys)
        if look is not None and look != begun[run.level, run.shots[:-1]]
    ]


def looks_of(episodes: Episodes) -> tuple[list[bytes], list[float]]:
    """How levels look after episodes, in coarse steps, and the harm done to their pigs: 1 for each that is dead."""
    poses, lives = episodes.final_poses(), episodes.final_lives()
    looks, harms = [], []
    for k, number in enumerate(episodes.level_of.tolist()):
        world = episodes.worlds[number]
        own = np.array([body for body in world.dynamic if body < world.first_bird])
        gone = episodes.died[k, own] > 0
        places = np.where(gone[:, None], 99.0, np.nan_to_num(poses[k, own, :2]))
        pigs = world.of_role("pig")
        full = np.array([world.members[body].life for body in pigs])
        left = np.where(episodes.died[k, pigs] > 0, 0.0, np.clip(lives[k, pigs] / full, 0.0, 1.0))
        looks.append(np.rint(places / MOVED).astype(np.int16).tobytes() + np.rint(left * 8.0).astype(np.int8).tobytes())
        harms.append(float((1.0 - left).sum()))
    return looks, harms


def _runs(lines: Sequence[Line], episodes: Episodes, keys: Sequence[Key]) -> Iterator[tuple[Run, Key]]:
    start = 0
    for line in lines:
        rows = range(start, start + len(line.angles))
        start += len(line.angles)
        for key, group in groupby(_neighbours(line, rows), key=lambda row: (keys[row[0]], row[1])):
            members = [row for row, _ in group]
            middle = members[len(members) // 2]
            first, last = line.angles[members[0] - rows[0]], line.angles[members[-1] - rows[0]]
            shot = replace(line.last, angle=(first + last) / 2.0)
            if shot.tap_share is not None:
                k = len(line.before)
                steps = int(episodes.tapped[middle, k] - episodes.released[middle, k])
                shot = Shot(line.angles[middle - rows[0]], shot.stretch, tap_ms=float(max(1, steps) * TAP_STEP))
            yield Run(line.level, (*line.before, rounded(shot)), last - first, line.spacing), key[0]


def _neighbours(line: Line, rows: range) -> Iterator[tuple[int, int]]:
    """The rows of a line, each with the number of gaps in its angles so far."""
    gaps = 0
    for k, row in enumerate(rows):
        if k and line.angles[k] - line.angles[k - 1] > 1.5 * line.spacing:
            gaps += 1
        yield row, gaps
