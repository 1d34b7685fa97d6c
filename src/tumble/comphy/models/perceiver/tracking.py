"""Tracks: detections of a video linked over frames, by where a body is expected and by its looks."""

from dataclasses import dataclass, field

import numpy as np

from tumble.comphy.models.perceiver.assignment import assign
from tumble.comphy.models.perceiver.decode import Detections

LONGEST_GAP = 8
"""Frames without a detection after which a track ends; looks join its parts later."""
REACH, REACH_PER_FRAME = 14.0, 4.0
"""Largest distance of a body from its expected place, in pixels, and what each missed frame adds to it."""
POSITION_SCALE = 6.0
"""Pixels from the expected place that cost 1."""
LEAST_ALIKE = 1e-3
"""Probability that two detections look the same, at least: a wrong look does not exclude a link."""
MOST_COST = 8.5
FORBIDDEN = 1e6


@dataclass(eq=False)
class Track:
    """Detections of one body in one video, without a long gap."""

    video: int
    detections: list[int] = field(default_factory=list)
    """Indices in the video's detections, by frame."""
    frames: list[int] = field(default_factory=list)
    looks: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """[48]: the sum of the detections' log probabilities."""
    first: np.ndarray = field(default_factory=lambda: np.zeros(2))
    last: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """Centres at both ends, in pixels."""
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(2))
    """Pixels per frame, at the end."""

    def __len__(self) -> int:
        return len(self.frames)

    def add(self, detection: int, frame: int, centre: np.ndarray, looks: np.ndarray) -> None:
        """Continues the track."""
        if self.frames:
            step = (centre - self.last) / (frame - self.frames[-1])
            self.velocity = step if len(self) == 1 else 0.5 * (self.velocity + step)
            self.looks = self.looks + looks
        else:
            self.first, self.looks = centre, looks.copy()
        self.detections.append(detection)
        self.frames.append(frame)
        self.last = centre

    def expected(self, frame: int) -> np.ndarray:
        """Where the body should be in a later frame."""
        return np.asarray(self.last + self.velocity * (frame - self.frames[-1]))


def link(found: Detections, video: int = 0) -> list[Track]:
    """The tracks of a video."""
    looks = np.maximum(found.looks, np.log(LEAST_ALIKE)).astype(float)
    shares = np.exp(found.looks.astype(float))
    finished: list[Track] = []
    active: list[Track] = []
    starts = np.flatnonzero(np.diff(found.frames, prepend=-1))
    for first, end in zip(starts, np.append(starts, len(found))[1:], strict=True):
        frame, here = int(found.frames[first]), np.arange(first, end)
        finished += [track for track in active if frame - track.frames[-1] > LONGEST_GAP]
        active = [track for track in active if frame - track.frames[-1] <= LONGEST_GAP]
        linked = set()
        if active:
            costs = _costs(active, frame, found.centres[here], shares[here])
            for row, column in assign(costs):
                if costs[row, column] <= MOST_COST:
                    at = int(here[column])
                    active[row].add(at, frame, found.centres[at], looks[at])
                    linked.add(at)
        for at in map(int, here):
            if at not in linked:
                track = Track(video)
                track.add(at, frame, found.centres[at], looks[at])
                active.append(track)
    return finished + active


def _costs(tracks: list[Track], frame: int, centres: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """[track, detection]: how little a detection continues a track."""
    expected = np.array([track.expected(frame) for track in tracks])
    gaps = np.array([frame - track.frames[-1] for track in tracks])
    apart = np.linalg.norm(centres - expected[:, None], axis=-1)
    means = np.array([track.looks / len(track) for track in tracks])
    own = np.exp(means - means.max(axis=1, keepdims=True))
    alike = np.maximum(own / own.sum(axis=1, keepdims=True) @ shares.T, LEAST_ALIKE)
    costs = apart / POSITION_SCALE - np.log(alike)
    costs[apart > (REACH + REACH_PER_FRAME * (gaps - 1))[:, None]] = FORBIDDEN
    return np.asarray(costs)
