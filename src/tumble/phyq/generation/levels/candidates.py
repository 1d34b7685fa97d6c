"""Shots that are worth trying at a level: at pigs and near them, with fitting taps, and a sweep of all angles."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tumble.phyq.generation.plans import TAP_STEP
from tumble.phyq.generation.solutions import rounded
from tumble.phyq.simulation.shots import Shot
from tumble.phyq.tasks.constants import LAUNCH_SPEED
from tumble.phyq.tasks.trajectory import REST_POINT, Release, position_at, releases_to
from tumble.scene import Vec

OFFSETS: tuple[Vec, ...] = ((0.0, 0.0), (0.0, 0.5), (-0.8, 0.0), (-0.8, -0.7))
"""Points around a pig that birds are shot at: itself, what is above it, and what is before it."""
SWEEP = tuple(range(-4, 80, 4))
FINE_SWEEP = tuple(range(-10, 84))
"""Angles in degrees."""
TAP_SHARES = {"yellow": (0.75,), "blue": (0.6, 0.85)}
"""When birds of these colours are tapped, as shares of the time to their target."""
EGG_ANGLES = (30, 45, 60, 70)
"""Angles of white birds, which drop their egg above a pig."""
EGG_HEIGHTS = (0.6, 7.0)
"""The least and the greatest height above the pig."""


def candidates(colour: str, pigs: Sequence[Vec]) -> list[Shot]:
    """Shots of a bird at the pigs that are left, without duplicates."""
    shots = [Shot(float(angle)) for angle in SWEEP]
    for x, y in pigs:
        shots += [shot for dx, dy in OFFSETS for shot in _at(colour, (x + dx, y + dy))]
        shots += _above((x, y)) if colour == "white" else []
    return list(dict.fromkeys(map(rounded, shots)))


def single_shots(colour: str, pigs: Sequence[Vec]) -> list[Shot]:
    """Shots of a first bird that must not win a level: the candidates and a finer sweep of angles."""
    return list(dict.fromkeys([*candidates(colour, pigs), *(Shot(float(angle)) for angle in FINE_SWEEP)]))


def _at(colour: str, target: Vec) -> Iterator[Shot]:
    """The low and the high shot at a point, with and without a tap."""
    for release in releases_to(target):
        yield Shot(release.angle)
        for share in TAP_SHARES.get(colour, ()):
            yield Shot(release.angle, tap_ms=_tap(share * _seconds_to(release, target[0])))


def _above(pig: Vec) -> Iterator[Shot]:
    """Shots of which the bird is tapped right above a pig."""
    for angle in EGG_ANGLES:
        release = Release(float(angle))
        seconds = _seconds_to(release, pig[0])
        height = float(position_at(release, seconds)[1]) - pig[1]
        if EGG_HEIGHTS[0] <= height <= EGG_HEIGHTS[1]:
            yield Shot(release.angle, tap_ms=_tap(seconds))


def _seconds_to(release: Release, x: float) -> float:
    """The time until a flight is at x."""
    across = math.cos(math.radians(release.angle)) * release.stretch
    return (x - REST_POINT[0] + across) / (LAUNCH_SPEED * across)


def _tap(seconds: float) -> float:
    """Milliseconds in whole steps."""
    return float(max(1, np.rint(1000.0 * seconds / TAP_STEP)) * TAP_STEP)
