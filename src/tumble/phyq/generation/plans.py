"""Plans: solutions that move with a layout, by the points through which the birds of a solved level flew."""

import math
from dataclasses import dataclass

from tumble.phyq.generation.solutions import rounded
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.constants import LAUNCH_SPEED, STEP
from tumble.phyq.tasks.trajectory import REST_POINT, Release, position_at, releases_to, stretch_to
from tumble.scene import Vec

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


def shots_at(plan: Plan, shift: Vec) -> tuple[Shot, ...] | None:
    """The shots of a plan on a shifted layout; None if a point is out of reach."""
    shots = [aim.shot_at(shift) for aim in plan]
    possible = tuple(shot for shot in shots if shot is not None)
    return possible if len(possible) == len(shots) else None


def _milliseconds_to(release: Release, target: Vec) -> float:
    horizontal = math.cos(math.radians(release.angle)) * release.stretch
    seconds = (target[0] - REST_POINT[0] + horizontal) / (LAUNCH_SPEED * horizontal)
    return float(max(1, round(1000.0 * seconds / TAP_STEP)) * TAP_STEP)
