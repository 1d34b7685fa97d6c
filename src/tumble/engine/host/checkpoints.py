"""Checkpoints on a device: the saved states that a chunk of worlds resumes from, and those that it saves."""

from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.machine import Machine
from tumble.engine.host.states import States
from tumble.engine.host.transfer import to_host
from tumble.engine.rollout.resume import CheckpointStore, Resume
from tumble.engine.state.snapshot import SnapshotStore


class Checkpoints:
    """The device memory that a kernel's `Resume` points to."""

    def __init__(self, machine: Machine, start: States | None, start_of: np.ndarray) -> None:
        self._machine, self._device = machine, machine.device
        self.resume = Resume()
        self._end: tuple[States, dict[str, Any]] | None = None
        self._start: dict[str, Any] = {}
        if start is not None:
            used, index_of = np.unique(start_of, return_inverse=True)
            self._start = self._uploaded(start.take(used))
            self.resume.has_start = 1
            self.resume.start_of = machine.ints(index_of)
            self.resume.start = _store(start, self._start)

    def save_into(self, states: States) -> None:
        """Has worlds saved at their end; `states` are blank ones of the right size."""
        self._end = states, self._uploaded(states)
        self.resume.saves_end = 1
        self.resume.end = _store(states, self._end[1])

    def saved_states(self) -> States:
        """The states that the chunk saved."""
        assert self._end is not None
        states, arrays = self._end
        return replace(
            states,
            vecs=to_host(arrays["vecs"]).reshape(states.vecs.shape),
            ints=to_host(arrays["ints"]).reshape(states.ints.shape),
            headers=to_host(arrays["headers"]).reshape(states.headers.shape),
        )

    def _uploaded(self, states: States) -> dict[str, Any]:
        return {
            "vecs": wp.array(np.ascontiguousarray(states.vecs).reshape(-1, 4), dtype=wp.vec4, device=self._device),
            "ints": self._machine.ints(states.ints),
            "headers": self._machine.ints(states.headers),
        }


def _store(states: States, arrays: dict[str, Any]) -> CheckpointStore:
    snapshots = SnapshotStore()
    snapshots.bodies, snapshots.shapes, snapshots.contacts = states.bodies, states.shapes, states.contacts
    snapshots.vecs, snapshots.ints = arrays["vecs"].ptr or 0, arrays["ints"].ptr or 0
    store = CheckpointStore()
    store.snapshots = snapshots
    store.headers = arrays["headers"].ptr or 0
    return store
