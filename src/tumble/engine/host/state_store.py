"""A growing collection of saved states."""

from dataclasses import replace

import numpy as np

from tumble.engine.host.states import States

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
