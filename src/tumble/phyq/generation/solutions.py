"""One robust solution for each task of the benchmark, found by `generate.generate_tasks`.

A line of the file has a task's id, the tolerance in degrees, and each shot as angle,stretch,tap,delay, with "-" for no
tap and no delay; default values at the end of a shot are left out.

>>> solution("14.1:000").shots[1]
Shot(angle=26.5, stretch=1.0, tap_ms=None, tap_share=None, delay=8.0)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tumble.errors import TumbleError
from tumble.phyq.simulation.shots import Shot
from tumble.scene.files import whole_file

FILE = "solutions.txt"
ANGLE_DECIMALS, STRETCH_DECIMALS = 2, 3
NOTHING = "-"


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
    text = resources.files("tumble.phyq").joinpath("data", FILE).read_text(encoding="ascii")
    return dict(map(from_line, text.splitlines()))


def read(folder: Path) -> dict[str, Solution]:
    """The solutions of the file in a folder; empty if there is no file."""
    path = folder / FILE
    return dict(map(from_line, path.read_text(encoding="ascii").splitlines())) if path.exists() else {}


def write(folder: Path, found: Mapping[str, Solution]) -> None:
    """Writes the file into a folder."""
    with whole_file(folder / FILE) as partial:
        partial.write_text("".join(f"{to_line(task_id, own)}\n" for task_id, own in found.items()), encoding="ascii")


def to_line(task_id: str, found: Solution) -> str:
    """The line of a task and its solution."""
    return " ".join([task_id, f"{found.tolerance:g}", *map(_shot_text, found.shots)])


def from_line(line: str) -> tuple[str, Solution]:
    """The task and the solution of a line."""
    task_id, tolerance, *shots = line.split()
    return task_id, Solution(tuple(map(_shot, shots)), float(tolerance))


def _shot_text(shot: Shot) -> str:
    fields = [shot.angle, shot.stretch, shot.tap_ms, shot.delay]
    defaults = [None, 1.0, None, None]
    while len(fields) > 1 and fields[-1] == defaults[len(fields) - 1]:
        fields.pop()
    return ",".join(NOTHING if value is None else f"{value:.10g}" for value in fields)


def _shot(text: str) -> Shot:
    values: list[float | None] = [None if field == NOTHING else float(field) for field in text.split(",")]
    angle, stretch, tap, delay = values + [None, 1.0, None, None][len(values) :]
    assert angle is not None
    assert stretch is not None
    return Shot(angle, stretch, tap_ms=tap, delay=delay)
