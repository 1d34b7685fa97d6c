"""A group of variants of recorded scenes (`rollout/shared_past.py`), rolled out in stages."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.chunk import Chunk
from tumble.engine.host.job import Job
from tumble.engine.host.recording import Recorded, Recorder, SceneSize
from tumble.engine.host.transfer import to_host
from tumble.engine.host.worlds import Worlds
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.output import OVERFLOWED
from tumble.engine.rollout.shared_past import NO_APPROACH, Branches
from tumble.engine.state.snapshot import SnapshotStore, ints_per_snapshot, vecs_per_snapshot

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
