"""Draws the references of a set: short videos of two or three bodies that show what the target doesn't."""

from tumble.comphy.generation.checks import all_visible, key_pairs, visible_charge_pairs
from tumble.comphy.generation.initial_state import REFERENCE, draw_paths, initial_state
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.simulation.interactions import (
    interacting_pairs,
    interactions_in,
    reference_bodies,
    to_set_indices,
)
from tumble.comphy.simulation.outcomes import has_unseen_contact
from tumble.comphy.simulation.simulator import simulate_many
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import REFERENCE_COUNT, REFERENCE_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Pair, Reference
from tumble.draws import Draws

BATCH = 6
"""Initial states that are drawn and simulated together."""
MAX_BATCHES = 10


def draw_references(draws: Draws, bodies: tuple[Body, ...], target: Motion) -> tuple[Reference, ...] | None:
    """References that show what the target doesn't, in random order; None if none were found."""
    references: list[Reference] = []
    for _ in range(REFERENCE_COUNT):
        leads = draws.one_of(_lead_candidates(bodies, target, tuple(references)))
        reference = _draw_reference(draws, bodies, leads)
        if reference is None:
            return None
        references.insert(draws.one_of(range(len(references) + 1)), reference)
    return tuple(references)


def _draw_reference(draws: Draws, bodies: tuple[Body, ...], leads: Pair) -> Reference | None:
    """A reference in which the two leads interact, with or without a third body."""
    others = [k for k in range(len(bodies)) if k not in leads]
    order = [*leads, *([draws.one_of(others)] if draws.one_of((False, True)) else [])]
    members = tuple(sorted(order))
    member_bodies = tuple(bodies[k] for k in members)
    evident_pairs = visible_charge_pairs if all(bodies[k].is_charged for k in leads) else interacting_pairs
    for _ in range(MAX_BATCHES):
        drawn = (draw_paths(draws, bodies, order, {}, REFERENCE) for _ in range(BATCH))
        worlds = [(member_bodies, initial_state(bodies, paths)) for paths in drawn if paths]
        for motion in simulate_many(worlds, REFERENCE_FRAMES):
            reference = Reference(members, motion)
            pairs = to_set_indices(reference, evident_pairs(member_bodies, motion))
            if all_visible(motion) and leads in pairs and not has_unseen_contact(motion):
                return reference
    return None


def _lead_candidates(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> list[Pair]:
    """Pairs of which one should lead the next reference: key pairs first, then pairs of bodies not shown yet."""
    shown = {
        pair
        for reference in references
        for pair in to_set_indices(reference, interacting_pairs(reference_bodies(bodies, reference), reference.motion))
    }
    for group in key_pairs(bodies):
        if shown.isdisjoint(group):
            return group
    interacting = {body for pair in interactions_in(bodies, target, references) for body in pair}
    present = {member for reference in references for member in reference.members}
    needed = [k for k in range(len(bodies)) if k not in interacting & present]
    return [pair for pair in pairs_of(len(bodies)) if not needed or needed[0] in pair]
