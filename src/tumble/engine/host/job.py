"""One call of `rollout`: its input, what it needs on the device, saved states, and its results."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.chunk import Chunk, frame_count, kernels_to_load
from tumble.engine.host.machine import Machine, to_host
from tumble.engine.host.options import EVENT, Options, Rollouts
from tumble.engine.host.scenes import upload_scenes
from tumble.engine.host.states import States, blank_states, put_states
from tumble.engine.host.stepping import MANY_WORLDS, FusedSettings, PhaseSettings
from tumble.engine.host.worlds import Worlds, order_of_alike
from tumble.engine.rollout.kernels import Kernels, kernels_for
from tumble.engine.rollout.lanes import OVERFLOWED
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.phases import phased_kernels_for
from tumble.engine.rollout.snapshots import CheckpointStore, Resume, SnapshotStore, vecs_per_snapshot
from tumble.engine.rules.rule import Rule, RuleError
from tumble.engine.state import layout
from tumble.engine.state.layout import Capacity


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
            self.resume.start = _checkpoint_store(start, self._start)

    def save_into(self, states: States) -> None:
        """Has worlds saved at their end; `states` are blank ones of the right size."""
        self._end = states, self._uploaded(states)
        self.resume.saves_end = 1
        self.resume.end = _checkpoint_store(states, self._end[1])

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


def _checkpoint_store(states: States, arrays: dict[str, Any]) -> CheckpointStore:
    snapshots = SnapshotStore()
    snapshots.bodies, snapshots.shapes, snapshots.contacts = states.bodies, states.shapes, states.contacts
    snapshots.vecs, snapshots.ints = arrays["vecs"].ptr or 0, arrays["ints"].ptr or 0
    store = CheckpointStore()
    store.snapshots = snapshots
    store.headers = arrays["headers"].ptr or 0
    return store


FIRST_CONTACTS = 48
"""Contacts that a lane has room for at first; worlds that need more are rolled out again with twice as many."""
FIRST_EVENTS = 256
"""Events that a world has room for at first, likewise."""
CHUNK_BYTES = 256 * 2**20
"""Memory that poses and events of one chunk of worlds may take."""
CHUNK_WORLDS = 1 << 19


def kernels_on(machine: Machine, rule: Rule) -> Kernels:
    """The kernels that a machine rolls worlds out with."""
    stepping = machine.stepping
    if isinstance(stepping, PhaseSettings):
        return phased_kernels_for(rule, stepping.registers)
    if machine.is_cpu:  # always the same: the number of registers concerns GPUs
        return kernels_for(rule, one_module=True, registers=MANY_WORLDS.registers)
    return kernels_for(rule, one_module=False, registers=stepping.registers)


class Job:
    """Worlds under a rule, on a machine."""

    def __init__(
        self,
        worlds: Worlds,
        rule: Rule,
        options: Options,
        progress: Callable[[int], None],
        start: States | None = None,
        start_of: np.ndarray | None = None,
        keep_states: bool = False,
    ) -> None:
        self.worlds, self.options, self.progress = worlds, options, progress
        self.rule = rule.for_worlds(len(worlds))
        self.rule.check_bodies(worlds.body_counts())
        self.machine = Machine(options, rule=rule, worlds=len(worlds))
        self.uploaded = upload_scenes(worlds, options.dt, self.machine.device)
        self.kernels = kernels_on(self.machine, rule)
        used = np.unique(worlds.scene_of)
        width = worlds.changes.target.shape[1]
        self.bodies = int(self.uploaded.bodies[used].max(initial=0)) + width
        self.shapes = int(self.uploaded.shapes[used].max(initial=0)) + width * self.uploaded.kind_shapes
        self.start, self.start_of = self._checked_start(start, start_of)
        self.states: States | None = None
        if keep_states:
            self._check_resumable()
            self.states = blank_states(len(worlds), self.bodies, self.shapes, 0, rule.output_ints)
        self.events: list[np.ndarray] = []
        frames = frame_count(options)
        shape = (len(worlds), frames, self.bodies, 3)
        self.result = Rollouts(
            verdicts=np.zeros(len(worlds), np.int8),
            steps=np.zeros(len(worlds), np.int32),
            frames=np.arange(frames, dtype=np.int32) * options.stride,
            poses=np.full(shape, np.nan, np.float32),
            velocities=np.full(shape if options.velocities else (0, 0, 0, 3), np.nan, np.float32),
            events=np.zeros(0, EVENT),
            output_ints=np.zeros((len(worlds), rule.output_ints), np.int32),
        )

    def load(self, *kernels: Any) -> None:
        """Compiles some of the kernels together, in parallel where they are in different Warp modules."""
        stepping = self.machine.stepping
        needed = kernels
        if isinstance(stepping, PhaseSettings):
            needed = tuple(dict.fromkeys(one for ends in kernels for one in kernels_to_load(ends, stepping)))
        self.machine.load(*needed, block_dim=stepping.block)

    def _check_resumable(self) -> None:
        if not self.rule.resumable:
            raise RuleError("saving and resuming states needs a rule with resumable=True")

    def _checked_start(self, start: States | None, start_of: np.ndarray | None) -> tuple[States | None, np.ndarray]:
        """The states to resume from, and which of them each world does."""
        if start is None:
            return None, np.zeros(len(self.worlds), np.int32)
        self._check_resumable()
        rows = np.arange(len(self.worlds)) if start_of is None else np.asarray(start_of)
        if rows.shape != (len(self.worlds),) or not ((rows >= 0) & (rows < len(start))).all():
            raise RuleError(f"start_of must name one of {len(start)} states for each of {len(self.worlds)} worlds")
        saved = start.output_ints.shape[1]
        if saved != self.rule.output_ints:
            raise RuleError(f"the states to resume from have {saved} output ints, the rule has {self.rule.output_ints}")
        if start.bodies < self.bodies or start.shapes < self.shapes:
            raise RuleError("the states to resume from are of scenes with fewer bodies or shapes")
        return start, rows

    def finished(self) -> Rollouts:
        """The result, its events in order."""
        result = replace(self.result, states=self.states)
        if not self.events:
            return result
        events = np.concatenate(self.events)
        return replace(result, events=events[np.argsort(events["world"], kind="stable")])

    def capacity(self, contacts: int) -> Capacity:
        return Capacity(max(self.bodies, 2), max(self.shapes, 1), contacts, self.rule.output_ints)

    def chunk_size(self) -> int:
        """Worlds to hold in memory at once."""
        if self.options.chunk:
            return self.options.chunk
        frames = frame_count(self.options) * (1 + self.options.velocities)
        per_world = frames * self.bodies * 12 + 4 * self.rule.output_ints
        if self.states is not None:
            per_world += 16 * vecs_per_snapshot(self.bodies, self.shapes, FIRST_CONTACTS)
        if self.options.events:
            per_world += FIRST_EVENTS * (layout.EVENT_VECS * 16 + layout.EVENT_INTS * 4)
        return max(1, min(CHUNK_WORLDS, CHUNK_BYTES // max(per_world, 1)))

    def run_plain(self, members: np.ndarray) -> None:
        """Rolls out some worlds, chunk by chunk."""
        chunks = max(1, -(-len(members) // self.chunk_size()))
        size = max(1, -(-len(members) // chunks))  # alike: a small chunk takes almost as long as a large one
        contacts = max(FIRST_CONTACTS, 2 * self.start.most_contacts) if self.start else FIRST_CONTACTS
        if isinstance(self.machine.stepping, FusedSettings) and not self.machine.is_cpu:
            members = members[order_of_alike(self.worlds.take(members))]
        for first in range(0, len(members), size):
            self._run_chunk(members[first : first + size], contacts, FIRST_EVENTS)

    def _run_chunk(self, members: np.ndarray, contacts: int, max_events: int) -> None:
        """Rolls out a chunk of worlds; those that didn't fit once more, with twice the room."""
        worlds, rule = self.worlds.take(members), self.rule.take(members)
        capacity = self.capacity(contacts)
        chunk = Chunk(self.machine, self.uploaded, worlds, rule, self.options, capacity, max_events, placed=True)
        checkpoints = Checkpoints(self.machine, self.start, self.start_of[members])
        if self.states is not None:
            bodies, shapes = self.states.bodies, self.states.shapes
            checkpoints.save_into(blank_states(len(members), bodies, shapes, contacts, rule.output_ints))
        past = Past()
        past.resume = checkpoints.resume
        chunk.run(self.kernels.roll_out, past, self.progress)
        fits = chunk.verdicts() != OVERFLOWED
        chunk.collect(members, fits, self.result, self.events)
        if self.states is not None:
            self.states = put_states(self.states, members[fits], checkpoints.saved_states().take(fits))
        if not fits.all():
            self._run_chunk(members[~fits], contacts * 2, max_events * 2)
