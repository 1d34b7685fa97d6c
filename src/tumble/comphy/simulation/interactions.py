"""Which bodies collide, attract or repel each other in the videos of a set."""

from tumble.comphy.simulation.events import EventKind, events_of
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Reference, VideoSet

Pair = tuple[int, int]

Pairs = frozenset[Pair]

INTERACTIONS: tuple[EventKind, ...] = ("collision", "attraction", "repulsion")


def colliding(bodies: tuple[Body, ...], motion: Motion, first: int = 0, last: int = SHOWN_FRAMES) -> Pairs:
    """Pairs that collide in view in the frames first <= frame < last."""
    return _pairs_in(bodies, motion, ("collision",), first, last)


def interacting(bodies: tuple[Body, ...], motion: Motion) -> Pairs:
    """Pairs that collide, attract or repel each other in view in the shown frames."""
    return _pairs_in(bodies, motion, INTERACTIONS, 0, SHOWN_FRAMES)


def interacted(videos: VideoSet) -> Pairs:
    """Pairs of a set's bodies that interact in the target's shown part or in a reference."""
    return interacted_in(videos.bodies, videos.target, videos.references)


def interacted_in(bodies: tuple[Body, ...], target: Motion, references: tuple[Reference, ...]) -> Pairs:
    """The same for videos that aren't a set yet."""
    found = set(interacting(bodies, target))
    for reference in references:
        found |= named(reference, interacting(members_of(bodies, reference), reference.motion))
    return frozenset(found)


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
