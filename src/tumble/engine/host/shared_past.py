"""Rollouts of many variants of a scene that share its recorded past (`rollout/shared_past.py`), group by group."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.chunk import Chunk
from tumble.engine.host.job import Job
from tumble.engine.host.worlds import Worlds, unchanged
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.output import OVERFLOWED
from tumble.engine.rollout.populate import ADD, NO_CHANGE
from tumble.engine.rollout.shared_past import NO_APPROACH, Branches, Recording
from tumble.engine.state.layout import SCRATCH_INTS
from tumble.engine.state.snapshot import SnapshotStore, ints_per_snapshot, vecs_per_snapshot

CPU_FEWEST_VARIANTS = 6
"""The number of variants of a scene from which on recording it is faster."""
GPU_FEWEST_VARIANTS = 4096
"""On a GPU recording takes as long as ten thousand rollouts, however few scenes there are."""
CONTACTS = 48
"""Contacts that a recorded state has room for; scenes with more are rolled out plainly."""
ADDED_CONTACTS = 24
"""Contacts that the saved state of added bodies has room for; worlds with more are rolled out plainly."""
APPROACH_BIN = 16
"""Worlds whose approaches are less than this number of steps apart count as alike."""
CPU_RECORDING_BYTES = 96 * 2**20
GPU_RECORDING_BYTES = 8 * 2**30
CPU_WORLDS = 1 << 13
GPU_WORLDS = 1 << 19


def run(job: Job) -> np.ndarray:
    """Rolls out those worlds that can share a past; returns the indices of the others."""
    members = np.arange(len(job.worlds))
    left = np.ones(len(members), bool)
    for group in _groups(job, _sharing(job, members)):
        left[group.members] = False
        left[_run_group(job, group)] = True
    return members[left]


def _sharing(job: Job, members: np.ndarray) -> np.ndarray:
    """The worlds that only add dynamic bodies, where enough others have the same scene and rule parameters."""
    options, rule, worlds = job.options, job.rule, job.worlds
    none = members[:0]
    if not options.share_past or options.max_steps == 0 or options.stride or options.events:
        return none
    if not rule.can_share_past or worlds.changes.target.shape[1] == 0:
        return none
    if any(body.bullet for body in worlds.changes.kinds) or not all(body.dynamic for body in worlds.changes.kinds):
        return none
    fewest = CPU_FEWEST_VARIANTS if job.machine.is_cpu else GPU_FEWEST_VARIANTS
    if np.bincount(worlds.scene_of, minlength=1).max() < fewest:
        return none
    only_adds = np.ones(len(members), bool)
    for target in worlds.changes.target[members].T:
        only_adds &= (target == ADD) | (target == NO_CHANGE)
    no_bullets = np.array([not any(body.bullet for body in scene.bodies) for scene in worlds.scenes], bool)
    candidates = members[only_adds & no_bullets[worlds.scene_of[members]]]
    scenes, first, group_of, counts = np.unique(
        worlds.scene_of[candidates], return_index=True, return_inverse=True, return_counts=True
    )
    same = np.ones(len(candidates), bool)
    for column in (*rule.ints.T, *rule.floats.T):
        values = column[candidates]
        same &= values == values[first][group_of]
    alike = np.bincount(group_of, weights=~same, minlength=len(scenes)) == 0
    return candidates[(alike & (counts >= fewest))[group_of]]


@dataclass(frozen=True)
class _Group:
    """Worlds whose scenes are recorded together."""

    members: np.ndarray  # ordered by scene
    scenes: np.ndarray
    first_of: np.ndarray  # of each scene: one of its worlds
    bodies: int  # largest number of dynamic bodies of a scene
    shapes: int  # largest number of their shapes


def _groups(job: Job, members: np.ndarray) -> Iterator[_Group]:
    """Groups of the worlds, by scene, such that the recording of each fits its memory budget.

    None, where not even one scene's recording would.
    """
    if not len(members):
        return
    ordered = members[np.argsort(job.worlds.scene_of[members], kind="stable")]
    scenes, starts, counts = np.unique(job.worlds.scene_of[ordered], return_index=True, return_counts=True)
    dynamic = [[body for body in job.worlds.scenes[s].bodies if body.dynamic] for s in scenes]
    bodies = max(1, max(map(len, dynamic)))
    shapes = max(1, max(sum(len(body.shapes) for body in group) for group in dynamic))
    per_step = 16 * (vecs_per_snapshot(bodies, shapes, CONTACTS) + shapes) + 4 * ints_per_snapshot(bodies, CONTACTS)
    budget = CPU_RECORDING_BYTES if job.machine.is_cpu else GPU_RECORDING_BYTES
    max_scenes = budget // (per_step * (job.options.max_steps + 1))
    max_worlds = job.options.chunk or (CPU_WORLDS if job.machine.is_cpu else GPU_WORLDS)
    first = 0
    while max_scenes and first < len(scenes):
        last = first + 1
        while last < len(scenes) and last - first < max_scenes and counts[first : last + 1].sum() <= max_worlds:
            last += 1
        end = starts[last] if last < len(scenes) else len(ordered)
        for begin in range(starts[first], end, max_worlds):
            yield _Group(
                ordered[begin : min(begin + max_worlds, end)],
                scenes[first:last],
                ordered[starts[first:last]],
                bodies,
                shapes,
            )
        first = last


class _Snapshots:
    """A store of snapshots and the memory it points to."""

    def __init__(self, job: Job, count: int, bodies: int, shapes: int, contacts: int) -> None:
        device = job.machine.device
        self.vecs = wp.empty(count * vecs_per_snapshot(bodies, shapes, contacts), dtype=wp.vec4, device=device)
        self.ints = wp.empty(count * ints_per_snapshot(bodies, contacts), dtype=int, device=device)
        self.store = SnapshotStore()
        self.store.bodies, self.store.shapes, self.store.contacts = bodies, shapes, contacts
        self.store.vecs, self.store.ints = self.vecs.ptr, self.ints.ptr


@dataclass(frozen=True)
class _Recorded:
    """A recording and the memory it points to."""

    recording: Recording
    snapshots: _Snapshots
    swept_aabbs: Any


def _record(job: Job, group: _Group) -> _Recorded:
    """Rolls the group's scenes out without additions and records every state."""
    machine, count = job.machine, len(group.scenes)
    job.load(job.kernels.record, job.kernels.approach, job.kernels.branch)
    scenes = Worlds(job.worlds.scenes, group.scenes.astype(np.int32), unchanged(count))
    rule = job.rule.take(group.first_of)
    chunk = Chunk(machine, job.uploaded, scenes, rule, job.options, job.capacity(CONTACTS))
    slot_of = np.zeros(len(job.worlds.scenes), np.int32)
    slot_of[group.scenes] = np.arange(count)
    steps = job.options.max_steps + 1
    snapshots = _Snapshots(job, count * steps, group.bodies, group.shapes, CONTACTS)
    swept_aabbs = wp.empty(count * steps * group.shapes, dtype=wp.vec4, device=machine.device)
    recording = Recording()
    recording.slot_of = machine.ints(slot_of)
    recording.steps = steps
    recording.snapshots = snapshots.store
    recording.swept_aabbs = swept_aabbs.ptr
    recording.scratch = wp.zeros(count * steps * SCRATCH_INTS, dtype=int, device=machine.device)
    recording.last_steps = wp.zeros(count, dtype=int, device=machine.device)
    recording.verdicts, recording.end_steps = chunk.out.verdicts, chunk.out.steps
    recording.decided_steps = wp.zeros(count, dtype=int, device=machine.device)
    past = Past()
    past.recording = recording
    chunk.run(job.kernels.record, past, piece=1)
    return _Recorded(recording, snapshots, swept_aabbs)


def _prepared(job: Job, members: np.ndarray) -> tuple[Worlds, Chunk]:
    """Some worlds, and the chunk that they are."""
    worlds = job.worlds.take(members)
    chunk = Chunk(job.machine, job.uploaded, worlds, job.rule.take(members), job.options, job.capacity(2 * CONTACTS))
    return worlds, chunk


def _run_group(job: Job, group: _Group) -> np.ndarray:
    """Rolls out a group's worlds; returns those that did not fit, for a plain rollout with more room."""
    recorded = _record(job, group)
    recording = recorded.recording
    members = group.members
    worlds, chunk = _prepared(job, members)  # while a GPU records
    was_recorded = recording.verdicts.numpy() != OVERFLOWED
    has_recording = was_recorded[recording.slot_of.numpy()[job.worlds.scene_of[members]]]
    if not has_recording.all():
        members = members[has_recording]
        if not len(members):
            return group.members
        worlds, chunk = _prepared(job, members)
    width = worlds.changes.target.shape[1]
    added = _Snapshots(job, len(members), width, width * job.uploaded.kind_shapes, ADDED_CONTACTS)
    branches = Branches()
    branches.added = added.store
    branches.approach_steps = wp.zeros(len(members), dtype=int, device=job.machine.device)
    past = Past()
    past.recording, past.branches = recording, branches
    chunk.run(job.kernels.approach, past)
    by_place = np.argsort(worlds.changes.poses[:, 0, 0], kind="stable")  # while a GPU rolls them out
    approach_steps = branches.approach_steps.numpy()
    order = _branching_order(worlds.scene_of, approach_steps, by_place)
    job.progress(len(members) - len(order))
    branches.order = job.machine.ints(order)
    past.branches = branches
    chunk.run(job.kernels.branch, past, job.progress, count=len(order))
    fits = chunk.verdicts() != OVERFLOWED
    chunk.collect(members, fits, job.result, job.events)
    return np.concatenate([group.members[~has_recording], members[~fits]])


def _branching_order(scene_of: np.ndarray, approach_steps: np.ndarray, by_place: np.ndarray) -> np.ndarray:
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
