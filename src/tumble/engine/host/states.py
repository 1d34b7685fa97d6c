"""Saved states: worlds at the end of a rollout, to read, to resume from and to collect.

States of a scene can be carried over to a changed one: bodies added, or made dynamic or static.
"""

from dataclasses import dataclass, replace

import numpy as np

from tumble.engine.rollout.snapshots import (
    HEADER_OUTPUTS,
    HEADER_SCRATCH,
    HEADER_STEP,
    ints_per_snapshot,
    vecs_per_snapshot,
)
from tumble.engine.state.constants import HUGE
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_VECS,
    CENTRE_POSE,
    CONTACT_FLAGS,
    CONTACT_INTS,
    CONTACT_VECS,
    PRESENT,
    TOUCHING,
    TRANSFORM,
    VELOCITY,
)
from tumble.scene import Scene


@dataclass(frozen=True)
class States:
    """One state for each world, laid out as `snapshot.SnapshotStore` says; bodies are the dynamic ones, in order."""

    bodies: int
    shapes: int
    contacts: int
    vecs: np.ndarray
    """float32 [states, vecs_per_snapshot, 4]."""
    ints: np.ndarray
    """int32 [states, ints_per_snapshot]."""
    headers: np.ndarray
    """int32 [states, HEADER_OUTPUTS + output_ints]."""

    def __len__(self) -> int:
        return len(self.headers)

    def take(self, rows: np.ndarray) -> "States":
        """Some of the states."""
        return replace(self, vecs=self.vecs[rows], ints=self.ints[rows], headers=self.headers[rows])

    @property
    def steps(self) -> np.ndarray:
        """int [states]: steps made until then."""
        return np.asarray(self.headers[:, HEADER_STEP])

    @property
    def output_ints(self) -> np.ndarray:
        """int [states, output_ints]: the rule's output."""
        return np.asarray(self.headers[:, HEADER_OUTPUTS:])

    @property
    def scratch_ints(self) -> np.ndarray:
        """int [states, SCRATCH_INTS]: the numbers that the rule keeps from step to step."""
        return np.asarray(self.headers[:, HEADER_SCRATCH:HEADER_OUTPUTS])

    @property
    def most_contacts(self) -> int:
        """The largest number of contacts of a state."""
        return int(self.ints[:, 0].max(initial=0))

    @property
    def present(self) -> np.ndarray:
        """bool [states, bodies]: which bodies are in the world."""
        return (self.ints[:, 1 : 1 + self.bodies] & PRESENT) != 0

    @property
    def awake(self) -> np.ndarray:
        """bool [states, bodies]: which bodies are present and awake."""
        return self.present & ((self.ints[:, 1 : 1 + self.bodies] & AWAKE) != 0)

    @property
    def poses(self) -> np.ndarray:
        """float [states, bodies, (x, y, angle)] in metres and radians, NaN where a body is absent."""
        bodies = self._bodies()
        poses = np.concatenate([bodies[:, :, TRANSFORM, :2], bodies[:, :, CENTRE_POSE, 2:3]], axis=-1)
        return np.where(self.present[..., None], poses, np.float32(np.nan))

    @property
    def velocities(self) -> np.ndarray:
        """float [states, bodies, (x, y, angular)] in metres and radians per second, NaN where a body is absent."""
        return np.where(self.present[..., None], self._bodies()[:, :, VELOCITY, :3], np.float32(np.nan))

    @property
    def body_scratch(self) -> np.ndarray:
        """float [states, bodies]: the number that the rule keeps with each body."""
        return np.asarray(self._bodies()[:, :, VELOCITY, 3])

    def touching_pairs(self, state: int) -> np.ndarray:
        """int [n, 2]: the bodies of the touching contacts of a state, numbered as in its scene."""
        first = 1 + self.bodies
        count = int(self.ints[state, 0])
        contacts = self.ints[state, first : first + count * CONTACT_INTS].reshape(count, CONTACT_INTS)
        touching = (contacts[:, CONTACT_FLAGS] & TOUCHING) != 0
        return np.asarray(contacts[touching][:, [BODY_A, BODY_B]])

    def _bodies(self) -> np.ndarray:
        return self.vecs[:, : self.bodies * BODY_VECS].reshape(len(self), self.bodies, BODY_VECS, 4)

    def with_room(self, contacts: int) -> "States":
        """The same states with room for more contacts."""
        return self.resized(self.bodies, self.shapes, contacts, self.output_ints.shape[1])

    def resized(self, bodies: int, shapes: int, contacts: int, output_ints: int) -> "States":
        """The same states with room for other numbers of bodies, shapes, contacts and output ints.

        Room that a state uses may not be taken away.
        """
        split = np.cumsum([self.bodies * BODY_VECS, self.shapes])
        body_vecs, box_vecs, contact_vecs = np.split(self.vecs, split, axis=1)
        counts, flags, contact_ints = np.split(self.ints, [1, 1 + self.bodies], axis=1)
        vecs = ((body_vecs, bodies * BODY_VECS), (box_vecs, shapes), (contact_vecs, contacts * CONTACT_VECS))
        ints = ((counts, 1), (flags, bodies), (contact_ints, contacts * CONTACT_INTS))
        return States(
            bodies,
            shapes,
            contacts,
            np.concatenate([_fitted(values, width) for values, width in vecs], axis=1),
            np.concatenate([_fitted(values, width) for values, width in ints], axis=1),
            _fitted(self.headers, HEADER_OUTPUTS + output_ints),
        )


def _fitted(values: np.ndarray, width: int) -> np.ndarray:
    """Values [n, width, ...], cut off or filled up with zeros."""
    if values.shape[1] >= width:
        return values[:, :width]
    return np.pad(values, ((0, 0), (0, width - values.shape[1]), *((0, 0),) * (values.ndim - 2)))


def blank_states(count: int, bodies: int, shapes: int, contacts: int, output_ints: int) -> States:
    """Room for `count` states."""
    return States(
        bodies,
        shapes,
        contacts,
        np.zeros((count, vecs_per_snapshot(bodies, shapes, contacts), 4), np.float32),
        np.zeros((count, ints_per_snapshot(bodies, contacts)), np.int32),
        np.zeros((count, HEADER_OUTPUTS + output_ints), np.int32),
    )


def put_states(target: States, rows: np.ndarray, states: States) -> States:
    """The target with some of its rows replaced; it grows where the new states have room for more contacts."""
    if states.contacts > target.contacts:
        target = target.with_room(states.contacts)
    elif states.contacts < target.contacts:
        states = states.with_room(target.contacts)
    for to, values in ((target.vecs, states.vecs), (target.ints, states.ints), (target.headers, states.headers)):
        to[rows] = values
    return target


def joined_states(first: States, second: States) -> States:
    """The states of both, the second ones after the first; with the output ints that the first have."""
    bodies, shapes = max(first.bodies, second.bodies), max(first.shapes, second.shapes)
    contacts, outputs = max(first.contacts, second.contacts), first.output_ints.shape[1]
    both = [states.resized(bodies, shapes, contacts, outputs) for states in (first, second)]
    return replace(
        both[0],
        vecs=np.concatenate([states.vecs for states in both]),
        ints=np.concatenate([states.ints for states in both]),
        headers=np.concatenate([states.headers for states in both]),
    )


FIRST_ROOM = 64
"""States that there is room for at first; the room doubles whenever it is used up."""


class StateStore:
    """States of any number of calls, numbered in the order in which they were added."""

    def __init__(self) -> None:
        self._room: States | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, states: States) -> None:
        """Adds states; all that are stored get room for as many bodies, shapes, contacts and output ints."""
        states = states.resized(states.bodies, states.shapes, states.most_contacts, states.output_ints.shape[1])
        room = states.take(np.zeros(FIRST_ROOM, int)) if self._room is None else self._room
        sizes = tuple(max(pair) for pair in zip(_sizes(room), _sizes(states), strict=True))
        if sizes != _sizes(room):
            room = room.resized(*sizes)
        total = self._count + len(states)
        if total > len(room):
            room = _with_rows(room, max(total, 2 * len(room)))
        added = states.resized(*sizes)
        for to, values in ((room.vecs, added.vecs), (room.ints, added.ints), (room.headers, added.headers)):
            to[self._count : total] = values
        self._room, self._count = room, total

    def take(self, rows: np.ndarray, output_ints: int) -> States:
        """Some of the states, with room for a number of output ints."""
        if self._room is None:
            raise IndexError("there are no states yet")
        states = self._room.take(rows)
        return states.resized(states.bodies, states.shapes, states.contacts, output_ints)


def _sizes(states: States) -> tuple[int, int, int, int]:
    return states.bodies, states.shapes, states.contacts, states.output_ints.shape[1]


def _with_rows(states: States, count: int) -> States:
    """The states with room for more of them."""

    def longer(values: np.ndarray) -> np.ndarray:
        result = np.zeros((count, *values.shape[1:]), values.dtype)
        result[: len(values)] = values
        return result

    return replace(states, vecs=longer(states.vecs), ints=longer(states.ints), headers=longer(states.headers))


NO_BOX = (HUGE, HUGE, -HUGE, -HUGE)
"""The fat AABB of an absent body."""


def carried_over(states: States, old: Scene, new: Scene, bodies: int, shapes: int) -> States:
    """States of `old` as states of `new`, with room for a number of bodies and shapes.

    A body of `new` has the index that it has in `old`, or follows its bodies. One that is dynamic only in `new` is
    absent until it is placed; one that is dynamic only in `old` is where the scene has it.
    """
    rows, boxes = _dynamic_rows(old), _box_rows(old)
    kept = [rows.get(k, -1) for k, body in enumerate(new.bodies) if body.dynamic]
    kept_boxes = [
        boxes[k][s] if k in boxes else -1
        for k, body in enumerate(new.bodies)
        if body.dynamic
        for s in range(len(body.shapes))
    ]
    count, old_vecs = len(states), states.bodies * BODY_VECS
    old_bodies = states.vecs[:, :old_vecs].reshape(count, states.bodies, BODY_VECS, 4)
    body_vecs = np.zeros((count, bodies, BODY_VECS, 4), np.float32)
    flags = np.zeros((count, bodies), np.int32)
    for row, source in enumerate(kept):
        if source >= 0:
            body_vecs[:, row] = old_bodies[:, source]
            flags[:, row] = states.ints[:, 1 + source]
    box_vecs = np.zeros((count, shapes, 4), np.float32)
    for row, source in enumerate(kept_boxes):
        box_vecs[:, row] = NO_BOX if source < 0 else states.vecs[:, old_vecs + source]
    contact_vecs = states.vecs[:, old_vecs + states.shapes :]
    return replace(
        states,
        bodies=bodies,
        shapes=shapes,
        vecs=np.concatenate([body_vecs.reshape(count, -1, 4), box_vecs, contact_vecs], axis=1),
        ints=np.concatenate([states.ints[:, :1], flags, states.ints[:, 1 + states.bodies :]], axis=1),
    )


def _dynamic_rows(scene: Scene) -> dict[int, int]:
    """The row in a state of each dynamic body."""
    return {body: row for row, body in enumerate(k for k, body in enumerate(scene.bodies) if body.dynamic)}


def _box_rows(scene: Scene) -> dict[int, list[int]]:
    """The rows in a state of the fat AABBs of each dynamic body."""
    found: dict[int, list[int]] = {}
    first = 0
    for k, body in enumerate(scene.bodies):
        if body.dynamic:
            found[k] = list(range(first, first + len(body.shapes)))
            first += len(body.shapes)
    return found
