"""What videos must show, so that the hidden properties of a set can be inferred: the paper's rules and some more."""

import numpy as np

from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import charge_acts, pair_distances, pairs_of
from tumble.comphy.simulation.interactions import (
    Pairs,
    colliding_pairs,
    interacting_pairs,
    interactions_in,
    reference_bodies,
    to_set_indices,
)
from tumble.comphy.simulation.laws import CHARGE_CONSTANT
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import FRAMES_PER_SECOND, SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Pair, Reference

MIN_VISIBLE_FRAMES = 10
"""Shown frames in which every body must be in view."""
MIN_CHARGE_EFFECT = 0.15
"""Units per second that charge must add to a body's velocity for the relation of the charges to be visible."""


def all_visible(motion: Motion) -> bool:
    """Whether every body is in view in enough of the shown frames."""
    return bool((motion.in_view[:SHOWN_FRAMES].sum(axis=0) >= MIN_VISIBLE_FRAMES).all())


def mean_picture_height(motion: Motion) -> float:
    """The mean of the bodies' places in the picture in the shown frames, from 0 at the top to 1."""
    shown = motion.in_view[:SHOWN_FRAMES]
    return float(CAMERA.project(motion.positions[:SHOWN_FRAMES][shown])[:, 1].mean())


def visible_charge_pairs(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Charged pairs whose force visibly changes the velocity of one of them, in view in the shown frames."""
    return frozenset(
        pair
        for pair in pairs_of(len(bodies))
        if bodies[pair[0]].is_charged
        and bodies[pair[1]].is_charged
        and _charge_effect(bodies, motion, pair) > MIN_CHARGE_EFFECT
    )


def key_pairs(bodies: tuple[Body, ...]) -> list[list[Pair]]:
    """Groups of pairs of which one must interact: the charged pair, and the heavy body's pairs."""
    pairs = pairs_of(len(bodies))
    charged = [(one, other) for one, other in pairs if bodies[one].is_charged and bodies[other].is_charged]
    heavy = [(one, other) for one, other in pairs if bodies[one].is_heavy or bodies[other].is_heavy]
    return [group for group in (charged, heavy) if group]


def missing_evidence(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> str | None:
    """What these videos fail to show, in words; None if they are informative."""
    if not all_visible(target):
        return "every body in the target"
    if not colliding_pairs(target):
        return "a collision in the target"
    charge_pairs, collisions = set(visible_charge_pairs(bodies, target)), set(colliding_pairs(target))
    for number, reference in enumerate(references):
        members = reference_bodies(bodies, reference)
        if not all_visible(reference.motion):
            return f"every body of reference {number}"
        if not interacting_pairs(members, reference.motion):
            return f"an interaction in reference {number}"
        charge_pairs |= to_set_indices(reference, visible_charge_pairs(members, reference.motion))
        collisions |= to_set_indices(reference, colliding_pairs(reference.motion))
    referenced = {member for reference in references for member in reference.members}
    interacting = {body for pair in interactions_in(bodies, target, references) for body in pair}
    for k, body in enumerate(bodies):
        if k not in referenced:
            return f"the {body} in a reference"
        if k not in interacting:
            return f"an interaction of the {body}"
    charged = tuple(k for k, body in enumerate(bodies) if body.is_charged)
    if charged and charged not in charge_pairs:
        return "how the charged bodies are related"
    heavy = [k for k, body in enumerate(bodies) if body.is_heavy]
    if heavy and not any(heavy[0] in pair for pair in collisions):
        return "a collision of the heavy body with a light one"
    return None


def _charge_effect(bodies: tuple[Body, ...], motion: Motion, pair: Pair) -> float:
    """Velocity that charge adds to the lighter of two bodies while it acts: the sum of CHARGE_CONSTANT / (m r^2) dt."""
    acts = charge_acts(bodies, motion, *pair)[:SHOWN_FRAMES]
    distance = pair_distances(motion, *pair)[:SHOWN_FRAMES]
    mass = min(bodies[k].mass for k in pair)
    return float(np.sum(CHARGE_CONSTANT / distance[acts] ** 2) / mass / FRAMES_PER_SECOND)
