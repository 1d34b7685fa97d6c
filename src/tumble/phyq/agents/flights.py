"""What flights meet: many releases at once, each against everything that can be seen.

Only shapes and places count, as agents see them; what happens after a touch is not their knowledge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tumble.phyq.observation.things import Thing
from tumble.phyq.tasks.constants import FALL, GROUND_Y, LAUNCH_SPEED, STEP
from tumble.phyq.tasks.pieces import BIRDS
from tumble.scene import Circle, Vec

LONGEST = 5.0
"""Seconds that a flight is followed; the steepest ones are back on the ground after 4.3."""


@dataclass(frozen=True)
class Flights:
    """Flights at full power, one for each angle."""

    angles: np.ndarray
    """float [n]: degrees."""
    things: tuple[Thing, ...]
    touches: np.ndarray
    """float [n, things]: seconds until the bird would touch a thing if nothing else were there; infinite for never."""
    landings: np.ndarray
    """float [n]: seconds until the ground."""

    def first(self, flight: int) -> int | None:
        """The thing that a flight meets first; None for the ground."""
        met = self.met(flight)
        return met[0] if met else None

    def met(self, flight: int, until: float = np.inf) -> list[int]:
        """The things on the way of a flight before a time, in their order."""
        times = self.touches[flight]
        order = np.argsort(times, kind="stable")
        end = min(until, float(self.landings[flight]))
        return [int(k) for k in order if times[k] < end]

    def heading(self, flight: int, time: float) -> float:
        """Degrees above the horizontal in which the bird flies at a time."""
        turn = np.radians(self.angles[flight])
        x, y = LAUNCH_SPEED * np.cos(turn), LAUNCH_SPEED * np.sin(turn) - FALL * time
        return float(np.degrees(np.arctan2(y, x)))


def fly(angles: Sequence[float] | np.ndarray, things: Sequence[Thing], bird: str, rest: Vec) -> Flights:
    """What flights of a bird meet."""
    turns = np.asarray(angles, float)
    shape = BIRDS[bird].piece.shape
    assert isinstance(shape, Circle)
    times = _times()
    points = _points(turns, rest) + shape.centre
    down = points[..., 1] - shape.radius <= GROUND_Y
    landings = np.where(down.any(axis=1), times[down.argmax(axis=1)], LONGEST)
    touches = np.full((len(turns), len(things)), np.inf)
    for k, thing in enumerate(things):
        touches[:, k] = _touch_times(points, times, thing.corners, shape.radius)
    return Flights(turns, tuple(things), touches, landings)


def places(angle: float, rest: Vec) -> tuple[np.ndarray, np.ndarray]:
    """Times and points [n, 2] of a flight."""
    return _times(), _points(np.array([angle]), rest)[0]


@lru_cache(maxsize=1)
def _times() -> np.ndarray:
    return STEP * np.arange(round(LONGEST / STEP))


def _points(angles: np.ndarray, rest: Vec) -> np.ndarray:
    """Where the bird is: [angles, times, 2]."""
    turns, times = np.radians(angles)[:, None], _times()
    along = LAUNCH_SPEED * times - 1.0
    x = rest[0] + np.cos(turns) * along
    y = rest[1] + np.sin(turns) * along - FALL * times * (times + STEP) / 2.0
    return np.stack([x, y], axis=-1)


def _touch_times(points: np.ndarray, times: np.ndarray, corners: np.ndarray, radius: float) -> np.ndarray:
    """The first time at which a disc along each row of points touches a convex outline."""
    low, high = corners.min(axis=0) - radius, corners.max(axis=0) + radius
    near = ((points >= low) & (points <= high)).all(axis=-1)
    rows, columns = np.nonzero(near)
    found = np.full(len(points), np.inf)
    if len(rows):
        touching = _distances(points[rows, columns], corners) <= radius
        np.minimum.at(found, rows[touching], times[columns[touching]])
    return found


def _distances(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How far points [n, 2] are from a convex outline, 0 inside."""
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None] - corners
    lengths = np.maximum((edges**2).sum(axis=-1), 1e-12)
    shares = np.clip((offsets * edges).sum(axis=-1) / lengths, 0.0, 1.0)
    away = np.hypot(*np.moveaxis(offsets - shares[..., None] * edges, -1, 0)).min(axis=1)
    inside = (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0.0).all(axis=1)
    return np.asarray(np.where(inside, 0.0, away))
