"""Predicts what will happen and would happen, by simulation from observed motion and inferred properties."""

from collections.abc import Iterator, Mapping

import numpy as np

from tumble.comphy.questions.programs.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import APART_FRAMES, Event, events_of
from tumble.comphy.simulation.simulator import InitialState, simulate
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.constants import SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.tasks.motion import Collision, Motion
from tumble.comphy.tasks.video_set import Alteration, alterations


def predict_scene(bodies: tuple[Body, ...], shown: Motion) -> SymbolicScene:
    """The scene of bodies with these properties and a target with these shown frames."""
    motion = extend_motion(bodies, shown)
    return SymbolicScene(
        bodies=bodies,
        motion=motion,
        shown_events=events_of(bodies, motion, 0, SHOWN_FRAMES),
        future_events=events_of(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events=SimulatedAlterations(bodies, InitialState.from_motion(shown, 0)),
    )


def extend_motion(bodies: tuple[Body, ...], shown: Motion) -> Motion:
    """The shown frames, followed by simulated ones up to TARGET_FRAMES.

    The simulation starts some frames before the last shown one, so that contacts that exist there are not counted as
    new collisions.
    """
    first = SHOWN_FRAMES - 1 - APART_FRAMES
    simulated = simulate(bodies, InitialState.from_motion(shown, first), TARGET_FRAMES - first)
    overlap = SHOWN_FRAMES - first
    later_collisions = [
        Collision(collision.step + first * STEPS_PER_FRAME, *collision.pair)
        for collision in simulated.collisions
        if collision.step >= overlap * STEPS_PER_FRAME
    ]
    return Motion(
        np.concatenate([shown.positions, simulated.positions[overlap:]]),
        np.concatenate([shown.orientations, simulated.orientations[overlap:]]),
        np.concatenate([shown.velocities, simulated.velocities[overlap:]]),
        np.concatenate([shown.angular_velocities, simulated.angular_velocities[overlap:]]),
        np.concatenate([shown.in_view, simulated.in_view[overlap:]]),
        (*shown.collisions, *later_collisions),
    )


class SimulatedAlterations(Mapping[Alteration, tuple[Event, ...]]):
    """Events of the shown frames after each alteration, simulated when they are first accessed."""

    def __init__(self, bodies: tuple[Body, ...], start: InitialState) -> None:
        self.bodies, self.start = bodies, start
        self.events: dict[Alteration, tuple[Event, ...]] = {}

    def __getitem__(self, change: Alteration) -> tuple[Event, ...]:
        if change not in self.events:
            bodies = change.apply(self.bodies)
            motion = simulate(bodies, self.start, SHOWN_FRAMES)
            self.events[change] = events_of(bodies, motion, 0, SHOWN_FRAMES)
        return self.events[change]

    def __contains__(self, change: object) -> bool:
        """Any alteration can be simulated, also one that changes nothing."""
        return isinstance(change, Alteration) and 0 <= change.body < len(self.bodies)

    def __iter__(self) -> Iterator[Alteration]:
        return iter(alterations(self.bodies))

    def __len__(self) -> int:
        return len(alterations(self.bodies))
