"""What a set must show, so that its hidden properties can be found out: the paper's rules, and some of ours."""

import numpy as np

from tumble.comphy.bodies import Body
from tumble.comphy.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.events import CHARGE_CONSTANT, EventKind, charge_tells, distances, events_of, pairs_of
from tumble.comphy.motion import Motion
from tumble.comphy.sets import Reference, VideoSet

Pair = tuple[int, int]
Pairs = frozenset[Pair]
INTERACTIONS: tuple[EventKind, ...] = ("collision", "attraction", "repulsion")
SEEN_FRAMES = 10
"""Frames in which a body must be in view to count as seen."""
TELLING_PUSH = 0.15
"""Units per second that charge must add to a body's velocity for its relation to be seen."""


def is_seen(motion: Motion) -> bool:
    """Whether every body is in view for a while in the shown frames."""
    return bool((motion.inside[:SHOWN_FRAMES].sum(axis=0) >= SEEN_FRAMES).all())


def colliding(bodies: tuple[Body, ...], motion: Motion, first: int = 0, last: int = SHOWN_FRAMES) -> Pairs:
    """Pairs that collide in view in the frames first <= frame < last."""
    return _pairs_in(bodies, motion, ("collision",), first, last)


def interacting(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Pairs that collide, attract or repel each other in view in the shown frames."""
    return _pairs_in(bodies, motion, INTERACTIONS, 0, SHOWN_FRAMES)


def relating(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Charged pairs whose charge moves one of them so much that it can be seen, in view in the shown frames."""
    return frozenset(
        pair
        for pair in pairs_of(len(bodies))
        if bodies[pair[0]].is_charged and bodies[pair[1]].is_charged and _push(bodies, motion, pair) > TELLING_PUSH
    )


def interacted(videos: VideoSet) -> Pairs:
    """Pairs of a set's bodies that interact in the target's shown part or in a reference."""
    return interacted_in(videos.bodies, videos.target, videos.references)


def interacted_in(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> Pairs:
    """The same for videos that aren't a set yet."""
    found = set(interacting(bodies, target))
    for reference in references:
        found |= named(reference, interacting(members_of(bodies, reference), reference.motion))
    return frozenset(found)


def missing(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> str | None:
    """What these videos fail to show; None if they are informative."""
    if not is_seen(target):
        return "every body in the target"
    if not colliding(bodies, target):
        return "a collision in the target"
    related, collided = set(relating(bodies, target)), set(colliding(bodies, target))
    for number, reference in enumerate(references):
        members = members_of(bodies, reference)
        if not is_seen(reference.motion):
            return f"every body of reference {number}"
        if not interacting(members, reference.motion):
            return f"an interaction in reference {number}"
        related |= named(reference, relating(members, reference.motion))
        collided |= named(reference, colliding(members, reference.motion))
    seen = {member for reference in references for member in reference.members}
    met = {body for pair in interacted_in(bodies, target, references) for body in pair}
    for k, body in enumerate(bodies):
        if k not in seen:
            return f"the {body} in a reference"
        if k not in met:
            return f"an interaction of the {body}"
    charged = tuple(k for k, body in enumerate(bodies) if body.is_charged)
    if charged and charged not in related:
        return "how the charged bodies are related"
    heavy = [k for k, body in enumerate(bodies) if body.is_heavy]
    if heavy and not any(heavy[0] in pair for pair in collided):
        return "a collision of the heavy body with a light one"
    return None


def members_of(bodies: tuple[Body, ...], reference: Reference) -> tuple[Body, ...]:
    """A reference's bodies, in its own order."""
    return tuple(bodies[k] for k in reference.members)


def named(reference: Reference, pairs: Pairs) -> Pairs:
    """Pairs of a reference's own numbers as pairs of the set's."""
    own = reference.members
    return frozenset((min(own[i], own[j]), max(own[i], own[j])) for i, j in pairs)


def _pairs_in(bodies: tuple[Body, ...], motion: Motion, kinds: tuple[EventKind, ...], first: int, last: int) -> Pairs:
    found = events_of(bodies, motion, first, last)
    return frozenset((event.bodies[0], event.bodies[1]) for event in found if event.kind in kinds)


def _push(bodies: tuple[Body, ...], motion: Motion, pair: Pair) -> float:
    """What charge adds to the velocity of the lighter of two bodies while it tells."""
    tells = charge_tells(bodies, motion, *pair)[:SHOWN_FRAMES]
    distance = distances(motion, *pair)[:SHOWN_FRAMES]
    mass = min(bodies[k].mass for k in pair)
    return float(np.sum(CHARGE_CONSTANT / distance[tells] ** 2) / mass / FRAMES_PER_SECOND)
