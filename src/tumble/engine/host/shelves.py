"""Kept states on a device: those that a block of worlds goes on from, and those that it leaves."""

from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.machine import Machine
from tumble.engine.host.states import States
from tumble.engine.rollout.resume import Resume, Shelf
from tumble.engine.state.snapshot import Store


class Shelves:
    """The memory that a kernel's `Resume` points to."""

    def __init__(self, machine: Machine, start: States | None, start_of: np.ndarray) -> None:
        self._machine, self._device = machine, machine.device
        self.resume = Resume()
        self._kept: tuple[States, dict[str, Any]] | None = None
        self._start: dict[str, Any] = {}
        if start is not None:
            used, of = np.unique(start_of, return_inverse=True)
            self._start = self._uploaded(start.take(used))
            self.resume.starts = 1
            self.resume.start_of = machine.ints(of)
            self.resume.start = _shelf(start, self._start)

    def make_room(self, states: States) -> None:
        """Has worlds kept at their end where these blank states are."""
        self._kept = states, self._uploaded(states)
        self.resume.keeps = 1
        self.resume.kept = _shelf(states, self._kept[1])

    def kept_states(self) -> States:
        """The states that the block left."""
        assert self._kept is not None
        states, arrays = self._kept
        return replace(
            states,
            vecs=arrays["vecs"].numpy().reshape(states.vecs.shape),
            ints=arrays["ints"].numpy().reshape(states.ints.shape),
            heads=arrays["heads"].numpy().reshape(states.heads.shape),
        )

    def _uploaded(self, states: States) -> dict[str, Any]:
        return {
            "vecs": wp.array(np.ascontiguousarray(states.vecs).reshape(-1, 4), dtype=wp.vec4, device=self._device),
            "ints": self._machine.ints(states.ints),
            "heads": self._machine.ints(states.heads),
        }


def _shelf(states: States, arrays: dict[str, Any]) -> Shelf:
    store = Store()
    store.bodies, store.shapes, store.contacts = states.bodies, states.shapes, states.contacts
    store.vecs, store.ints = arrays["vecs"].ptr or 0, arrays["ints"].ptr or 0
    shelf = Shelf()
    shelf.states = store
    shelf.heads = arrays["heads"].ptr or 0
    return shelf
