"""Which pairs of bodies collide, attract or repel each other in the videos of a set."""

from tumble.comphy.simulation.events import EventKind, collision_events, events_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Pair, Reference, VideoSet

Pairs = frozenset[Pair]
INTERACTIONS: tuple[EventKind, ...] = ("collision", "attraction", "repulsion")


def colliding_pairs(motion: Motion, first: int = 0, last: int = SHOWN_FRAMES) -> Pairs:
    """Pairs that collide in view in the frames first <= frame < last."""
    events = collision_events(motion)
    return frozenset((event.bodies[0], event.bodies[1]) for event in events if first <= event.frame < last)


def interacting_pairs(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Pairs that collide, attract or repel each other in view in the shown frames."""
    events = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return frozenset((event.bodies[0], event.bodies[1]) for event in events if event.kind in INTERACTIONS)


def set_interactions(videos: VideoSet) -> Pairs:
    """Pairs of a set's bodies that interact in the target's shown frames or in a reference."""
    return interactions_in(videos.bodies, videos.target, videos.references)


def interactions_in(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> Pairs:
    """The same for a target and references that are not a set yet."""
    pairs = set(interacting_pairs(bodies, target))
    for reference in references:
        in_reference = interacting_pairs(reference_bodies(bodies, reference), reference.motion)
        pairs |= to_set_indices(reference, in_reference)
    return frozenset(pairs)


def reference_bodies(bodies: tuple[Body, ...], reference: Reference) -> tuple[Body, ...]:
    """A reference's bodies, in the order of its motion."""
    return tuple(bodies[k] for k in reference.members)


def to_set_indices(reference: Reference, pairs: Pairs) -> Pairs:
    """Pairs of columns of a reference's motion as pairs of the set's bodies."""
    members = reference.members
    return frozenset((min(members[i], members[j]), max(members[i], members[j])) for i, j in pairs)
