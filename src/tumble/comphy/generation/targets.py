"""Draws targets: batches of initial states in which bodies meet, of which those that can be used are kept."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tumble.comphy.generation.checks import all_visible, key_pairs, mean_picture_height
from tumble.comphy.generation.initial_state import (
    LATE,
    TARGET,
    FreePath,
    draw_paths,
    initial_state,
    simulated_paths,
)
from tumble.comphy.simulation.interactions import Pairs, colliding_pairs
from tumble.comphy.simulation.outcomes import has_unseen_contact, undetermined_future, undetermined_pairs
from tumble.comphy.simulation.simulator import InitialState, World, simulate_many
from tumble.comphy.simulation.straight import straight_pairs
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Alteration, alterations, distinct_worlds
from tumble.draws import Draws

BATCH = 16
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
    for _ in range(BATCH):
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
