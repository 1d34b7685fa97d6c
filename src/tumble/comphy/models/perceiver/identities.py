"""Which tracks of the videos of a set show the same body: no two bodies of a set look the same.

Where single looks are uncertain, the likeliest grouping of all tracks of a set is found. Frames of a track are alike,
so wrong looks repeat: a wood bowl at rest can be called rubber in all frames of a video. The log probabilities of a
track are therefore divided by a temperature of each attribute. Tracks are merged by the odds that one body rather
than two has shown them, given their looks and what holds for all sets of the world, which have few shapes and
materials.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, log

import numpy as np

from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.models.perceiver.targets import look_counts
from tumble.comphy.models.perceiver.tracking import Detections, Track, assign

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


TEMPERATURES = (1.0, 4.0, 4.0)
"""Of colours, materials and shapes: a track of n detections says as much as the square root of n, divided by these.
Fitted to 301 tracks of 20 sets by the log probabilities of true words: a mean loss of 0.20 with materials and of 0.08
with shapes, against 0.23 and 0.10 with the best temperatures of sums over detections. Any does for colours."""
UNSURE_SHARE = 0.01
"""Share of detections whose looks say nothing."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Log probabilities of colours, materials and shapes, summed over tracks."""

    parts: tuple[np.ndarray, ...]
    """float64 [word] each: how much likelier each word is than without the tracks, in nats."""

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(tuple(one + two for one, two in zip(self.parts, other.parts, strict=True)))

    def log_odds(self) -> float:
        """Nats by which it is likelier that one body has shown all tracks than that each has shown another body.

        >>> sure = Evidence((np.log([1.9, 0.1]),))
        >>> round(math.exp((sure + sure).log_odds()), 3)
        1.81
        """
        return float(sum(_log_mean(part) for part in self.parts))

    def looks(self) -> np.ndarray:
        """float64 [colour, material, shape]: log probabilities."""
        color, material, shape = (part - _log_sum(part) for part in self.parts)
        return np.asarray(color[:, None, None] + material[:, None] + shape)


def attribute_logs(looks: np.ndarray, world: ObjectWorld) -> tuple[np.ndarray, ...]:
    """[detection, word] for colours, materials and shapes: log probabilities, from those of looks [detection, look]."""
    joint = np.exp(looks.astype(float)).reshape(-1, *look_counts(world))
    shares = (joint.sum(axis=others) for others in ((2, 3), (1, 3), (1, 2)))
    return tuple(np.log((1.0 - UNSURE_SHARE) * share + UNSURE_SHARE / share.shape[1]) for share in shares)


def track_evidence(logs: tuple[np.ndarray, ...], detections: list[int]) -> Evidence:
    """What the detections of a track say together."""
    parts = []
    for part, temperature in zip(logs, TEMPERATURES, strict=True):
        total = part[detections].sum(axis=0) / (temperature * len(detections) ** 0.5)
        parts.append(total - _log_mean(total))
    return Evidence(tuple(parts))


def _log_sum(values: np.ndarray) -> float:
    highest = values.max()
    return float(highest + np.log(np.exp(values - highest).sum()))


def _log_mean(values: np.ndarray) -> float:
    return _log_sum(values) - math.log(len(values))


MOST_SHAPES, MOST_MATERIALS = 4, 3
"""Shapes and materials that are drawn for a set of the div world (`generation.make_set`); each body has one of each."""
BEAM = 100
"""Choices for some of the bodies that are kept while those of the others are added."""


def likely_looks(bodies: list[Evidence], world: ObjectWorld) -> list[int]:
    """The look of each body: the choice of highest probability of all that a set can have."""
    number = np.arange(np.prod(look_counts(world)))
    _, material, shape = np.unravel_index(number, look_counts(world))
    of_materials, of_shapes = _priors(len(world.materials), MOST_MATERIALS), _priors(len(world.shapes), MOST_SHAPES)
    chosen = np.zeros((1, 0), np.int64)  # [choice, body]
    totals = np.zeros(1)
    for body in bodies:
        longer = totals[:, None] + body.looks().ravel()  # [choice, look]
        ranks = (
            longer + of_materials[_with_each(material[chosen], material)] + of_shapes[_with_each(shape[chosen], shape)]
        )
        ranks[(chosen[:, :, None] == number).any(axis=1)] = -np.inf
        best = np.argsort(-ranks, axis=None, kind="stable")[: min(BEAM, int(np.isfinite(ranks).sum()))]
        rows, looks = np.unravel_index(best, longer.shape)
        chosen, totals = np.column_stack([chosen[rows], looks]), longer[rows, looks]
    return [int(look) for look in chosen[0]]


def _priors(words: int, most: int) -> np.ndarray:
    """By the number of words that occur: the log of the number of ways to draw `most` words with these among them.

    >>> np.exp(_priors(5, 3)).round(6).tolist()
    [10.0, 6.0, 3.0, 1.0, 0.0, 0.0]
    """
    ways = [comb(words - count, most - count) if count <= most else 0 for count in range(words + 1)]
    return np.array([log(number) if number else -np.inf for number in ways])


def _with_each(words: np.ndarray, added: np.ndarray) -> np.ndarray:
    """int [choice, look]: how many different words choices [choice, body] have with the word of each look."""
    counts = np.array([len(set(row)) for row in words.tolist()], np.int64)
    return np.asarray(counts[:, None] + (words[:, :, None] != added).all(axis=1))


TARGET_VIDEO = 0
"""Number of the target among the videos of a set."""
NO_TARGET = 6.0
NO_REFERENCE = 6.0
"""Nats that a body costs which is not seen in the target, or in no reference: each of the 1,792 bodies of 400 sets
(seed 20261117) is in view for at least 5 frames of the target and of a reference."""
IN_VIEW = 5
"""Frames from which a body is seen there; these costs are less in proportion if it is seen in some."""
ANY_BODY = 1.0
"""Nats that each body costs."""
JUMP_COST = 1.0
"""Nats by which one body is less likely for each distance more than a body moves between its tracks."""
SHARED, MOST_SHARED = 1.0, 4
"""Nats by which one body is less likely for each frame in which it would be seen twice, and most such frames: a track
may go on for a few frames after another one has taken over."""
LEAST_LEFT, LEAST_SURE_LEFT = 0.0, -6.0
"""Log odds with which a track that belongs to no body joins one, and the same of one that is sure."""
LONG_TRACK = 5
"""Detections of a track from which bodies are made; shorter ones only join them."""
LEAST_MEAN_SCORE = 0.54
"""Of the detections of such a track: those of floors and shadows had 0.53 at most, those of bodies more, but for one of
149 (12 sets)."""
LEAST_THERE = 4
"""Detections of a body in a reference, else it is not there: so each reference of 48 sets has as many as are in it."""
LEAST_OF_BODY = 8
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
        in_target = sum(len(track) for track in self.tracks if track.video == TARGET_VIDEO)
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
    bodies = [one for one in sorted(groups, key=lambda one: -one.detections) if one.detections >= LEAST_OF_BODY][
        :MOST_BODIES
    ]
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
    body.tracks = [track for track in body.tracks if track.video == TARGET_VIDEO or counts[track.video] >= LEAST_THERE]
    return body


def _is_sure(group: Group, found: list[Detections]) -> bool:
    """Whether its tracks are not taken for wrong detections."""
    scores = np.concatenate([found[track.video].scores[track.detections] for track in group.tracks])
    return len(scores) >= LONG_TRACK and float(scores.mean()) >= LEAST_MEAN_SCORE


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
    return alike - JUMP_COST * _jumps(one, other) - SHARED * shared


def _jumps(one: Group, other: Group) -> float:
    """How much farther than bodies move it is from detections of one group to the next ones of the other, summed."""
    places = np.concatenate([one.places, other.places])
    owners = np.repeat([0, 1], [len(one.places), len(other.places)])
    order = np.lexsort((owners, places[:, 1], places[:, 0]))
    steps, changes = np.diff(places[order], axis=0), np.diff(owners[order]) != 0
    steps = steps[changes & (steps[:, 0] == 0.0)]
    scales = START + SPEED * np.maximum(steps[:, 1], 1.0)
    return float((np.maximum(np.hypot(steps[:, 2], steps[:, 3]) - scales, 0.0) / scales).sum())
