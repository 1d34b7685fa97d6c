"""Objects on the ballistic flights of many releases, from shapes and positions as agents see them.

Flights are computed as if nothing stopped the bird.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyq.observation.objects import GameObject
from tumble.phyq.tasks.constants import FALL, GROUND_Y, LAUNCH_SPEED, STEP
from tumble.phyq.tasks.pieces import BIRDS
from tumble.scene import Vec

LONGEST = 5.0
"""Seconds of a flight that are computed; the steepest flights land after 4.3."""


@dataclass(frozen=True)
class Flights:
    """Flights at full stretch, one for each angle."""

    angles: np.ndarray
    """float [n]: degrees."""
    objects: tuple[GameObject, ...]
    touches: np.ndarray
    """float [n, objects]: seconds until the bird touches an object, ignoring all others; infinite for never."""
    landings: np.ndarray
    """float [n]: seconds until the bird reaches the ground."""

    def first(self, flight: int) -> int | None:
        """The index of the object that a flight meets first; None for the ground."""
        met = self.met(flight)
        return met[0] if met else None

    def met(self, flight: int, until: float = np.inf) -> list[int]:
        """The indices of the objects that a flight meets before a time, in order."""
        times = self.touches[flight]
        order = np.argsort(times, kind="stable")
        end = min(until, float(self.landings[flight]))
        return [int(k) for k in order if times[k] < end]

    def heading(self, flight: int, time: float) -> float:
        """Degrees above the horizontal of the bird's velocity at a time."""
        angle = np.radians(self.angles[flight])
        x, y = LAUNCH_SPEED * np.cos(angle), LAUNCH_SPEED * np.sin(angle) - FALL * time
        return float(np.degrees(np.arctan2(y, x)))


def flights_of(angles: Sequence[float] | np.ndarray, objects: Sequence[GameObject], bird: str, rest: Vec) -> Flights:
    """The flights of a bird of the given colour, with the objects that they meet."""
    degrees = np.asarray(angles, float)
    circle = BIRDS[bird].circle
    times = _times()
    points = _points(degrees, rest) + circle.centre
    is_down = points[..., 1] - circle.radius <= GROUND_Y
    landings = np.where(is_down.any(axis=1), times[is_down.argmax(axis=1)], LONGEST)
    touches = np.full((len(degrees), len(objects)), np.inf)
    for k, obj in enumerate(objects):
        touches[:, k] = _touch_times(points, times, obj.corners, circle.radius)
    return Flights(degrees, tuple(objects), touches, landings)


def flight_path(angle: float, rest: Vec) -> tuple[np.ndarray, np.ndarray]:
    """Times [n] and positions [n, 2] of a flight."""
    return _times(), _points(np.array([angle]), rest)[0]


@lru_cache(maxsize=1)
def _times() -> np.ndarray:
    return STEP * np.arange(round(LONGEST / STEP))


def _points(angles: np.ndarray, rest: Vec) -> np.ndarray:
    """Positions of the bird: [angles, times, 2]."""
    radians, times = np.radians(angles)[:, None], _times()
    along = LAUNCH_SPEED * times - 1.0
    x = rest[0] + np.cos(radians) * along
    y = rest[1] + np.sin(radians) * along - FALL * times * (times + STEP) / 2.0
    return np.stack([x, y], axis=-1)


def _touch_times(points: np.ndarray, times: np.ndarray, corners: np.ndarray, radius: float) -> np.ndarray:
    """float [rows]: the first time at which a disc on each row of points touches a convex outline [n, 2]."""
    low, high = corners.min(axis=0) - radius, corners.max(axis=0) + radius
    near = ((points >= low) & (points <= high)).all(axis=-1)
    rows, columns = np.nonzero(near)
    first = np.full(len(points), np.inf)
    if len(rows):
        touching = _distances(points[rows, columns], corners) <= radius
        np.minimum.at(first, rows[touching], times[columns[touching]])
    return first


def _distances(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """float [n]: distances of points [n, 2] to a convex outline [m, 2]; 0 inside."""
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None] - corners
    lengths = np.maximum((edges**2).sum(axis=-1), 1e-12)
    shares = np.clip((offsets * edges).sum(axis=-1) / lengths, 0.0, 1.0)
    away = np.hypot(*np.moveaxis(offsets - shares[..., None] * edges, -1, 0)).min(axis=1)
    inside = (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0.0).all(axis=1)
    return np.asarray(np.where(inside, 0.0, away))
