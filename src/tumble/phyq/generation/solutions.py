"""One robust solution for each task of the benchmark; and plans, which are solutions that move with a layout.

`generate.generate_tasks` finds them. A line of the file has a task's id, the tolerance in degrees, and each shot as
angle,stretch,tap,delay, with "-" for no tap and no delay; default values at the end of a shot are left out.

>>> solution("14.1:000").shots[1]
Shot(angle=26.5, stretch=1.0, tap_ms=None, tap_share=None, delay=8.0)

A plan has the points of the layout through which the birds of a solved level flew.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tumble.errors import TumbleError
from tumble.phyq.catalogue.physics import LAUNCH_SPEED, STEP
from tumble.phyq.catalogue.trajectory import REST_POINT, Release, position_at, releases_to, stretch_to
from tumble.phyq.simulation.shots import Shot
from tumble.scene import Vec
from tumble.scene.files import whole_file

SOLUTIONS_FILE = "solutions.txt"
ANGLE_DECIMALS, STRETCH_DECIMALS = 2, 3
NO_VALUE = "-"


class SolutionError(TumbleError):
    """A solution that is not stored."""


@dataclass(frozen=True)
class Solution:
    """Shots that win, also with angles perturbed by `tolerance` degrees (see `perturbed`)."""

    shots: tuple[Shot, ...]
    tolerance: float


def rounded(shot: Shot) -> Shot:
    """The shot with the precision of the file; taps are in whole milliseconds."""
    return Shot(
        round(shot.angle, ANGLE_DECIMALS) + 0.0,
        round(shot.stretch, STRETCH_DECIMALS),
        tap_ms=None if shot.tap_ms is None else float(round(shot.tap_ms)),
        delay=None if shot.delay is None else round(shot.delay, 2),
    )


def perturbed(shots: tuple[Shot, ...], tolerance: float) -> list[tuple[Shot, ...]]:
    """The shots themselves, then with each angle alone and with all angles changed by minus and plus the tolerance."""
    numbers = range(len(shots))
    groups = [{k} for k in numbers] + ([set(numbers)] if len(shots) > 1 else [])
    return [shots] + [
        tuple(_rotated(shot, by) if k in group else shot for k, shot in enumerate(shots))
        for group in groups
        for by in (-tolerance, tolerance)
    ]


def within_turn(degrees: float) -> float:
    """The angle from -180 to 180 degrees, with the precision of the file.

    >>> within_turn(-180.96)
    179.04
    """
    return round((degrees + 180.0) % 360.0 - 180.0, ANGLE_DECIMALS) + 0.0


def _rotated(shot: Shot, degrees: float) -> Shot:
    angle = within_turn(shot.angle + degrees)
    return Shot(angle, shot.stretch, shot.tap_ms, shot.tap_share, shot.delay)


def solution(task_id: str) -> Solution:
    """The stored solution of a task of the benchmark."""
    stored = solutions()
    if task_id not in stored:
        raise SolutionError(
            f"no solution of task {task_id!r} is stored, only those of the benchmark's {len(stored)} tasks"
        )
    return stored[task_id]


@cache
def solutions() -> Mapping[str, Solution]:
    """All stored solutions by task."""
    text = resources.files("tumble.phyq").joinpath("data", SOLUTIONS_FILE).read_text(encoding="ascii")
    return dict(map(solution_from_line, text.splitlines()))


def read_solutions(folder: Path) -> dict[str, Solution]:
    """The solutions of the file in a folder; empty if there is no file."""
    path = folder / SOLUTIONS_FILE
    return dict(map(solution_from_line, path.read_text(encoding="ascii").splitlines())) if path.exists() else {}


def write_solutions(folder: Path, found: Mapping[str, Solution]) -> None:
    """Writes the file into a folder."""
    with whole_file(folder / SOLUTIONS_FILE) as partial:
        partial.write_text(
            "".join(f"{solution_to_line(task_id, own)}\n" for task_id, own in found.items()), encoding="ascii"
        )


def solution_to_line(task_id: str, found: Solution) -> str:
    """The line of a task and its solution."""
    return " ".join([task_id, f"{found.tolerance:g}", *map(_shot_text, found.shots)])


def solution_from_line(line: str) -> tuple[str, Solution]:
    """The task and the solution of a line."""
    task_id, tolerance, *shots = line.split()
    return task_id, Solution(tuple(map(_shot_from_text, shots)), float(tolerance))


def _shot_text(shot: Shot) -> str:
    fields = [shot.angle, shot.stretch, shot.tap_ms, shot.delay]
    defaults = [None, 1.0, None, None]
    while len(fields) > 1 and fields[-1] == defaults[len(fields) - 1]:
        fields.pop()
    return ",".join(NO_VALUE if value is None else f"{value:.10g}" for value in fields)


def _shot_from_text(text: str) -> Shot:
    values: list[float | None] = [None if field == NO_VALUE else float(field) for field in text.split(",")]
    angle, stretch, tap, delay = values + [None, 1.0, None, None][len(values) :]
    assert angle is not None
    assert stretch is not None
    return Shot(angle, stretch, tap_ms=tap, delay=delay)


TAP_STEP = round(1000.0 * STEP)
"""Milliseconds of a step; taps come at whole steps."""


@dataclass(frozen=True)
class Aim:
    """A shot through a point of the layout, at which the bird is tapped or has its first contact."""

    point: Vec
    steep: bool
    """Whether it is the high one of the two releases of full stretch."""
    shot: Shot
    """The shot on the solved level."""

    def shot_at(self, shift: Vec) -> Shot | None:
        """The shot through the same point of a shifted layout, if there is one."""
        target = self.point[0] + shift[0], self.point[1] + shift[1]
        release = self._release_to(target)
        if release is None:
            return None
        tap = None if self.shot.tap_ms is None else _milliseconds_to(release, target)
        return rounded(Shot(release.angle, release.stretch, tap_ms=tap, delay=self.shot.delay))

    def _release_to(self, target: Vec) -> Release | None:
        if self.shot.stretch < 1.0:
            return stretch_to(target, self.shot.angle)
        releases = releases_to(target)
        return releases[-1 if self.steep else 0] if releases else None


Plan = tuple[Aim, ...]


def aim_of(shot: Shot, flight: float, shift: Vec) -> Aim:
    """The aim of a shot whose flight took `flight` seconds, on a level with a shifted layout."""
    seconds = flight if shot.tap_ms is None else shot.tap_ms / 1000.0
    x, y = position_at(shot.release, seconds).tolist()
    releases = releases_to((x, y), shot.stretch)
    steep = len(releases) == 2 and abs(releases[1].angle - shot.angle) < abs(releases[0].angle - shot.angle)
    return Aim((x - shift[0], y - shift[1]), steep, shot)


def planned_shots(plan: Plan, shift: Vec) -> tuple[Shot, ...] | None:
    """The shots of a plan on a shifted layout; None if a point is out of reach."""
    shots = [aim.shot_at(shift) for aim in plan]
    possible = tuple(shot for shot in shots if shot is not None)
    return possible if len(possible) == len(shots) else None


def _milliseconds_to(release: Release, target: Vec) -> float:
    horizontal = math.cos(math.radians(release.angle)) * release.stretch
    seconds = (target[0] - REST_POINT[0] + horizontal) / (LAUNCH_SPEED * horizontal)
    return float(max(1, round(1000.0 * seconds / TAP_STEP)) * TAP_STEP)
