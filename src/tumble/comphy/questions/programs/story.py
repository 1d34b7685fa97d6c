"""What can be asked about a set: its bodies, their motion, and what happens, will happen and would happen.

An oracle's story is made from the truth; a model may make its own from what it inferred and predicted. Programs are
executed on stories and know nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tumble.comphy.simulation.events import Event, events_of
from tumble.comphy.simulation.interactions import interacted
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Alteration, VideoSet


@dataclass(frozen=True, eq=False)
class Story:
    """Everything that a program may look at."""

    bodies: tuple[Body, ...]
    motion: Motion
    """The target's; frames after the shown ones may be missing or predicted."""
    shown: tuple[Event, ...]
    """Events of the shown frames, by frame."""
    unseen: tuple[Event, ...]
    """Events after them."""
    altered: Mapping[Alteration, tuple[Event, ...]]
    """Events of the shown frames, had one body been different."""
    interacted: frozenset[tuple[int, int]] = frozenset()
    """Pairs (first < second) that meet in the target or a reference: only their masses and charges are compared."""


def story_of(videos: VideoSet) -> Story:
    """The true story of a set."""
    return Story(
        bodies=videos.bodies,
        motion=videos.target,
        shown=events_of(videos.bodies, videos.target, 0, SHOWN_FRAMES),
        unseen=events_of(videos.bodies, videos.target, SHOWN_FRAMES, TARGET_FRAMES),
        altered={
            change: events_of(change.apply(videos.bodies), motion, 0, SHOWN_FRAMES)
            for change, motion in videos.altered.items()
        },
        interacted=interacted(videos),
    )
