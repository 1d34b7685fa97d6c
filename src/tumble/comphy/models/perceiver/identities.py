"""Which tracks of the videos of a set show the same body: no two bodies of a set look the same."""

from dataclasses import dataclass, field

import numpy as np

from tumble.comphy.models.perceiver.assignment import assign
from tumble.comphy.models.perceiver.tracking import Track

MOST_BODIES = 5
LEAST_DETECTIONS = 4
"""Of a body in all videos; less is taken for a wrong detection."""
LEAST_IN_REFERENCE = 2
"""Detections by which a body belongs to a reference."""
MOST_UNLIKE = 2.0
"""Nats per detection that a track may lose by the look of the body that it joins."""
MOST_UNLIKE_LEFT = 4.0
"""The same of tracks that would be dropped."""
SPEED, START = 4.0, 12.0
"""Pixels per frame, and pixels besides, that a body moves between its tracks; each such distance more costs 1."""


@dataclass(eq=False)
class SetBody:
    """A body of a set."""

    looks: np.ndarray
    """[look]: the sum of all detections' log probabilities."""
    tracks: list[Track] = field(default_factory=list)
    look: int = -1
    """Index of its look, once it is decided."""

    @property
    def detections(self) -> int:
        """Number of its detections."""
        return sum(map(len, self.tracks))

    def add(self, track: Track) -> None:
        """Takes a track."""
        self.tracks.append(track)
        self.looks = self.looks + track.looks

    def has_room(self, track: Track) -> bool:
        """Whether it is seen in none of the track's frames."""
        taken = {frame for own in self.tracks if own.video == track.video for frame in own.frames}
        return taken.isdisjoint(track.frames)

    def distance(self, track: Track) -> float:
        """How much farther the track is from the body's other tracks of that video than a body moves."""
        costs = [_jump(own, track) for own in self.tracks if own.video == track.video]
        return min(costs, default=0.0)


def find_bodies(tracks: list[Track]) -> list[SetBody]:
    """The bodies of a set, ordered by their looks, from the tracks of all its videos."""
    groups: list[SetBody] = []
    for track in sorted(tracks, key=lambda one: (-len(one), one.video, one.frames[0])):
        group = _best_group(groups, track, MOST_UNLIKE)
        if group is None:
            group = SetBody(np.zeros_like(track.looks))
            groups.append(group)
        group.add(track)
    groups.sort(key=lambda one: -one.detections)
    bodies = [one for one in groups if one.detections >= LEAST_DETECTIONS]
    bodies = [one for k, one in enumerate(bodies) if not _is_shadow(one, bodies[:k])][:MOST_BODIES]
    for group in groups:
        if group not in bodies:
            for track in group.tracks:
                best = _best_group(bodies, track, MOST_UNLIKE_LEFT)
                if best is not None and best.distance(track) <= 1.0:
                    best.add(track)
    for row, look in assign(-np.array([body.looks for body in bodies])) if bodies else []:
        bodies[row].look = look
    return sorted(bodies, key=lambda one: one.look)


def _best_group(groups: list[SetBody], track: Track, limit: float) -> SetBody | None:
    """The group that a track fits best, if its looks are within the limit."""
    costs = [(_unlike(group, track), group) for group in groups if group.has_room(track)]
    fitting = [(cost + group.distance(track), k) for k, (cost, group) in enumerate(costs) if cost <= limit]
    return costs[min(fitting)[1]][1] if fitting else None


def _unlike(group: SetBody, track: Track) -> float:
    """Nats per detection that group and track lose by having one look, counted for the smaller one."""
    lost = group.looks.max() + track.looks.max() - (group.looks + track.looks).max()
    return float(lost) / max(min(len(track), group.detections), 1)


def _is_shadow(group: SetBody, larger: list[SetBody]) -> bool:
    """Whether it looks like a body with far more detections: a part of that body that was detected twice."""
    look = group.looks.argmax()
    return any(look == one.looks.argmax() and group.detections < 0.5 * one.detections for one in larger)


def _jump(one: Track, other: Track) -> float:
    early, late = (one, other) if one.frames[-1] < other.frames[0] else (other, one)
    frames = max(late.frames[0] - early.frames[-1], 1)
    apart = float(np.linalg.norm(late.first - early.last))
    scale = START + SPEED * frames
    return max(apart - scale, 0.0) / scale
