"""Which tracks show the same body where single looks are uncertain: the likeliest grouping of all tracks of a set.

Frames of a track are alike, so wrong looks repeat: a wood bowl at rest can be called rubber in all frames of a video.
The log probabilities of a track are therefore divided by a temperature of each attribute. Tracks are merged by the odds
that one body rather than two has shown them, given their looks and what holds for all sets of the world.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.models.perceiver.decode import Detections
from tumble.comphy.models.perceiver.identities import MOST_BODIES, SPEED, START, SetBody
from tumble.comphy.models.perceiver.likely_looks import likely_looks
from tumble.comphy.models.perceiver.looks import Evidence, attribute_logs, track_evidence
from tumble.comphy.models.perceiver.tracking import Track

TARGET = 0
"""Number of the target among the videos of a set."""
NO_TARGET = 6.0
NO_REFERENCE = 6.0
"""Nats that a body costs which is not seen in the target, or in no reference: each of the 1,792 bodies of 400 sets
(seed 20261117) is in view for at least 5 frames of the target and of a reference."""
IN_VIEW = 5
"""Frames from which a body is seen there; these costs are less in proportion if it is seen in some."""
ANY_BODY = 1.0
"""Nats that each body costs."""
JUMP = 1.0
"""Nats by which one body is less likely for each distance more than a body moves between its tracks."""
SHARED, MOST_SHARED = 1.0, 4
"""Nats by which one body is less likely for each frame in which it would be seen twice, and most such frames: a track
may go on for a few frames after another one has taken over."""
LEAST_LEFT, LEAST_SURE_LEFT = 0.0, -6.0
"""Log odds with which a track that belongs to no body joins one, and the same of one that is sure."""
LONG = 5
"""Detections of a track from which bodies are made; shorter ones only join them."""
LEAST_MEAN_SCORE = 0.54
"""Of the detections of such a track: those of floors and shadows had 0.53 at most, those of bodies more, but for one of
149 (12 sets)."""
LEAST_THERE = 4
"""Detections of a body in a reference, else it is not there: so each reference of 48 sets has as many as are in it."""
LEAST = 8
"""Detections of a body in all videos."""


@dataclass(frozen=True, eq=False)
class Group:
    """Tracks that are taken for one body."""

    tracks: tuple[Track, ...]
    evidence: Evidence
    places: np.ndarray
    """float64 [detection, 4]: video, frame, x and y in pixels."""

    @property
    def detections(self) -> int:
        """Number of their detections."""
        return len(self.places)

    @property
    def frames(self) -> set[tuple[int, int]]:
        """Videos and frames in which it is seen."""
        return {(track.video, frame) for track in self.tracks for frame in track.frames}

    @property
    def prior(self) -> float:
        """Log odds that a set has a body that is seen in these videos, up to a constant."""
        in_target = sum(len(track) for track in self.tracks if track.video == TARGET)
        missing = [max(1.0 - count / IN_VIEW, 0.0) for count in (in_target, self.detections - in_target)]
        return -ANY_BODY - NO_TARGET * missing[0] - NO_REFERENCE * missing[1]

    def with_group(self, other: "Group") -> "Group":
        """Both as one."""
        places = np.concatenate([self.places, other.places])
        return Group(self.tracks + other.tracks, self.evidence + other.evidence, places)


def find_bodies_jointly(tracks: list[Track], found: list[Detections], world: ObjectWorld) -> list[SetBody]:
    """The bodies of a set, ordered by their looks, from the tracks in the detections of all its videos."""
    logs = [attribute_logs(one.looks, world) for one in found]
    single = [_single(track, found[track.video], logs[track.video]) for track in tracks]
    groups = _merged([one for one in single if _is_sure(one, found)])
    bodies = [one for one in sorted(groups, key=lambda one: -one.detections) if one.detections >= LEAST][:MOST_BODIES]
    looks = likely_looks([body.evidence for body in bodies], world)
    taken = {id(track) for body in bodies for track in body.tracks}
    for left in sorted(single, key=lambda one: -one.detections):
        if bodies and id(left.tracks[0]) not in taken:
            odds, at = max((_odds(body, left), -k) for k, body in enumerate(bodies))
            if odds >= (LEAST_SURE_LEFT if _is_sure(left, found) else LEAST_LEFT):
                bodies[-at] = bodies[-at].with_group(left)
    result = [_set_body(body, look, found) for body, look in zip(bodies, looks, strict=True)]
    return sorted(result, key=lambda one: one.look)


def _single(track: Track, found: Detections, logs: tuple[np.ndarray, ...]) -> Group:
    """A track by itself; `found` and `logs` are those of its video."""
    places = [np.full(len(track), track.video), track.frames, *found.centres[track.detections].T]
    return Group((track,), track_evidence(logs, track.detections), np.column_stack(places).astype(float))


def _set_body(group: Group, look: int, found: list[Detections]) -> SetBody:
    """The body of a group, without references in which it is hardly seen; frames with two detections have one."""
    body = SetBody(np.zeros_like(group.tracks[0].looks), look=look)
    taken: set[tuple[int, int]] = set()
    for track in sorted(group.tracks, key=lambda one: -len(one)):
        rest, one = Track(track.video), found[track.video]
        for detection, frame in zip(track.detections, track.frames, strict=True):
            if (track.video, frame) not in taken:
                rest.add(detection, frame, one.centres[detection], one.looks[detection])
        if len(rest):
            body.add(rest)
            taken |= {(track.video, frame) for frame in rest.frames}
    counts = Counter(video for video, _ in taken)
    body.tracks = [track for track in body.tracks if track.video == TARGET or counts[track.video] >= LEAST_THERE]
    return body


def _is_sure(group: Group, found: list[Detections]) -> bool:
    """Whether its tracks are not taken for wrong detections."""
    scores = np.concatenate([found[track.video].scores[track.detections] for track in group.tracks])
    return len(scores) >= LONG and float(scores.mean()) >= LEAST_MEAN_SCORE


def _merged(groups: list[Group]) -> list[Group]:
    """Groups after merging the two that gain most by it, again and again, while they gain."""
    groups = list(groups)
    gains = {(one, other): _gain(one, other) for one, other in combinations(groups, 2)}
    while gains:
        one, other = max(gains, key=gains.__getitem__)
        if gains[one, other] <= 0.0:
            break
        both = one.with_group(other)
        groups = [group for group in groups if group not in (one, other)]
        gains = {pair: gain for pair, gain in gains.items() if one not in pair and other not in pair}
        gains |= {(group, both): _gain(group, both) for group in groups}
        groups.append(both)
    return groups


def _gain(one: Group, other: Group) -> float:
    """Nats by which one body is likelier than two, as those of sets are."""
    return _odds(one, other) + one.with_group(other).prior - one.prior - other.prior


def _odds(one: Group, other: Group) -> float:
    """Log odds of one body rather than two by how they look and move."""
    shared = len(one.frames & other.frames)
    if shared > MOST_SHARED or 2 * shared > min(one.detections, other.detections):
        return -np.inf
    alike = (one.evidence + other.evidence).log_odds() - one.evidence.log_odds() - other.evidence.log_odds()
    return alike - JUMP * _jumps(one, other) - SHARED * shared


def _jumps(one: Group, other: Group) -> float:
    """How much farther than bodies move it is from detections of one group to the next ones of the other, summed."""
    places = np.concatenate([one.places, other.places])
    owners = np.repeat([0, 1], [len(one.places), len(other.places)])
    order = np.lexsort((owners, places[:, 1], places[:, 0]))
    steps, changes = np.diff(places[order], axis=0), np.diff(owners[order]) != 0
    steps = steps[changes & (steps[:, 0] == 0.0)]
    scales = START + SPEED * np.maximum(steps[:, 1], 1.0)
    return float((np.maximum(np.hypot(steps[:, 2], steps[:, 3]) - scales, 0.0) / scales).sum())
