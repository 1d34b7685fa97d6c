"""The symbolic scene that programs run on: bodies, motion, and events that happen, will happen and would happen.

The scene of a set is made from the ground truth; an agent may make its own from what it inferred and predicted.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tumble.comphy.simulation.events import Event, events_of
from tumble.comphy.simulation.interactions import set_interactions
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, TARGET_FRAMES
from tumble.comphy.tasks.motion import Motion
from tumble.comphy.tasks.video_set import Alteration, VideoSet


@dataclass(frozen=True, eq=False)
class SymbolicScene:
    """Everything that a program can read."""

    bodies: tuple[Body, ...]
    motion: Motion
    """Of the target; frames after the shown ones may be missing or predicted."""
    shown_events: tuple[Event, ...]
    """In the shown frames, by frame."""
    future_events: tuple[Event, ...]
    """After the shown frames."""
    altered_events: Mapping[Alteration, tuple[Event, ...]]
    """In the shown frames, for each counterfactual change."""
    interacting_pairs: frozenset[tuple[int, int]] = frozenset()
    """Pairs (first < second) that interact in the target or a reference: only these are compared in questions."""
    undetermined: Mapping[Alteration | None, frozenset[tuple[int, int]]] = field(default_factory=dict)
    """Pairs that are not asked about, as in `VideoSet`."""


def symbolic_scene(videos: VideoSet) -> SymbolicScene:
    """The true scene of a set."""
    return SymbolicScene(
        bodies=videos.bodies,
        motion=videos.target,
        shown_events=events_of(videos.bodies, videos.target, 0, SHOWN_FRAMES),
        future_events=events_of(videos.bodies, videos.target, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events={
            change: events_of(change.apply(videos.bodies), motion, 0, SHOWN_FRAMES)
            for change, motion in videos.altered.items()
        },
        undetermined=videos.undetermined,
        interacting_pairs=set_interactions(videos),
    )
