"""Makes sets: draws bodies and starts until the videos show what they must. A set hangs on seed and index alone."""

from collections.abc import Mapping

from tumble.comphy.generation.checks import is_seen, missing, relating
from tumble.comphy.generation.starts import LATE, REFERENCE, TARGET, courses_of, draw_ways, start_of
from tumble.comphy.simulation.events import pairs_of
from tumble.comphy.simulation.interactions import Pair, colliding, interacted_in, interacting, members_of, named
from tumble.comphy.simulation.simulator import Start, simulate
from tumble.comphy.tasks.body import COLORS, HEAVY, LIGHT, MATERIALS, SHAPES, Body
from tumble.comphy.tasks.constants import REFERENCE_FRAMES, REFERENCES, SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import FAMILIES, Alteration, Family, Reference, VideoSet, alterations
from tumble.draws import Draws

FEWEST, MOST = 3, 5
MOST_TARGETS = 200
MOST_TRIES = 60
"""Starts that are drawn for one video, before all is begun anew."""
LATE_SHARE = 0.4
"""Share of sets whose target must have a collision after the shown part; in others it may."""
MATTERING_SHARE = 0.5
"""Share of the changes that can be asked about which must change what collides: else what is seen is the answer."""


class NoSetError(RuntimeError):
    """No informative videos were found; that never happens but for a bug in the drawing of starts."""


def make_set(index: int, family: Family, seed: int) -> VideoSet:
    """A set of a family; the same one whatever was made before."""
    if family not in FAMILIES:
        raise ValueError(f"no family {family!r}; there are {', '.join(FAMILIES)}")
    draws = Draws(f"comphy {seed} {family} {index}")
    bodies = draw_bodies(draws, family)
    is_late = draws.between(0.0, 1.0) < LATE_SHARE
    for _ in range(MOST_TARGETS):
        target = _draw_target(draws, bodies, is_late)
        altered = _altered(bodies, target) if target else {}
        if target and _matters(bodies, target, altered) >= MATTERING_SHARE:
            references = _draw_references(draws, bodies, target)
            if references and missing(bodies, target, references) is None:
                return VideoSet(index, seed, family, bodies, target, references, altered)
    raise NoSetError(f"set {index} ({family}, seed {seed}): no informative videos in {MOST_TARGETS} targets")


def draw_bodies(draws: Draws, family: Family) -> tuple[Body, ...]:
    """Three to five bodies that all look different: one heavy, or two charged, or both."""
    count = draws.one_of(range(FEWEST, MOST + 1))
    looks: list[tuple[str, str, str]] = []
    while len(looks) < count:
        drawn = draws.one_of(COLORS), draws.one_of(MATERIALS), draws.one_of(SHAPES)
        if drawn not in looks:
            looks.append(drawn)
    masses, charges = [LIGHT] * count, [0] * count
    if family != "charge":
        masses[draws.one_of(range(count))] = HEAVY
    if family != "mass":
        one, other = draws.one_of(pairs_of(count))
        charges[one], charges[other] = draws.one_of((-1, 1)), draws.one_of((-1, 1))
    return tuple(Body(*own, mass, charge) for own, mass, charge in zip(looks, masses, charges, strict=True))


def _altered(bodies: tuple[Body, ...], target: Motion) -> dict[Alteration, Motion]:
    """How the bodies would move from the target's start, for every change."""
    start = Start.from_motion(target, 0)
    return {change: simulate(change.apply(bodies), start, SHOWN_FRAMES) for change in alterations(bodies)}


def _matters(bodies: tuple[Body, ...], target: Motion, altered: Mapping[Alteration, Motion]) -> float:
    """The share of changes after which other pairs collide."""
    seen = colliding(bodies, target)
    other = [colliding(change.apply(bodies), motion) != seen for change, motion in altered.items()]
    return sum(other) / len(other)


def _draw_target(draws: Draws, bodies: tuple[Body, ...], is_late: bool) -> Motion | None:
    """A target with a collision, and with another after the shown part if one is to be late."""
    for _ in range(MOST_TRIES):
        start = _draw_target_start(draws, bodies, is_late)
        if start is not None:
            motion = simulate(bodies, start, TARGET_FRAMES)
            goes_on = not is_late or colliding(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES)
            if goes_on and is_seen(motion) and colliding(bodies, motion):
                return motion
    return None


def _draw_target_start(draws: Draws, bodies: tuple[Body, ...], is_late: bool) -> Start | None:
    """Bodies that are to meet, those that matter most first; a late one is aimed at where the others really go."""
    leads = draws.one_of(draws.one_of(_key_pairs(bodies)))
    order = [*leads, *(k for k in range(len(bodies)) if k not in leads)]
    early = order[:-1] if is_late else order
    ways = draw_ways(draws, bodies, early, {}, TARGET)
    if ways and is_late:
        members = sorted(early)
        motion = simulate(tuple(bodies[k] for k in members), start_of(bodies, ways), TARGET_FRAMES)
        last = draw_ways(draws, bodies, order[-1:], courses_of(members, motion), LATE)
        ways = {**ways, **last} if last else None
    return start_of(bodies, ways) if ways else None


def _draw_references(draws: Draws, bodies: tuple[Body, ...], target: Motion) -> tuple[Reference, ...] | None:
    """References that show what the target doesn't; in no order."""
    found: list[Reference] = []
    for _ in range(REFERENCES):
        leads = draws.one_of(_wanted_pairs(bodies, target, tuple(found)))
        reference = _draw_reference(draws, bodies, leads)
        if reference is None:
            return None
        found.insert(draws.one_of(range(len(found) + 1)), reference)
    return tuple(found)


def _draw_reference(draws: Draws, bodies: tuple[Body, ...], leads: Pair) -> Reference | None:
    """A reference in which two bodies interact; a third may be there."""
    others = [k for k in range(len(bodies)) if k not in leads]
    order = [*leads, *([draws.one_of(others)] if draws.one_of((False, True)) else [])]
    members = tuple(sorted(order))
    own = tuple(bodies[k] for k in members)
    shows = relating if all(bodies[k].is_charged for k in leads) else interacting
    for _ in range(MOST_TRIES):
        ways = draw_ways(draws, bodies, order, {}, REFERENCE)
        if ways:
            reference = Reference(members, simulate(own, start_of(bodies, ways), REFERENCE_FRAMES))
            if is_seen(reference.motion) and leads in named(reference, shows(own, reference.motion)):
                return reference
    return None


def _key_pairs(bodies: tuple[Body, ...]) -> list[list[Pair]]:
    """Groups of pairs of which one must meet: the charged pair, and the heavy body's pairs."""
    every = pairs_of(len(bodies))
    charged = [(one, other) for one, other in every if bodies[one].is_charged and bodies[other].is_charged]
    heavy = [(one, other) for one, other in every if bodies[one].is_heavy or bodies[other].is_heavy]
    return [group for group in (charged, heavy) if group]


def _wanted_pairs(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> list[Pair]:
    """Pairs of which one should lead the next reference: first what must be shown, then who is still missing."""
    shown = {pair for own in references for pair in named(own, interacting(members_of(bodies, own), own.motion))}
    for group in _key_pairs(bodies):
        if shown.isdisjoint(group):
            return group
    met = {body for pair in interacted_in(bodies, target, references) for body in pair}
    present = {member for reference in references for member in reference.members}
    needed = [k for k in range(len(bodies)) if k not in met & present]
    return [pair for pair in pairs_of(len(bodies)) if not needed or needed[0] in pair]
