"""Predicts what will happen and would happen, by simulation from the motion in view and inferred properties."""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from tumble.comphy.agents.completion import complete_track
from tumble.comphy.catalogue.body import Body, Collision, Motion
from tumble.comphy.catalogue.task import Observation
from tumble.comphy.catalogue.video_set import Alteration, alterations
from tumble.comphy.catalogue.world import SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import APART_FRAMES, Event, events_of
from tumble.comphy.simulation.simulator import InitialState, simulate, simulate_many


def predict_scene(bodies: tuple[Body, ...], observation: Observation) -> SymbolicScene:
    """The scene of a set that was observed, if its bodies have these properties."""
    shown = complete_track(observation.bodies, observation.target.track)
    motion = extend_motion(bodies, shown)
    shown_events = events_of(bodies, motion, 0, SHOWN_FRAMES)
    return SymbolicScene(
        bodies=bodies,
        motion=motion,
        shown_events=shown_events,
        future_events=events_of(bodies, motion, SHOWN_FRAMES, TARGET_FRAMES),
        altered_events=SimulatedAlterations(bodies, InitialState.from_motion(shown, 0), shown_events),
    )


def extend_motion(bodies: tuple[Body, ...], shown: Motion) -> Motion:
    """The completed shown frames, followed by simulated ones up to TARGET_FRAMES.

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
    """Events of the shown frames after each alteration, all simulated in one batch when one is first accessed.

    An alteration that changes nothing, as when a body that is thought neutral is uncharged, has the events shown.
    """

    def __init__(self, bodies: tuple[Body, ...], start: InitialState, shown: tuple[Event, ...]) -> None:
        self.bodies, self.start, self.shown = bodies, start, shown

    @cached_property
    def motions(self) -> dict[tuple[Body, ...], Motion]:
        """By the bodies after an alteration."""
        worlds = list(dict.fromkeys(change.apply(self.bodies) for change in self))
        return dict(zip(worlds, simulate_many([(bodies, self.start) for bodies in worlds], SHOWN_FRAMES), strict=True))

    def motion(self, bodies: tuple[Body, ...]) -> Motion:
        """The motion of bodies after an alteration."""
        if bodies not in self.motions:  # a mass in a set that is thought to be about charges
            self.motions[bodies] = simulate(bodies, self.start, SHOWN_FRAMES)
        return self.motions[bodies]

    @cached_property
    def events(self) -> dict[tuple[Body, ...], tuple[Event, ...]]:
        """By the bodies after an alteration."""
        return {bodies: events_of(bodies, motion, 0, SHOWN_FRAMES) for bodies, motion in self.motions.items()}

    def __getitem__(self, change: Alteration) -> tuple[Event, ...]:
        if change not in self:
            raise KeyError(change)
        bodies = change.apply(self.bodies)
        if bodies == self.bodies:
            return self.shown
        if bodies not in self.events:
            self.events[bodies] = events_of(bodies, self.motion(bodies), 0, SHOWN_FRAMES)
        return self.events[bodies]

    def __contains__(self, change: object) -> bool:
        """Every alteration of a body can be simulated."""
        return isinstance(change, Alteration) and 0 <= change.body < len(self.bodies)

    def __iter__(self) -> Iterator[Alteration]:
        return iter(alterations(self.bodies))

    def __len__(self) -> int:
        return len(alterations(self.bodies))


class PredictedMotions(Mapping[Alteration | None, np.ndarray]):
    """Predicted places [frame, body, 3] in a scene of `predict_scene`: of the target (None), and after alterations."""

    def __init__(self, scene: SymbolicScene) -> None:
        assert isinstance(scene.altered_events, SimulatedAlterations)
        self.scene, self.altered = scene, scene.altered_events

    def __getitem__(self, change: Alteration | None) -> np.ndarray:
        if change is None:
            return self.scene.motion.positions
        if change not in self.altered:
            raise KeyError(change)
        bodies = change.apply(self.scene.bodies)
        if bodies == self.scene.bodies:
            return self.scene.motion.positions[:SHOWN_FRAMES]
        return self.altered.motion(bodies).positions

    def __iter__(self) -> Iterator[Alteration | None]:
        return iter((None, *self.altered))

    def __len__(self) -> int:
        return 1 + len(self.altered)
