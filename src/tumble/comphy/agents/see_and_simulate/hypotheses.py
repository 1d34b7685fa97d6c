"""Hypotheses about masses and charges, as arrays: what each says about a video, and which are the same there."""

import numpy as np

from tumble.comphy.agents.inference import hypotheses
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.video_set import world_key


def hidden_properties(bodies: tuple[Body, ...]) -> int:
    """How many bodies are heavy, and how many charged."""
    return sum(body.is_heavy for body in bodies) + sum(body.is_charged for body in bodies)


def all_hypotheses(looks: tuple[Body, ...], both: bool) -> list[tuple[Body, ...]]:
    """Hypotheses about bodies of these looks: at most one heavy body, at most one charged pair, or `both` at once."""
    found = hypotheses(looks)
    if both:
        return found
    return [one for one in found if not (any(b.is_heavy for b in one) and any(b.is_charged for b in one))]


VideoKey = tuple[tuple[int, ...], tuple[int, ...]]


def key_in(bodies: tuple[Body, ...], members: tuple[int, ...]) -> VideoKey:
    """What a hypothesis says about a video; a single charge has no effect there."""
    return world_key(tuple(bodies[k] for k in members))


def properties_in(bodies: tuple[Body, ...], members: tuple[int, ...], width: int) -> tuple[np.ndarray, np.ndarray]:
    """Masses and charges [width] of a video's bodies; a single charge is left out, unused bodies are light."""
    masses, charges = np.ones(width), np.zeros(width)
    masses[: len(members)] = [bodies[k].mass for k in members]
    charges[: len(members)] = [bodies[k].charge for k in members]
    return masses, charges if np.count_nonzero(charges) > 1 else np.zeros(width)
