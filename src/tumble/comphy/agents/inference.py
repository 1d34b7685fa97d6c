"""Finds hidden masses and charges: those whose simulation explains best what was seen of a set.

A set has no heavy body or one, and no charged pair or one, whose charges are the same or opposite; every such
assignment is a hypothesis. Around each collision and each closest approach the motion is simulated anew for a moment
from a state that was seen. What a hypothesis then gets wrong counts against it, and those that fall behind are dropped.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tumble.comphy.simulation.events import distances, pairs_of
from tumble.comphy.simulation.simulator import Start, simulate
from tumble.comphy.tasks.body import HEAVY, LIGHT, Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Reference, VideoSet

COLLISION_FRAMES = 5
"""Simulated anew from the frame before two bodies touch."""
PASSING_FRAMES = 9
"""Simulated anew around the frame in which two bodies are closest …"""
PASSING_DISTANCE = 2.5
"""… if they come closer than this."""
WORST = 0.5
"""Units per second: a moment counts at most so much against a hypothesis, as some collisions hang on the last digit."""
BEHIND = 1.0
"""A hypothesis that is so much worse than the best is dropped."""
SAME = 1e-4
"""Hypotheses that differ by less explain as much; the one with fewer hidden properties counts."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What can be seen of a set: looks and motion, but neither hidden properties nor the future."""

    looks: tuple[tuple[str, str, str], ...]
    target: Motion
    references: tuple[Reference, ...]


@dataclass(frozen=True, eq=False)
class Moment:
    """Some frames of a video, to be simulated anew."""

    members: tuple[int, ...]
    motion: Motion
    first: int
    frames: int

    def error(self, bodies: tuple[Body, ...]) -> float:
        """By how much velocities come out different, in units per second, if these were the bodies."""
        again = simulate(bodies, Start.from_motion(self.motion, self.first), self.frames)
        seen = self.motion.velocities[self.first : self.first + self.frames]
        off = np.linalg.norm(again.velocities - seen, axis=-1)
        return min(float(off.mean(axis=0).max()), WORST)


def seen_of(videos: VideoSet) -> Seen:
    """What a set shows."""
    return Seen(tuple(body.looks for body in videos.bodies), shown_part(videos.target), videos.references)


def shown_part(motion: Motion) -> Motion:
    """A target's motion up to its last shown frame."""
    return Motion(
        motion.positions[:SHOWN_FRAMES],
        motion.orientations[:SHOWN_FRAMES],
        motion.velocities[:SHOWN_FRAMES],
        motion.spins[:SHOWN_FRAMES],
        motion.inside[:SHOWN_FRAMES],
        tuple(one for one in motion.collisions if one.step < SHOWN_FRAMES * STEPS_PER_FRAME),
    )


def hypotheses(looks: tuple[tuple[str, str, str], ...]) -> list[tuple[Body, ...]]:
    """All bodies that a set of such looks can have, the plainest first; of two charges one is positive."""
    count = len(looks)
    light, neutral = [LIGHT] * count, [0] * count
    masses = [light, *([HEAVY if k == heavy else LIGHT for k in range(count)] for heavy in range(count))]
    charges = [neutral]
    for one, other in pairs_of(count):
        for sign in (1, -1):
            charges.append([1 if k == one else sign if k == other else 0 for k in range(count)])
    return [
        tuple(Body(*look, mass, charge) for look, mass, charge in zip(looks, own_masses, own_charges, strict=True))
        for own_masses in masses
        for own_charges in charges
    ]


def infer(seen: Seen) -> tuple[Body, ...]:
    """The bodies with the properties that explain best what was seen."""
    left = dict.fromkeys(hypotheses(seen.looks), 0.0)
    for moment in _moments(seen):
        known: dict[tuple[Body, ...], float] = {}
        for bodies in left:
            own = _restricted(bodies, moment.members)
            if own not in known:
                known[own] = moment.error(own)
            left[bodies] += known[own]
        best = min(left.values())
        left = {bodies: error for bodies, error in left.items() if error < best + BEHIND}
    best = min(left.values())
    return min((bodies for bodies, error in left.items() if error < best + SAME), key=_hidden_properties)


def same_charges(one: tuple[Body, ...], other: tuple[Body, ...]) -> bool:
    """Whether the same bodies are charged, in the same relation; signs alone cannot be seen."""
    first, second = ([body.charge for body in bodies] for bodies in (one, other))
    return first in (second, [-charge for charge in second])


def _hidden_properties(bodies: tuple[Body, ...]) -> int:
    return sum(body.is_heavy for body in bodies) + sum(body.is_charged for body in bodies)


def _restricted(bodies: tuple[Body, ...], members: tuple[int, ...]) -> tuple[Body, ...]:
    """The bodies of one video; a charge without a partner does nothing there."""
    own = tuple(bodies[k] for k in members)
    if sum(body.is_charged for body in own) > 1:
        return own
    return tuple(Body(*body.looks, body.mass) for body in own)


def _moments(seen: Seen) -> Iterator[Moment]:
    """Those of the references first: they have fewer bodies, and so fewer hypotheses to tell apart."""
    everybody = tuple(range(len(seen.looks)))
    videos = [*((own.members, own.motion) for own in seen.references), (everybody, seen.target)]
    for members, motion in videos:
        for first, frames in sorted(_spans(motion)):
            yield Moment(members, motion, first, min(frames, motion.frames - first))


def _spans(motion: Motion) -> set[tuple[int, int]]:
    """First frame and number of frames of each moment that may tell something."""
    found = {(one.step // STEPS_PER_FRAME, COLLISION_FRAMES) for one in motion.collisions}
    for one, other in pairs_of(motion.bodies):
        distance = distances(motion, one, other)
        closest = int(distance.argmin())
        if distance[closest] < PASSING_DISTANCE:
            found.add((max(closest - PASSING_FRAMES // 2, 0), PASSING_FRAMES))
    return {(first, frames) for first, frames in found if first < motion.frames - 1}
