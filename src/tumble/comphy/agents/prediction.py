"""What will happen and would happen, by simulation from what was seen and from properties that were inferred."""

from collections.abc import Iterator, Mapping

import numpy as np

from tumble.comphy.questions.programs.story import Story
from tumble.comphy.simulation.events import APART_FRAMES, Event, events_of
from tumble.comphy.simulation.simulator import Start, simulate
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.tasks.motion import Collision, Motion
from tumble.comphy.tasks.video_set import Alteration, alterations


def predicted_story(bodies: tuple[Body, ...], shown: Motion) -> Story:
    """The story of bodies with such properties whose target was seen as far as it is shown."""
    whole = with_future(bodies, shown)
    return Story(
        bodies=bodies,
        motion=whole,
        shown=events_of(bodies, whole, 0, SHOWN_FRAMES),
        unseen=events_of(bodies, whole, SHOWN_FRAMES, TARGET_FRAMES),
        altered=Imagined(bodies, Start.from_motion(shown, 0)),
    )


def with_future(bodies: tuple[Body, ...], shown: Motion) -> Motion:
    """What was seen, and behind it what follows.

    The simulation begins some frames before the last shown one, so that bodies that touch there don't collide anew.
    """
    first = SHOWN_FRAMES - 1 - APART_FRAMES
    again = simulate(bodies, Start.from_motion(shown, first), TARGET_FRAMES - first)
    behind = SHOWN_FRAMES - first
    later = [
        Collision(one.step + first * STEPS_PER_FRAME, *one.pair)
        for one in again.collisions
        if one.step >= behind * STEPS_PER_FRAME
    ]
    return Motion(
        np.concatenate([shown.positions, again.positions[behind:]]),
        np.concatenate([shown.orientations, again.orientations[behind:]]),
        np.concatenate([shown.velocities, again.velocities[behind:]]),
        np.concatenate([shown.spins, again.spins[behind:]]),
        np.concatenate([shown.inside, again.inside[behind:]]),
        (*shown.collisions, *later),
    )


class Imagined(Mapping[Alteration, tuple[Event, ...]]):
    """Events of the shown frames, had one body been different; each world is simulated when it is asked about."""

    def __init__(self, bodies: tuple[Body, ...], start: Start) -> None:
        self.bodies, self.start = bodies, start
        self.known: dict[Alteration, tuple[Event, ...]] = {}

    def __getitem__(self, change: Alteration) -> tuple[Event, ...]:
        if change not in self.known:
            changed = change.apply(self.bodies)
            motion = simulate(changed, self.start, SHOWN_FRAMES)
            self.known[change] = events_of(changed, motion, 0, SHOWN_FRAMES)
        return self.known[change]

    def __contains__(self, change: object) -> bool:
        """Any change of a body can be imagined, also one that changes nothing."""
        return isinstance(change, Alteration) and 0 <= change.body < len(self.bodies)

    def __iter__(self) -> Iterator[Alteration]:
        return iter(alterations(self.bodies))

    def __len__(self) -> int:
        return len(alterations(self.bodies))
