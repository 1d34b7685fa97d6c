"""Completes tracks: the states of bodies while they are out of view.

Before it is first seen a body moved freely since the video's start: its state there follows from the motion law
backwards, and is corrected until simulating from it leads to the state in which it was first seen. After it was last
seen it is simulated on, without other bodies.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tumble.comphy.catalogue.body import Body, Motion
from tumble.comphy.catalogue.world import FRAMES_PER_SECOND
from tumble.comphy.simulation.laws import earlier
from tumble.comphy.simulation.simulator import InitialState, simulate_many

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
    _fill(whole, unseen, [_far_away(bodies[gap.body], gap.body) for gap in unseen], bodies, skip=0)
    _fill(whole, before, _states_at_start(bodies, track, before), bodies, skip=0)
    _fill(whole, after, [_state(track, gap.body, gap.first - 1) for gap in after], bodies, skip=1)
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


def _fill(whole: Motion, gaps: list[Gap], starts: list[InitialState], bodies: Sequence[Body], skip: int) -> None:
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
