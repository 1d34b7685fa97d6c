"""Trails: dots along the flights of birds, from the release to the first contact."""

from dataclasses import dataclass

import numpy as np

from tumble.phyq.observation.illustration import dots_along
from tumble.phyq.observation.view import Motion
from tumble.phyq.tasks.constants import FALL, REST_OFFSET

NEAR_SLING = 1.6
"""Flights that start at this distance from the rest point are releases; others are of split birds."""
LOST_ENERGY = 1.5
"""A flight ends where a bird loses so much energy for each unit of its mass: taps add energy, contacts take it."""


@dataclass(frozen=True)
class Trails:
    """Dots of the flights in a motion."""

    points: np.ndarray
    """float [dots, 2]."""
    first: np.ndarray
    """int [dots]: the frame in which a dot appears."""
    last: np.ndarray
    """int [dots]: the frame before the next bird is released."""

    def shown(self, frames: np.ndarray) -> np.ndarray:
        """bool [n, dots]: which dots are drawn in frames [n]."""
        at = np.asarray(frames)[:, None]
        return np.asarray((self.first <= at) & (at <= self.last))


def flights(motion: Motion) -> list[tuple[int, np.ndarray]]:
    """The first frame and the positions [n, 2] of each flight of a bird, in the order in which they start."""
    rest = np.add(motion.slingshot, REST_OFFSET)
    seconds = float(motion.seconds[1] - motion.seconds[0]) if len(motion.seconds) > 1 else 1.0
    found = []
    for k, one in enumerate(motion.objects):
        points = motion.poses[:, k, :2]
        present = np.isfinite(points).all(axis=1)
        if one.kind != "bird" or not present.any():
            continue
        seen = int(np.argmax(present))
        stands = (points == rest).all(axis=1) | (points == points[seen]).all(axis=1)
        if stands[seen:].all():
            continue
        start = seen + int(np.argmin(stands[seen:]))
        gone = np.flatnonzero(~present[start:])
        flown = points[start : start + int(gone[0]) if len(gone) else None]
        if len(flown) > 1:
            found.append((start, flown[: _contact(flown, seconds)]))
    return sorted(found, key=lambda flight: flight[0])


def trails(motion: Motion) -> Trails:
    """The trails of a motion; those of one bird disappear when the next is released."""
    found = flights(motion)
    rest = np.add(motion.slingshot, REST_OFFSET)
    releases = [start for start, flown in found if np.hypot(*(flown[0] - rest)) < NEAR_SLING]
    points, first, last = [np.empty((0, 2))], [np.empty(0)], [np.empty(0)]
    for start, flown in found:
        dots, at = dots_along(flown)
        later = [other for other in releases if other > start]
        points.append(dots)
        first.append(start + np.ceil(at))
        last.append(np.full(len(dots), later[0] - 1 if later else len(motion.poses)))
    return Trails(np.concatenate(points), np.concatenate(first).astype(int), np.concatenate(last).astype(int))


def _contact(flown: np.ndarray, seconds: float) -> int:
    """The number of positions until a flight [n, 2] with this time between positions has its first contact."""
    velocity = np.diff(flown, axis=0) / seconds
    energy = (velocity**2).sum(axis=1) / 2.0 + FALL * (flown[1:, 1] + flown[:-1, 1]) / 2.0
    lost = np.flatnonzero(np.diff(energy) < -LOST_ENERGY)
    return int(lost[0]) + 2 if len(lost) else len(flown)
