"""Recordings of scenes, and groups of their variants, which are rolled out from them in stages.

`rollout/snapshots.py` says why. Recordings are made by the CPU, whatever device the variants are rolled out on: the
steps of one scene follow each other, and a core of a CPU is much quicker at them than a thread of a GPU. Both give
the same bits, and a snapshot lies in memory alike on both. For a GPU, scenes are recorded part by part in memory of
the host, and the rows that were recorded are copied.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.chunk import Chunk
from tumble.engine.host.job import Job, kernels_on
from tumble.engine.host.machine import Machine, to_host
from tumble.engine.host.scenes import UploadedScenes, upload_scenes
from tumble.engine.host.worlds import Worlds, unchanged
from tumble.engine.rollout.kernels import Kernels
from tumble.engine.rollout.lanes import OVERFLOWED
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.snapshots import (
    NO_APPROACH,
    Branches,
    Recording,
    SnapshotStore,
    ints_per_snapshot,
    vecs_per_snapshot,
)
from tumble.engine.state.layout import SCRATCH_INTS

HOST_BYTES = 256 * 2**20
"""Memory of the host in which scenes are recorded for a GPU, in parts. One of 7 bodies and 1,000 steps needs 6 MB."""

Allocate = Callable[[str, int, Any], Any]
"""Makes an array of a name, a size and a type."""


@dataclass(frozen=True)
class SceneSize:
    """What the recording of a scene has room for."""

    steps: int
    """Rows: a step each, the start included."""
    bodies: int
    shapes: int
    contacts: int

    def arrays(self) -> dict[str, tuple[Any, int]]:
        """The arrays of a recording: the type of each, and its items in a row."""
        return {
            "vecs": (wp.vec4, vecs_per_snapshot(self.bodies, self.shapes, self.contacts)),
            "ints": (wp.int32, ints_per_snapshot(self.bodies, self.contacts)),
            "swept_aabbs": (wp.vec4, self.shapes),
            "scratch": (wp.int32, SCRATCH_INTS),
        }

    @property
    def bytes(self) -> int:
        return self.steps * sum(wp.types.type_size_in_bytes(dtype) * items for dtype, items in self.arrays().values())


@dataclass(frozen=True)
class RecordingMemory:
    """Room for the recordings of some scenes."""

    size: SceneSize
    arrays: dict[str, Any]

    @staticmethod
    def of(size: SceneSize, scenes: int, allocate: Allocate) -> "RecordingMemory":
        rows = scenes * size.steps
        return RecordingMemory(
            size, {name: allocate(name, rows * items, dtype) for name, (dtype, items) in size.arrays().items()}
        )

    def recording(self) -> Recording:
        """A recording in this memory, as kernels read and write it."""
        store = SnapshotStore()
        store.bodies, store.shapes, store.contacts = self.size.bodies, self.size.shapes, self.size.contacts
        store.vecs, store.ints = self.arrays["vecs"].ptr, self.arrays["ints"].ptr
        recording = Recording()
        recording.steps = self.size.steps
        recording.snapshots = store
        recording.swept_aabbs = self.arrays["swept_aabbs"].ptr
        recording.scratch = self.arrays["scratch"]
        return recording

    def copy_scene(self, scene: int, source: "RecordingMemory", source_scene: int, last: int, decided: int) -> None:
        """Copies a recorded scene: its bodies up to the last step in which one moved, its scratch until it ended."""
        for name, (_, items) in self.size.arrays().items():
            rows = 1 + (decided if name == "scratch" else last)
            first, source_first = (index * self.size.steps * items for index in (scene, source_scene))
            wp.copy(self.arrays[name], source.arrays[name], first, source_first, rows * items)


@dataclass(frozen=True)
class Recorded:
    """Recorded scenes on the device of their variants."""

    recording: Recording
    memory: RecordingMemory
    """What the recording points to."""
    slot_of: np.ndarray
    """int32 [scenes of the job]: a scene's index among the recorded ones."""
    fits: np.ndarray
    """bool [recorded scenes]: those that did fit their memory."""

    def has(self, scene_of: np.ndarray) -> np.ndarray:
        """Whether these scenes, by their indices in the job, have a recording."""
        return np.asarray(self.fits[self.slot_of[scene_of]])


@dataclass(frozen=True)
class Recorder:
    """What records a job's scenes: a CPU, the scenes there, and the kernels for it."""

    job: Job
    machine: Machine
    uploaded: UploadedScenes
    kernels: Kernels

    @property
    def copies(self) -> bool:
        """Whether recordings are copied to another device, on which variants are rolled out."""
        return self.machine is not self.job.machine

    def record(self, scenes: np.ndarray, first_of: np.ndarray, size: SceneSize) -> Recorded:
        """Rolls scenes out without additions and records every state; `first_of` names a world of each scene."""
        slot_of = np.zeros(len(self.job.worlds.scenes), np.int32)
        slot_of[scenes] = np.arange(len(scenes))
        device = self.job.machine.device
        memory = RecordingMemory.of(size, len(scenes), lambda _, items, dtype: wp.empty(items, dtype, device))
        how = self._record_and_copy if self.copies else self._record
        recording, fits = how(scenes, first_of, memory)
        recording.slot_of = self.job.machine.ints(slot_of)
        return Recorded(recording, memory, slot_of, fits)

    def _record(
        self, scenes: np.ndarray, first_of: np.ndarray, memory: RecordingMemory
    ) -> tuple[Recording, np.ndarray]:
        """Records scenes in memory of the CPU; also returns which of them did fit."""
        job, device = self.job, self.machine.device
        worlds = Worlds(job.worlds.scenes, scenes.astype(np.int32), unchanged(len(scenes)))
        capacity = job.capacity(memory.size.contacts)
        chunk = Chunk(self.machine, self.uploaded, worlds, job.rule.take(first_of), job.options, capacity)
        recording = memory.recording()
        recording.verdicts, recording.end_steps = chunk.out.verdicts, chunk.out.steps
        recording.last_steps = wp.zeros(len(scenes), dtype=int, device=device)
        recording.decided_steps = wp.zeros(len(scenes), dtype=int, device=device)
        past = Past()
        past.recording = recording
        chunk.run(self.kernels.record, past, piece=1)
        return recording, chunk.verdicts() != OVERFLOWED

    def _record_and_copy(
        self, scenes: np.ndarray, first_of: np.ndarray, memory: RecordingMemory
    ) -> tuple[Recording, np.ndarray]:
        """Records scenes, part by part, and copies them to memory of the device of their variants."""
        size, machine = memory.size, self.job.machine
        at_once = max(1, HOST_BYTES // size.bytes)
        ends: list[list[np.ndarray]] = []
        with _kept.lock:
            host = RecordingMemory.of(size, min(at_once, len(scenes)), _kept.allocator(machine.device.is_cuda))
            for first in range(0, len(scenes), at_once):
                part = slice(first, first + at_once)
                recording, fits = self._record(scenes[part], first_of[part], host)
                verdicts, steps = recording.verdicts.numpy(), recording.end_steps.numpy()
                last, decided = recording.last_steps.numpy(), recording.decided_steps.numpy()
                for k in np.flatnonzero(fits).tolist():
                    memory.copy_scene(first + k, host, k, int(last[k]), int(decided[k]))
                _wait(machine.device)  # before the host's memory is used again
                ends.append([verdicts, steps, last, decided])
        verdicts, steps, last, decided = map(np.concatenate, zip(*ends, strict=True))
        result = memory.recording()
        result.verdicts = wp.array(verdicts, dtype=wp.int8, device=machine.device)
        result.end_steps, result.last_steps = machine.ints(steps), machine.ints(last)
        result.decided_steps = machine.ints(decided)
        return result, verdicts != OVERFLOWED


def recorder_for(job: Job) -> Recorder:
    """What records a job's scenes."""
    if not needs_copy(job.machine):
        return Recorder(job, job.machine, job.uploaded, job.kernels)
    machine = Machine(replace(job.options, device="cpu"), rule=job.rule, worlds=len(job.worlds.scenes))
    uploaded = upload_scenes(job.worlds, job.options.dt, machine.device)
    return Recorder(job, machine, uploaded, kernels_on(machine, job.rule))


def needs_copy(machine: Machine) -> bool:
    """Whether scenes are recorded on another device than the machine's."""
    return not machine.is_cpu


def _wait(device: Any) -> None:
    """Until the copies to a device are done; not for kernels of its other streams."""
    if device.is_cuda:
        wp.synchronize_stream(device.stream)


class _KeptMemory:
    """Memory of the host that is kept for the next recording: new memory takes longer to get than to be recorded in.

    Page-locked memory is copied to a GPU directly.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self._arrays: dict[tuple[str, bool], Any] = {}

    def allocator(self, pinned: bool) -> Allocate:
        return lambda name, size, dtype: self._array(name, size, dtype, pinned)

    def _array(self, name: str, size: int, dtype: Any, pinned: bool) -> Any:
        kept = self._arrays.get((name, pinned))
        if kept is None or kept.size < size:
            self._arrays.pop((name, pinned), None)
            kept = self._arrays[name, pinned] = wp.empty(size, dtype=dtype, device="cpu", pinned=pinned)
        return kept


_kept = _KeptMemory()


CONTACTS = 48
"""Contacts that a recorded state has room for; scenes with more are rolled out plainly."""
ADDED_CONTACTS = 24
"""Contacts that the saved state of added bodies has room for; worlds with more are rolled out plainly."""
APPROACH_BIN = 16
"""Worlds whose approaches are less than this number of steps apart count as alike."""


@dataclass(frozen=True)
class Group:
    """Worlds whose scenes are recorded together."""

    members: np.ndarray  # ordered by scene
    scenes: np.ndarray
    first_of: np.ndarray  # of each scene: one of its worlds
    size: SceneSize  # room for the largest of them


class _Snapshots:
    """A store of snapshots and the memory it points to."""

    def __init__(self, job: Job, count: int, bodies: int, shapes: int, contacts: int) -> None:
        device = job.machine.device
        self.vecs = wp.empty(count * vecs_per_snapshot(bodies, shapes, contacts), dtype=wp.vec4, device=device)
        self.ints = wp.empty(count * ints_per_snapshot(bodies, contacts), dtype=int, device=device)
        self.store = SnapshotStore()
        self.store.bodies, self.store.shapes, self.store.contacts = bodies, shapes, contacts
        self.store.vecs, self.store.ints = self.vecs.ptr, self.ints.ptr


class GroupRun:
    """The rollouts of a group: `approach`, `branch` and `finish`, which a GPU can do for several groups in turns.

    On a stream, `approach` and `branch` only launch kernels, and the next stage waits for them.
    """

    def __init__(self, recorder: Recorder, group: Group, stream: Any = None) -> None:
        self.recorder, self.job, self.group, self.stream = recorder, recorder.job, group, stream
        self.members, self._unrecorded = group.members, group.members[:0]
        self._chunk: Chunk | None = None
        self._is_branching = False

    @contextmanager
    def _on_stream(self) -> Iterator[None]:
        if self.stream is None:
            yield
            return
        with wp.ScopedStream(self.stream):
            yield

    def approach(self) -> None:
        """Records the scenes, and rolls out what worlds add, alone, until it comes near a body of the scene."""
        with self._on_stream():
            self._recorded, worlds, chunk = _record_and_prepare(self.recorder, self.group)
            has_recording = self._recorded.has(self.job.worlds.scene_of[self.members])
            if not has_recording.all():
                self._unrecorded = self.members[~has_recording]
                self.members = self.members[has_recording]
                if not len(self.members):
                    return
                worlds, chunk = prepared(self.job, self.members)
            width = worlds.changes.target.shape[1]
            self._added = _Snapshots(
                self.job, len(self.members), width, width * self.job.uploaded.kind_shapes, ADDED_CONTACTS
            )
            self._branches = Branches()
            self._branches.added = self._added.store
            self._branches.approach_steps = wp.zeros(len(self.members), dtype=int, device=self.job.machine.device)
            self._chunk = chunk
            chunk.run(self.job.kernels.approach, self._past())
            self._scene_of = worlds.scene_of
            self._by_place = np.argsort(worlds.changes.poses[:, 0, 0], kind="stable")  # while a GPU rolls them out

    def branch(self) -> None:
        """Rolls out the worlds from there on, if that has not begun yet."""
        if self._chunk is None or self._is_branching:
            return
        self._is_branching = True
        with self._on_stream():
            order = branching_order(self._scene_of, to_host(self._branches.approach_steps), self._by_place)
            self.job.progress(len(self.members) - len(order))
            self._branches.order = self.job.machine.ints(order)
            self._chunk.run(self.job.kernels.branch, self._past(), self.job.progress, count=len(order))

    def finish(self) -> np.ndarray:
        """Collects the results; returns the worlds that did not fit, for a plain rollout with more room."""
        self.branch()
        if self._chunk is None:
            return self._unrecorded
        with self._on_stream():
            fits = self._chunk.verdicts() != OVERFLOWED
            self._chunk.collect(self.members, fits, self.job.result, self.job.events)
        return np.concatenate([self._unrecorded, self.members[~fits]])

    def _past(self) -> Past:
        past = Past()
        past.recording, past.branches = self._recorded.recording, self._branches
        return past

    def wait(self) -> None:
        """Until nothing that was launched needs this run's memory any more."""
        if self.stream is not None:
            wp.synchronize_stream(self.stream)


def prepared(job: Job, members: np.ndarray) -> tuple[Worlds, Chunk]:
    """Some worlds, and the chunk that they are."""
    worlds = job.worlds.take(members)
    chunk = Chunk(job.machine, job.uploaded, worlds, job.rule.take(members), job.options, job.capacity(2 * CONTACTS))
    return worlds, chunk


def _record_and_prepare(recorder: Recorder, group: Group) -> tuple[Recorded, Worlds, Chunk]:
    """Records the group's scenes and prepares its worlds; at once, as is compiling, where devices differ."""
    job, kernels = recorder.job, recorder.job.kernels
    if not recorder.copies:
        job.load(kernels.record, kernels.approach, kernels.branch)
        return recorder.record(group.scenes, group.first_of, group.size), *prepared(job, group.members)
    with ThreadPoolExecutor(1) as pool:
        recorded = pool.submit(recorder.record, group.scenes, group.first_of, group.size)
        job.load(kernels.approach, kernels.branch)
        worlds, chunk = prepared(job, group.members)
        return recorded.result(), worlds, chunk


def branching_order(scene_of: np.ndarray, approach_steps: np.ndarray, by_place: np.ndarray) -> np.ndarray:
    """The worlds that come near their scene's bodies, sorted such that neighbours have much in common.

    By scene, then by when they come near, then by where their first body begins, as `by_place` sorts them.
    Neighbouring lanes of a GPU run the same code together as far as their worlds do.
    """
    branching = by_place[approach_steps[by_place] != NO_APPROACH]
    bins = approach_steps[branching] // APPROACH_BIN
    bins = bins - bins.min(initial=0)
    key = scene_of[branching].astype(np.int64) * (bins.max(initial=0) + 1) + bins
    if key.max(initial=0) < 2**16:
        key = key.astype(np.uint16)  # numpy then sorts by radix
    return np.asarray(branching[np.argsort(key, kind="stable")])
