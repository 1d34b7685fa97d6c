"""Generates a set, which depends on seed and index alone: draws initial states until the videos are informative.

Targets and references are drawn in batches of initial states in which bodies meet; those that can be used are kept.
A reference is a short video of two or three bodies that shows what the target doesn't. The checks say what videos
must show, so that the hidden properties of a set can be inferred: the paper's rules and some more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tumble.checks import whole_number
from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, Motion
from tumble.comphy.catalogue.video_set import (
    Alteration,
    Family,
    Pair,
    Reference,
    VideoSet,
    alterations,
    distinct_worlds,
    draw_stage,
    named_family,
)
from tumble.comphy.catalogue.world import (
    FRAMES_PER_SECOND,
    PLAIN,
    REFERENCE_COUNT,
    REFERENCE_FRAMES,
    SHOWN_FRAMES,
    TARGET_FRAMES,
    ObjectWorld,
    named_world,
)
from tumble.comphy.dataset.layout import planned_set
from tumble.comphy.generation.initial_state import (
    LATE,
    REFERENCE,
    TARGET,
    FreePath,
    draw_paths,
    initial_state,
    simulated_paths,
)
from tumble.comphy.observation.camera import CAMERA
from tumble.comphy.simulation.events import (
    Pairs,
    charge_acts,
    colliding_pairs,
    interacting_pairs,
    interactions_in,
    pair_distances,
    pairs_of,
    reference_bodies,
    to_set_indices,
)
from tumble.comphy.simulation.laws import CHARGE_CONSTANT
from tumble.comphy.simulation.outcomes import (
    has_unseen_contact,
    straight_pairs,
    undetermined_future,
    undetermined_pairs,
)
from tumble.comphy.simulation.simulator import InitialState, World, simulate_many
from tumble.draws import Draws

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


TARGET_BATCH = 16
"""Initial states that are drawn and simulated together."""
PICTURE_HEIGHTS = 0.32, 0.62
"""Between which the bodies must be in the mean, from the picture's top: far bodies gather there."""
TELLING_PAIRS = 2
"""At least as many pairs must differ from the video, in all telling worlds but one."""


@dataclass(frozen=True, eq=False)
class Target:
    """A target, and the counterfactual worlds that start like it."""

    motion: Motion
    altered: Mapping[Alteration, Motion]
    undetermined: Mapping[Alteration | None, Pairs]
    """As in `VideoSet`."""


def draw_targets(draws: Draws, bodies: tuple[Body, ...], future_pairs: int, telling_worlds: int) -> Iterator[Target]:
    """The usable targets of one batch.

    At least a number of pairs collide after the shown frames, and enough pairs collide otherwise than in the video in a
    number of counterfactual worlds.
    """
    starts = _draw_starts(draws, bodies, future_pairs)
    motions = simulate_many([(bodies, start) for start in starts], TARGET_FRAMES)
    motions = [motion for motion in motions if _is_usable(bodies, motion, future_pairs)]
    groups = distinct_worlds(bodies)
    altered_bodies = [group[0].apply(bodies) for group in groups]
    worlds = [(altered, InitialState.from_motion(motion, 0)) for motion in motions for altered in altered_bodies]
    altered_motions = simulate_many(worlds, SHOWN_FRAMES)
    for k, motion in enumerate(motions):
        part = slice(k * len(groups), (k + 1) * len(groups))
        undetermined = _undetermined(draws, bodies, motion, worlds[part], altered_motions[part], telling_worlds)
        if undetermined is None:
            continue
        future = undetermined_future(bodies, motion, draws)
        if _has_telling_future(bodies, motion, future_pairs, future):
            group_of = {change: group for group, members in enumerate(groups) for change in members}
            changes = [(change, group_of[change]) for change in alterations(bodies)]
            yield Target(
                motion,
                {change: altered_motions[part][group] for change, group in changes},
                {None: future, **{change: undetermined[group] for change, group in changes}},
            )


def _undetermined(
    draws: Draws,
    bodies: tuple[Body, ...],
    motion: Motion,
    worlds: Sequence[World],
    altered: Sequence[Motion],
    telling_worlds: int,
) -> list[Pairs] | None:
    """The undetermined pairs of each counterfactual world; None if too few different worlds are telling."""
    shown, pairs = colliding_pairs(motion), [colliding_pairs(own) for own in altered]
    if not _are_telling(bodies, shown, pairs, telling_worlds):
        return None
    undetermined = undetermined_pairs(worlds, pairs, draws)
    told = [own ^ ((own ^ shown) & open_pairs) for own, open_pairs in zip(pairs, undetermined, strict=True)]
    return undetermined if _are_telling(bodies, shown, told, telling_worlds) else None


def _are_telling(bodies: tuple[Body, ...], shown: Pairs, pairs: Sequence[Pairs], worlds: int) -> bool:
    """Whether other pairs collide than in the video in a number of worlds, each in its own way, and in all but one of
    them at least TELLING_PAIRS pairs differ; 1 of three bodies."""
    telling = {own: len(own ^ shown) for own in pairs if own != shown}
    rich = sum(count >= (TELLING_PAIRS if len(bodies) > 3 else 1) for count in telling.values())
    return len(telling) >= worlds and rich >= worlds - 1


def _has_telling_future(
    bodies: tuple[Body, ...], motion: Motion, pairs: int, undetermined: Pairs = frozenset()
) -> bool:
    """Whether a number of pairs collide after the shown frames, and not just as straight motion would lead to."""
    coming = colliding_pairs(motion, SHOWN_FRAMES, TARGET_FRAMES)
    if len(coming - undetermined) < pairs:
        return False
    straight = straight_pairs(bodies, motion)
    return len((coming ^ straight) - undetermined) >= min(pairs, 1)


def _is_usable(bodies: tuple[Body, ...], motion: Motion, future_pairs: int) -> bool:
    """Whether everything is seen that matters, and enough happens."""
    charged = [k for k, body in enumerate(bodies) if body.is_charged]
    return (
        len(colliding_pairs(motion)) > 0
        and all_visible(motion)
        and PICTURE_HEIGHTS[0] < mean_picture_height(motion) < PICTURE_HEIGHTS[1]
        and bool(motion.in_view[0, charged].all())
        and not has_unseen_contact(motion)
        and _has_telling_future(bodies, motion, future_pairs)
    )


def _draw_starts(draws: Draws, bodies: tuple[Body, ...], late_bodies: int) -> list[InitialState]:
    """Paths that meet, those of a key pair first; late bodies are aimed at the simulated paths of others."""
    early_paths, orders = [], []
    for _ in range(TARGET_BATCH):
        leads = draws.one_of(draws.one_of(key_pairs(bodies)))
        order = [*leads, *(k for k in range(len(bodies)) if k not in leads)]
        paths = draw_paths(draws, bodies, order[: len(order) - late_bodies], {}, TARGET)
        if paths:
            early_paths.append(paths)
            orders.append(order[len(order) - late_bodies :])
    if not late_bodies:
        return [initial_state(bodies, paths) for paths in early_paths]
    return _aim_late_bodies(draws, bodies, early_paths, orders)


def _aim_late_bodies(
    draws: Draws, bodies: tuple[Body, ...], early_paths: Sequence[dict[int, FreePath]], orders: Sequence[Sequence[int]]
) -> list[InitialState]:
    """The early paths with those of late bodies that meet them after the shown frames."""
    members = [sorted(paths) for paths in early_paths]
    worlds = [
        (tuple(bodies[k] for k in own), initial_state(bodies, paths))
        for own, paths in zip(members, early_paths, strict=True)
    ]
    starts = []
    motions = simulate_many(worlds, TARGET_FRAMES)
    for paths, own, motion, late in zip(early_paths, members, motions, orders, strict=True):
        if has_unseen_contact(motion):
            continue
        late_paths = draw_paths(draws, bodies, late, simulated_paths(own, motion), LATE)
        if late_paths:
            starts.append(initial_state(bodies, {**paths, **late_paths}))
    return starts


REFERENCE_BATCH = 6
"""Initial states that are drawn and simulated together."""
MAX_REFERENCE_BATCHES = 10


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
    for _ in range(MAX_REFERENCE_BATCHES):
        drawn = (draw_paths(draws, bodies, order, {}, REFERENCE) for _ in range(REFERENCE_BATCH))
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


BODY_COUNTS = (3, 4, 4, 4, 5, 5, 5)
"""Numbers of bodies, all equally likely; three bodies have too few pairs for four options."""
FUTURE_PAIRS = (0, 0, 0, 1, 1, 1, 1, 2, 2)
"""Pairs that must collide after the shown frames, all equally likely."""
BATCHES_PER_DRAW, MAX_TARGET_BATCHES = 12, 600
"""Batches of targets that are tried before other bodies are drawn, and for one set."""
DIFFERENT_SHAPES, DIFFERENT_MATERIALS = 4, 3
"""Of the many shapes and materials of the div world, a set has at most these numbers, so that some bodies are alike."""
TELLING_WORLDS = {"mass": 2, "charge": 3, "both": 3}
"""Counterfactual worlds that must be telling."""


class NoSetError(RuntimeError):
    """No informative videos were found; happens only if there is a bug in the drawing of initial states."""


def make_set(index: int, family: Family | None = None, seed: int = 1, world: str = PLAIN.name) -> VideoSet:
    """Generates a set of a family, by default that of its index; the same one whatever was generated before."""
    kind = named_world(world)
    index, seed = whole_number("index", index, at_least=0), whole_number("seed", seed)
    family = planned_set(index).family if family is None else named_family(family)
    name = f"comphy {seed} {family} {index}" if kind is PLAIN else f"comphy {kind.name} {seed} {family} {index}"
    draws = Draws(name)
    future_pairs = draws.one_of(FUTURE_PAIRS)
    for batch in range(MAX_TARGET_BATCHES):
        if batch % BATCHES_PER_DRAW == 0:
            bodies = draw_bodies(draws, family, kind)
        for target in draw_targets(draws, bodies, future_pairs, TELLING_WORLDS[family]):
            references = draw_references(draws, bodies, target.motion)
            if references and missing_evidence(bodies, target.motion, references) is None:
                made = index, seed, family, bodies, target.motion, references, target.altered, target.undetermined
                return VideoSet(*made, draw_stage(Draws(f"{name} stage")) if kind.has_stages else None)
    raise NoSetError(
        f"set {index} ({family}, seed {seed}, {kind.name}): no informative videos in {MAX_TARGET_BATCHES} batches"
    )


def draw_bodies(draws: Draws, family: Family, world: ObjectWorld = PLAIN) -> tuple[Body, ...]:
    """Three to five bodies of different appearance: one heavy, or two charged, or both."""
    count = draws.one_of(BODY_COUNTS)
    shapes, materials = world.shapes, world.materials
    if world is not PLAIN:
        shapes, materials = _some(draws, shapes, DIFFERENT_SHAPES), _some(draws, materials, DIFFERENT_MATERIALS)
    appearances: list[tuple[str, str, str]] = []
    while len(appearances) < count:
        drawn = draws.one_of(world.colors), draws.one_of(materials), draws.one_of(shapes)
        if drawn not in appearances:
            appearances.append(drawn)
    masses, charges = [LIGHT] * count, [0] * count
    if family != "charge":
        masses[draws.one_of(range(count))] = HEAVY
    if family != "mass":
        one, other = draws.one_of(pairs_of(count))
        charges[one], charges[other] = draws.one_of((-1, 1)), draws.one_of((-1, 1))
    forms = [0 if world.forms == 1 else draws.one_of(range(world.forms)) for _ in range(count)]
    properties = zip(appearances, masses, charges, forms, strict=True)
    return tuple(Body(*appearance, mass, charge, form) for appearance, mass, charge, form in properties)


def _some(draws: Draws, words: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Some of the words, at random."""
    left = list(words)
    return tuple(left.pop(draws.one_of(range(len(left)))) for _ in range(count))
