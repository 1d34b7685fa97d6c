"""Infers hidden masses and charges: those whose simulation explains the motion in view best.

A set has at most one heavy body and at most one charged pair, whose charges are the same or opposite; every such
assignment is a hypothesis. Short segments around each collision and each closest approach are simulated again, for all
hypotheses in one batch; bodies out of view start from where they should be (`completion`), and their motion is not
compared. The error of a hypothesis is summed over the segments, and hypotheses that fall behind are dropped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.comphy.agents.completion import complete_track
from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, Motion
from tumble.comphy.catalogue.task import Observation
from tumble.comphy.catalogue.world import STEPS_PER_FRAME
from tumble.comphy.simulation.events import pair_distances, pairs_of
from tumble.comphy.simulation.simulator import InitialState, simulate_many

COLLISION_FRAMES = 5
"""Frames of a segment that starts with the frame before a contact."""
APPROACH_FRAMES = 9
"""Frames of a segment around the frame in which two bodies are closest."""
APPROACH_DISTANCE = 2.5
"""Closest approaches beyond this distance are ignored."""
MAX_ERROR = 0.5
"""Units per second: the largest error of a segment, since some collisions are sensitive to the last digit."""
PRUNE_MARGIN = 1.0
"""A hypothesis whose error exceeds the smallest one by this is dropped."""
TIE_MARGIN = 1e-4
"""Hypotheses whose errors differ by less are equally good; the one with fewer hidden properties is chosen."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Some frames of a video, to be simulated again."""

    members: tuple[int, ...]
    motion: Motion
    """Completed: bodies out of view have states too."""
    first: int
    frames: int

    def errors(self, hypotheses: Sequence[tuple[Body, ...]]) -> list[float]:
        """For each hypothesis the largest mean velocity error of a body while it is in view, in units per second."""
        start = InitialState.from_motion(self.motion, self.first)
        motions = simulate_many([(bodies, start) for bodies in hypotheses], self.frames)
        span = slice(self.first, self.first + self.frames)
        seen = self.motion.in_view[span]
        differences = np.stack([motion.velocities for motion in motions]) - self.motion.velocities[span]
        errors = np.where(seen, np.linalg.norm(differences, axis=-1), 0.0)
        means = errors.sum(axis=1) / np.maximum(seen.sum(axis=0), 1)
        return [float(error) for error in np.minimum(means.max(axis=1), MAX_ERROR)]


def hypotheses(looks: tuple[Body, ...]) -> list[tuple[Body, ...]]:
    """All assignments of masses and charges to bodies that look like these, that without hidden properties first.

    One of two charges is positive.
    """
    count = len(looks)
    light, neutral = [LIGHT] * count, [0] * count
    all_masses = [light, *([HEAVY if k == heavy else LIGHT for k in range(count)] for heavy in range(count))]
    all_charges = [neutral]
    for one, other in pairs_of(count):
        for sign in (1, -1):
            all_charges.append([1 if k == one else sign if k == other else 0 for k in range(count)])
    return [
        tuple(
            replace(body, mass=mass, charge=charge) for body, mass, charge in zip(looks, masses, charges, strict=True)
        )
        for masses in all_masses
        for charges in all_charges
    ]


def infer(observation: Observation) -> tuple[Body, ...]:
    """The bodies with the properties that explain the observation best."""
    errors = dict.fromkeys(hypotheses(observation.bodies), 0.0)
    for segment in _segments(observation):
        members = {bodies: _restricted(bodies, segment.members) for bodies in errors}
        distinct = list(dict.fromkeys(members.values()))
        segment_errors = dict(zip(distinct, segment.errors(distinct), strict=True)) if len(distinct) > 1 else {}
        for bodies in errors:
            errors[bodies] += segment_errors.get(members[bodies], 0.0)
        best = min(errors.values())
        errors = {bodies: error for bodies, error in errors.items() if error < best + PRUNE_MARGIN}
    best = min(errors.values())
    return min((bodies for bodies, error in errors.items() if error < best + TIE_MARGIN), key=_hidden_properties)


def same_charges(one: tuple[Body, ...], other: tuple[Body, ...]) -> bool:
    """Whether the same bodies are charged, in the same relation; the sign itself can't be observed."""
    first, second = ([body.charge for body in bodies] for bodies in (one, other))
    return first in (second, [-charge for charge in second])


def _hidden_properties(bodies: tuple[Body, ...]) -> int:
    return sum(body.is_heavy for body in bodies) + sum(body.is_charged for body in bodies)


def _restricted(bodies: tuple[Body, ...], members: tuple[int, ...]) -> tuple[Body, ...]:
    """The bodies of one video; a single charge has no effect there and is removed."""
    restricted = tuple(bodies[k] for k in members)
    if sum(body.is_charged for body in restricted) > 1:
        return restricted
    return tuple(replace(body, charge=0) for body in restricted)


def _segments(observation: Observation) -> Iterator[Segment]:
    """The segments of the references first: they have fewer bodies, and so fewer hypotheses to simulate."""
    for video in (*observation.references, observation.target):
        motion = complete_track([observation.bodies[k] for k in video.members], video.track)
        for first, frames in sorted(_spans(motion)):
            yield Segment(video.members, motion, first, min(frames, motion.frames - first))


def _spans(motion: Motion) -> set[tuple[int, int]]:
    """First frame and number of frames of each informative segment."""
    spans = {(collision.step // STEPS_PER_FRAME, COLLISION_FRAMES) for collision in motion.collisions}
    for one, other in pairs_of(motion.bodies):
        both_seen = motion.in_view[:, one] & motion.in_view[:, other]
        distance = np.where(both_seen, pair_distances(motion, one, other), np.inf)
        closest = int(distance.argmin())
        if distance[closest] < APPROACH_DISTANCE:
            spans.add((max(closest - APPROACH_FRAMES // 2, 0), APPROACH_FRAMES))
    return {(first, frames) for first, frames in spans if first < motion.frames - 1}
