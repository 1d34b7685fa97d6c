"""Analysis by simulation: infers masses and charges from motion, then answers by simulating with them.

It uses the tracks of the target's shown frames and of the references while bodies are in view, no hidden property and
no future frame. Factual questions are answered from what it observed and inferred, predictive ones by simulating on
from the end of the shown frames, counterfactual ones by simulating from the first frame with one property changed.

Inference: a set has at most one heavy body and at most one charged pair, whose charges are the same or opposite;
every such assignment is a hypothesis. Short segments around each collision and each closest approach are simulated
again, for all hypotheses in one batch. The error of a hypothesis is summed over the segments, and hypotheses that
fall behind are dropped. Motion out of view is completed first, and not compared: before it is first seen a body moved
freely, so that its state follows from the motion law backwards, corrected until simulating from it leads to the state
in which it was first seen; after it was last seen it is simulated on, without other bodies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tumble.comphy.agents.agent import Agent, Explanation
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.catalogue.body import HEAVY, LIGHT, Body, Collision, Motion
from tumble.comphy.catalogue.task import Observation, Task
from tumble.comphy.catalogue.video_set import Alteration, alterations
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, SHOWN_FRAMES, STEPS_PER_FRAME, TARGET_FRAMES
from tumble.comphy.questions.program import SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene
from tumble.comphy.simulation.events import APART_FRAMES, Event, events_of, pair_distances, pairs_of
from tumble.comphy.simulation.laws import earlier
from tumble.comphy.simulation.simulator import InitialState, simulate, simulate_many

CORRECTIONS = 3
"""Of the state at the start, by how far simulating from it misses the first seen state."""
FAR = 1000.0
"""Where bodies that are never seen rest: far from all others, in units."""


@dataclass(frozen=True)
class Gap:
    """Frames first <= frame < last in which a body is out of view."""

    body: int
    first: int
    last: int


def complete_track(bodies: Sequence[Body], track: Motion) -> Motion:
    """A track without NaN: bodies out of view have the states in which they would be without other bodies."""
    whole = Motion(
        track.positions.copy(),
        track.orientations.copy(),
        track.velocities.copy(),
        track.angular_velocities.copy(),
        track.in_view,
        track.collisions,
    )
    gaps = _gaps(track.in_view)
    unseen = [gap for gap in gaps if gap.first == 0 and gap.last == track.frames]
    before = [gap for gap in gaps if gap.first == 0 and gap.last < track.frames]
    after = [gap for gap in gaps if gap.first > 0]
    _fill_gaps(whole, unseen, [_far_away(bodies[gap.body], gap.body) for gap in unseen], bodies, skip=0)
    _fill_gaps(whole, before, _states_at_start(bodies, track, before), bodies, skip=0)
    _fill_gaps(whole, after, [_state(track, gap.body, gap.first - 1) for gap in after], bodies, skip=1)
    return whole


def _gaps(in_view: np.ndarray) -> list[Gap]:
    """All gaps of a track, from its in_view [frame, body]."""
    padded = np.pad(~in_view, ((1, 1), (0, 0)))
    changes = np.diff(padded.astype(int), axis=0)
    return [
        Gap(body, int(first), int(last))
        for body in range(in_view.shape[1])
        for first, last in zip(np.flatnonzero(changes[:, body] > 0), np.flatnonzero(changes[:, body] < 0), strict=True)
    ]


def _fill_gaps(whole: Motion, gaps: list[Gap], starts: list[InitialState], bodies: Sequence[Body], skip: int) -> None:
    """Writes simulated states into gaps; the first `skip` simulated frames are those before a gap."""
    if not gaps:
        return
    worlds = [((bodies[gap.body],), start) for gap, start in zip(gaps, starts, strict=True)]
    motions = simulate_many(worlds, max(gap.last - gap.first for gap in gaps) + skip)
    for gap, motion in zip(gaps, motions, strict=True):
        frames, simulated = slice(gap.first, gap.last), slice(skip, skip + gap.last - gap.first)
        whole.positions[frames, gap.body] = motion.positions[simulated, 0]
        whole.orientations[frames, gap.body] = motion.orientations[simulated, 0]
        whole.velocities[frames, gap.body] = motion.velocities[simulated, 0]
        whole.angular_velocities[frames, gap.body] = motion.angular_velocities[simulated, 0]


def _states_at_start(bodies: Sequence[Body], track: Motion, gaps: list[Gap]) -> list[InitialState]:
    """The states at frame 0 of bodies that are first seen later."""
    if not gaps:
        return []
    seen = [(gap.last, gap.body) for gap in gaps]
    places = np.array([track.positions[at][:2] for at in seen])
    velocities = np.array([track.velocities[at][:2] for at in seen])
    real, up = np.array([track.orientations[at][[0, 3]] for at in seen]).T
    headings = 2.0 * np.arctan2(up, real)
    members = [bodies[gap.body] for gap in gaps]
    start_places, start_velocities = _earlier_states(members, places, velocities, [gap.last for gap in gaps])
    for _ in range(CORRECTIONS):
        states = _on_table(members, start_places, headings, start_velocities)
        worlds = [((body,), state) for body, state in zip(members, states, strict=True)]
        motions = simulate_many(worlds, max(gap.last for gap in gaps) + 1)
        reached = [
            (motion.positions[gap.last, 0, :2], motion.velocities[gap.last, 0, :2])
            for motion, gap in zip(motions, gaps, strict=True)
        ]
        missed = velocities - [velocity for _, velocity in reached]
        seconds = np.array([[gap.last / FRAMES_PER_SECOND] for gap in gaps])
        start_velocities = start_velocities + missed
        start_places = start_places + (places - [place for place, _ in reached]) - missed * seconds
    return _on_table(members, start_places, headings, start_velocities)


def _earlier_states(
    bodies: Sequence[Body], places: np.ndarray, velocities: np.ndarray, frames: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Places and velocities [body, 2] some frames earlier, by the motion law."""
    start_places, start_velocities = [], []
    for body, place, velocity, count in zip(bodies, places, velocities, frames, strict=True):
        speed = float(np.hypot(*velocity))
        direction = velocity / max(speed, 1e-9)
        start_speed, distance = earlier(body.shape, speed, count / FRAMES_PER_SECOND) if speed > 0.0 else (0.0, 0.0)
        start_places.append(place - distance * direction)
        start_velocities.append(start_speed * direction)
    return np.array(start_places), np.array(start_velocities)


def _on_table(
    bodies: Sequence[Body], places: np.ndarray, headings: np.ndarray, velocities: np.ndarray
) -> list[InitialState]:
    """The states of single bodies."""
    return [
        InitialState.on_table((body,), places[k : k + 1], headings[k : k + 1], velocities[k : k + 1])
        for k, body in enumerate(bodies)
    ]


def _state(track: Motion, body: int, frame: int) -> InitialState:
    columns = slice(body, body + 1)
    return InitialState(
        track.positions[frame, columns],
        track.orientations[frame, columns],
        track.velocities[frame, columns],
        track.angular_velocities[frame, columns],
    )


def _far_away(body: Body, number: int) -> InitialState:
    places = np.array([[FAR, FAR + 10.0 * number]])
    return InitialState.on_table((body,), places, np.zeros(1), np.zeros((1, 2)))


COLLISION_FRAMES = 5
"""Frames of a segment that starts with the frame before a contact."""
APPROACH_FRAMES = 9
"""Frames of a segment around the frame in which two bodies are closest."""
APPROACH_DISTANCE = 2.5
"""Closest approaches beyond this distance are ignored."""
MAX_SEGMENT_ERROR = 0.5
"""Units per second: the largest error of a segment, since some collisions are sensitive to the last digit."""
PRUNE_MARGIN = 1.0
"""A hypothesis whose error exceeds the smallest one by this is dropped."""
TIE_MARGIN = 1e-4
"""Hypotheses whose errors differ by less are equally good; the one with fewer hidden properties is chosen."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Some frames of a video, to be simulated again."""

    members: tuple[int, ...]
    motion: Motion
    """Completed: bodies out of view have states too."""
    first: int
    frames: int

    def errors(self, hypotheses: Sequence[tuple[Body, ...]]) -> list[float]:
        """For each hypothesis the largest mean velocity error of a body while it is in view, in units per second."""
        start = InitialState.from_motion(self.motion, self.first)
        motions = simulate_many([(bodies, start) for bodies in hypotheses], self.frames)
        span = slice(self.first, self.first + self.frames)
        seen = self.motion.in_view[span]
        differences = np.stack([motion.velocities for motion in motions]) - self.motion.velocities[span]
        errors = np.where(seen, np.linalg.norm(differences, axis=-1), 0.0)
        means = errors.sum(axis=1) / np.maximum(seen.sum(axis=0), 1)
        return [float(error) for error in np.minimum(means.max(axis=1), MAX_SEGMENT_ERROR)]


def hypotheses(looks: tuple[Body, ...]) -> list[tuple[Body, ...]]:
    """All assignments of masses and charges to bodies that look like these, that without hidden properties first.

    One of two charges is positive.
    """
    count = len(looks)
    light, neutral = [LIGHT] * count, [0] * count
    all_masses = [light, *([HEAVY if k == heavy else LIGHT for k in range(count)] for heavy in range(count))]
    all_charges = [neutral]
    for one, other in pairs_of(count):
        for sign in (1, -1):
            all_charges.append([1 if k == one else sign if k == other else 0 for k in range(count)])
    return [
        tuple(
            replace(body, mass=mass, charge=charge) for body, mass, charge in zip(looks, masses, charges, strict=True)
        )
        for masses in all_masses
        for charges in all_charges
    ]


def infer_properties(observation: Observation) -> tuple[Body, ...]:
    """The bodies with the properties that explain the observation best."""
    errors = dict.fromkeys(hypotheses(observation.bodies), 0.0)
    for segment in _segments(observation):
        members = {bodies: _restricted(bodies, segment.members) for bodies in errors}
        distinct = list(dict.fromkeys(members.values()))
        segment_errors = dict(zip(distinct, segment.errors(distinct), strict=True)) if len(distinct) > 1 else {}
        for bodies in errors:
            errors[bodies] += segment_errors.get(members[bodies], 0.0)
        best = min(errors.values())
        errors = {bodies: error for bodies, error in errors.items() if error < best + PRUNE_MARGIN}
    best = min(errors.values())
    return min((bodies for bodies, error in errors.items() if error < best + TIE_MARGIN), key=_hidden_properties)


def same_charges(one: tuple[Body, ...], other: tuple[Body, ...]) -> bool:
    """Whether the same bodies are charged, in the same relation; the sign itself can't be observed."""
    first, second = ([body.charge for body in bodies] for bodies in (one, other))
    return first in (second, [-charge for charge in second])


def _hidden_properties(bodies: tuple[Body, ...]) -> int:
    return sum(body.is_heavy for body in bodies) + sum(body.is_charged for body in bodies)


def _restricted(bodies: tuple[Body, ...], members: tuple[int, ...]) -> tuple[Body, ...]:
    """The bodies of one video; a single charge has no effect there and is removed."""
    restricted = tuple(bodies[k] for k in members)
    if sum(body.is_charged for body in restricted) > 1:
        return restricted
    return tuple(replace(body, charge=0) for body in restricted)


def _segments(observation: Observation) -> Iterator[Segment]:
    """The segments of the references first: they have fewer bodies, and so fewer hypotheses to simulate."""
    for video in (*observation.references, observation.target):
        motion = complete_track([observation.bodies[k] for k in video.members], video.track)
        for first, frames in sorted(_spans(motion)):
            yield Segment(video.members, motion, first, min(frames, motion.frames - first))


def _spans(motion: Motion) -> set[tuple[int, int]]:
    """First frame and number of frames of each informative segment."""
    spans = {(collision.step // STEPS_PER_FRAME, COLLISION_FRAMES) for collision in motion.collisions}
    for one, other in pairs_of(motion.bodies):
        both_seen = motion.in_view[:, one] & motion.in_view[:, other]
        distance = np.where(both_seen, pair_distances(motion, one, other), np.inf)
        closest = int(distance.argmin())
        if distance[closest] < APPROACH_DISTANCE:
            spans.add((max(closest - APPROACH_FRAMES // 2, 0), APPROACH_FRAMES))
    return {(first, frames) for first, frames in spans if first < motion.frames - 1}


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


class Simulation(Agent):
    """Remembers the scene of the last task."""

    def __init__(self) -> None:
        self.last: tuple[Task, SymbolicScene] | None = None

    def answer(self, task: Task) -> SetAnswers:
        return answers_from_scene(self._scene(task), task.questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self._scene(task).bodies

    def explain(self, task: Task) -> Explanation:
        scene = self._scene(task)
        return Explanation(scene.bodies, scene=scene, motions=PredictedMotions(scene))

    def _scene(self, task: Task) -> SymbolicScene:
        """The scene that it inferred and predicts."""
        if self.last is None or self.last[0] is not task:
            observation = task.observe()
            self.last = task, predict_scene(infer_properties(observation), observation)
        return self.last[1]
