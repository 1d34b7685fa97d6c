"""What a set must show, so that its hidden properties can be found out: the paper's rules, and some of ours."""

import numpy as np

from tumble.comphy.simulation.events import CHARGE_CONSTANT, charge_tells, distances, pairs_of
from tumble.comphy.simulation.interactions import Pair, Pairs, colliding, interacted_in, interacting, members_of, named
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Reference

SEEN_FRAMES = 10
"""Frames in which a body must be in view to count as seen."""
TELLING_PUSH = 0.15
"""Units per second that charge must add to a body's velocity for its relation to be seen."""


def is_seen(motion: Motion) -> bool:
    """Whether every body is in view for a while in the shown frames."""
    return bool((motion.inside[:SHOWN_FRAMES].sum(axis=0) >= SEEN_FRAMES).all())


def relating(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Charged pairs whose charge moves one of them so much that it can be seen, in view in the shown frames."""
    return frozenset(
        pair
        for pair in pairs_of(len(bodies))
        if bodies[pair[0]].is_charged and bodies[pair[1]].is_charged and _push(bodies, motion, pair) > TELLING_PUSH
    )


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


def _push(bodies: tuple[Body, ...], motion: Motion, pair: Pair) -> float:
    """What charge adds to the velocity of the lighter of two bodies while it tells."""
    tells = charge_tells(bodies, motion, *pair)[:SHOWN_FRAMES]
    distance = distances(motion, *pair)[:SHOWN_FRAMES]
    mass = min(bodies[k].mass for k in pair)
    return float(np.sum(CHARGE_CONSTANT / distance[tells] ** 2) / mass / FRAMES_PER_SECOND)
