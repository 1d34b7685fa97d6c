"""Generates a set, which depends on seed and index alone: draws initial states until the videos are informative."""

from collections.abc import Mapping

from tumble.checks import whole_number
from tumble.comphy.dataset.layout import planned_set
from tumble.comphy.generation.checks import all_visible, missing_evidence, visible_charge_pairs
from tumble.comphy.generation.initial_state import LATE, REFERENCE, TARGET, draw_paths, initial_state, simulated_paths
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.simulation.interactions import (
    Pair,
    colliding_pairs,
    interacting_pairs,
    interactions_in,
    reference_bodies,
    to_set_indices,
)
from tumble.comphy.simulation.simulator import InitialState, simulate
from tumble.comphy.tasks.body import COLORS, HEAVY, LIGHT, MATERIALS, SHAPES, Body
from tumble.comphy.tasks.constants import REFERENCE_COUNT, REFERENCE_FRAMES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Alteration, Family, Reference, VideoSet, alterations, named_family
from tumble.draws import Draws

MIN_BODIES, MAX_BODIES = 3, 5
MAX_TARGETS = 200
"""Targets that are tried for one set."""
MAX_TRIES = 60
"""Initial states that are tried for one video before a new target is drawn."""
LATE_SHARE = 0.4
"""Share of sets whose target must have a collision after the shown frames; in others it may."""
EFFECTIVE_SHARE = 0.5
"""Share of a set's alterations that must change which pairs collide; else the video alone gives the answers."""


class NoSetError(RuntimeError):
    """No informative videos were found; happens only if there is a bug in the drawing of initial states."""


def make_set(index: int, family: Family | None = None, seed: int = 1) -> VideoSet:
    """Generates a set of a family, by default that of its index; the same one whatever was generated before."""
    index, seed = whole_number("index", index, at_least=0), whole_number("seed", seed)
    family = planned_set(index).family if family is None else named_family(family)
    draws = Draws(f"comphy {seed} {family} {index}")
    bodies = draw_bodies(draws, family)
    is_late = draws.between(0.0, 1.0) < LATE_SHARE
    for _ in range(MAX_TARGETS):
        target = _draw_target(draws, bodies, is_late)
        altered = _simulate_alterations(bodies, target) if target else {}
        if target and _effective_share(bodies, target, altered) >= EFFECTIVE_SHARE:
            references = _draw_references(draws, bodies, target)
            if references and missing_evidence(bodies, target, references) is None:
                return VideoSet(index, seed, family, bodies, target, references, altered)
    raise NoSetError(f"set {index} ({family}, seed {seed}): no informative videos in {MAX_TARGETS} targets")


def draw_bodies(draws: Draws, family: Family) -> tuple[Body, ...]:
    """Three to five bodies of different appearance: one heavy, or two charged, or both."""
    count = draws.one_of(range(MIN_BODIES, MAX_BODIES + 1))
    appearances: list[tuple[str, str, str]] = []
    while len(appearances) < count:
        drawn = draws.one_of(COLORS), draws.one_of(MATERIALS), draws.one_of(SHAPES)
        if drawn not in appearances:
            appearances.append(drawn)
    masses, charges = [LIGHT] * count, [0] * count
    if family != "charge":
        masses[draws.one_of(range(count))] = HEAVY
    if family != "mass":
        one, other = draws.one_of(pairs_of(count))
        charges[one], charges[other] = draws.one_of((-1, 1)), draws.one_of((-1, 1))
    properties = zip(appearances, masses, charges, strict=True)
    return tuple(Body(*appearance, mass, charge) for appearance, mass, charge in properties)


def _simulate_alterations(bodies: tuple[Body, ...], target: Motion) -> dict[Alteration, Motion]:
    """The motion from the target's start for every alteration."""
    start = InitialState.from_motion(target, 0)
    return {change: simulate(change.apply(bodies), start, SHOWN_FRAMES) for change in alterations(bodies)}


def _effective_share(bodies: tuple[Body, ...], target: Motion, altered: Mapping[Alteration, Motion]) -> float:
    """The share of alterations after which other pairs collide."""
    shown = colliding_pairs(bodies, target)
    differs = [colliding_pairs(change.apply(bodies), motion) != shown for change, motion in altered.items()]
    return sum(differs) / len(differs)


def _draw_target(draws: Draws, bodies: tuple[Body, ...], is_late: bool) -> Motion | None:
    """A target with a collision, and if `is_late` with another one after the shown frames."""
    for _ in range(MAX_TRIES):
        start = _draw_target_start(draws, bodies, is_late)
        if start is not None:
            motion = simulate(bodies, start, TARGET_FRAMES)
            is_suitable = not is_late or colliding_pairs(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES)
            if is_suitable and all_visible(motion) and colliding_pairs(bodies, motion):
                return motion
    return None


def _draw_target_start(draws: Draws, bodies: tuple[Body, ...], is_late: bool) -> InitialState | None:
    """Paths that meet, those of a key pair first; a late body is aimed at the simulated path of another one."""
    leads = draws.one_of(draws.one_of(_key_pairs(bodies)))
    order = [*leads, *(k for k in range(len(bodies)) if k not in leads)]
    early = order[:-1] if is_late else order
    paths = draw_paths(draws, bodies, early, {}, TARGET)
    if paths and is_late:
        members = sorted(early)
        motion = simulate(tuple(bodies[k] for k in members), initial_state(bodies, paths), TARGET_FRAMES)
        last = draw_paths(draws, bodies, order[-1:], simulated_paths(members, motion), LATE)
        paths = {**paths, **last} if last else None
    return initial_state(bodies, paths) if paths else None


def _draw_references(draws: Draws, bodies: tuple[Body, ...], target: Motion) -> tuple[Reference, ...] | None:
    """References that show what the target doesn't, in random order."""
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
    for _ in range(MAX_TRIES):
        paths = draw_paths(draws, bodies, order, {}, REFERENCE)
        if paths:
            reference = Reference(members, simulate(member_bodies, initial_state(bodies, paths), REFERENCE_FRAMES))
            pairs = to_set_indices(reference, evident_pairs(member_bodies, reference.motion))
            if all_visible(reference.motion) and leads in pairs:
                return reference
    return None


def _key_pairs(bodies: tuple[Body, ...]) -> list[list[Pair]]:
    """Groups of pairs of which one must interact: the charged pair, and the heavy body's pairs."""
    pairs = pairs_of(len(bodies))
    charged = [(one, other) for one, other in pairs if bodies[one].is_charged and bodies[other].is_charged]
    heavy = [(one, other) for one, other in pairs if bodies[one].is_heavy or bodies[other].is_heavy]
    return [group for group in (charged, heavy) if group]


def _lead_candidates(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> list[Pair]:
    """Pairs of which one should lead the next reference: key pairs first, then pairs of bodies not shown yet."""
    shown = {
        pair
        for reference in references
        for pair in to_set_indices(reference, interacting_pairs(reference_bodies(bodies, reference), reference.motion))
    }
    for group in _key_pairs(bodies):
        if shown.isdisjoint(group):
            return group
    interacting = {body for pair in interactions_in(bodies, target, references) for body in pair}
    present = {member for reference in references for member in reference.members}
    needed = [k for k in range(len(bodies)) if k not in interacting & present]
    return [pair for pair in pairs_of(len(bodies)) if not needed or needed[0] in pair]
