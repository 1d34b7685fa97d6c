"""Rollouts of many variants of a scene that share its recorded past (`rollout/shared_past.py`), group by group."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import warp as wp

from tumble.engine.host.chunk import Chunk
from tumble.engine.host.job import Job
from tumble.engine.host.recording import HOST_BYTES, Recorded, Recorder, SceneSize, recorder_for
from tumble.engine.host.worlds import Worlds
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.output import OVERFLOWED
from tumble.engine.rollout.populate import ADD, CHANGE_INTS, NO_CHANGE, START_VECS
from tumble.engine.rollout.shared_past import NO_APPROACH, Branches
from tumble.engine.rules.rule import Rule
from tumble.engine.state.snapshot import SnapshotStore, ints_per_snapshot, vecs_per_snapshot

CPU_FEWEST_VARIANTS = 6
"""The number of variants of a scene from which on recording it is faster."""
GPU_FEWEST_VARIANTS = 256
"""On a GPU likewise: a core records a scene in one or two milliseconds, in which a GPU rolls out some hundred worlds.

An estimate, to be measured: `benchmarks/engine_phases.py --parts fewest`.
"""
CONTACTS = 48
"""Contacts that a recorded state has room for; scenes with more are rolled out plainly."""
ADDED_CONTACTS = 24
"""Contacts that the saved state of added bodies has room for; worlds with more are rolled out plainly."""
APPROACH_BIN = 16
"""Worlds whose approaches are less than this number of steps apart count as alike."""
CPU_RECORDING_BYTES = 96 * 2**20
GPU_RECORDING_BYTES = 8 * 2**30
"""Memory for a recording, at most …"""
GPU_RECORDING_SHARE = 0.125
"""… and the share of a GPU's memory for it."""
CPU_WORLDS = 1 << 13
GPU_WORLDS = 1 << 21
"""Worlds of a group, at most: each ends with a time in which only few lanes of a GPU still have one …"""
GPU_WORLDS_SHARE = 0.1
"""… and the share of a GPU's memory for what they take besides lanes."""
RESULT_INTS = 5
"""Of a world: its scene, verdict and steps, when its bodies approach, and its place in the order of branching."""
INDICES = 2**31 - 1
"""Kernels number the items of an array by an int."""


def run(job: Job) -> np.ndarray:
    """Rolls out those worlds that can share a past; returns the indices of the others."""
    members = np.arange(len(job.worlds))
    sharing = _sharing(job, members)
    if not len(sharing):
        return members
    left = np.ones(len(members), bool)
    recorder = recorder_for(job)
    for group in _groups(recorder, sharing):
        left[group.members] = False
        left[_run_group(recorder, group)] = True
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
    size: SceneSize  # room for the largest of them


def _groups(recorder: Recorder, members: np.ndarray) -> Iterator[_Group]:
    """Groups of the worlds, by scene, such that the recording of each fits its memory budget.

    None, where not even one scene's recording would.
    """
    job = recorder.job
    ordered = members[np.argsort(job.worlds.scene_of[members], kind="stable")]
    scenes, starts, counts = np.unique(job.worlds.scene_of[ordered], return_index=True, return_counts=True)
    dynamic = [[body for body in job.worlds.scenes[s].bodies if body.dynamic] for s in scenes]
    bodies = max(1, max(map(len, dynamic)))
    shapes = max(1, max(sum(len(body.shapes) for body in group) for group in dynamic))
    size = SceneSize(job.options.max_steps + 1, bodies, shapes, CONTACTS)
    max_scenes, max_worlds = _max_scenes(recorder, size), _max_worlds(job)
    first = 0
    while max_scenes and first < len(scenes):
        last = first + 1
        while last < len(scenes) and last - first < max_scenes and counts[first : last + 1].sum() <= max_worlds:
            last += 1
        end = starts[last] if last < len(scenes) else len(ordered)
        for begin in range(starts[first], end, max_worlds):
            group = ordered[begin : min(begin + max_worlds, end)]
            yield _Group(group, scenes[first:last], ordered[starts[first:last]], size)
        first = last


def _max_scenes(recorder: Recorder, size: SceneSize) -> int:
    """Scenes whose recording fits the memory for it."""
    machine = recorder.job.machine
    if recorder.apart and size.bytes > HOST_BYTES:
        return 0
    if machine.is_cpu:
        return CPU_RECORDING_BYTES // size.bytes
    return min(GPU_RECORDING_BYTES, int(GPU_RECORDING_SHARE * machine.device.total_memory)) // size.bytes


def _max_worlds(job: Job) -> int:
    """Worlds of a group."""
    if job.options.chunk:
        return job.options.chunk
    if job.machine.is_cpu:
        return CPU_WORLDS
    width = job.worlds.changes.target.shape[1]
    memory = int(GPU_WORLDS_SHARE * job.machine.device.total_memory)
    return worlds_within(memory, width, width * job.uploaded.kind_shapes, job.rule)


def worlds_within(memory: int, bodies: int, shapes: int, rule: Rule) -> int:
    """Worlds of a group for which this many bytes of a GPU are enough, each with some added bodies and their shapes.

    They are what the worlds change, the snapshots of what they add, the rule's parameters, and the results.
    """
    vecs = vecs_per_snapshot(bodies, shapes, ADDED_CONTACTS)
    ints = ints_per_snapshot(bodies, ADDED_CONTACTS)
    params = rule.ints.shape[1] + rule.floats.shape[1]
    others = bodies * CHANGE_INTS + params + rule.output_ints + RESULT_INTS
    bytes_of_world = 16 * (vecs + bodies * START_VECS) + 4 * (ints + others)
    return max(1, min(GPU_WORLDS, memory // bytes_of_world, INDICES // max(vecs, ints, others)))


class _Snapshots:
    """A store of snapshots and the memory it points to."""

    def __init__(self, job: Job, count: int, bodies: int, shapes: int, contacts: int) -> None:
        device = job.machine.device
        self.vecs = wp.empty(count * vecs_per_snapshot(bodies, shapes, contacts), dtype=wp.vec4, device=device)
        self.ints = wp.empty(count * ints_per_snapshot(bodies, contacts), dtype=int, device=device)
        self.store = SnapshotStore()
        self.store.bodies, self.store.shapes, self.store.contacts = bodies, shapes, contacts
        self.store.vecs, self.store.ints = self.vecs.ptr, self.ints.ptr


def _prepared(job: Job, members: np.ndarray) -> tuple[Worlds, Chunk]:
    """Some worlds, and the chunk that they are."""
    worlds = job.worlds.take(members)
    chunk = Chunk(job.machine, job.uploaded, worlds, job.rule.take(members), job.options, job.capacity(2 * CONTACTS))
    return worlds, chunk


def _record_and_prepare(recorder: Recorder, group: _Group) -> tuple[Recorded, Worlds, Chunk]:
    """Records the group's scenes and prepares its worlds; at once, as is compiling, where devices differ."""
    job, kernels = recorder.job, recorder.job.kernels
    if not recorder.apart:
        job.load(kernels.record, kernels.approach, kernels.branch)
        return recorder.record(group.scenes, group.first_of, group.size), *_prepared(job, group.members)
    with ThreadPoolExecutor(1) as pool:
        recorded = pool.submit(recorder.record, group.scenes, group.first_of, group.size)
        job.load(kernels.approach, kernels.branch)
        worlds, chunk = _prepared(job, group.members)
        return recorded.result(), worlds, chunk


def _run_group(recorder: Recorder, group: _Group) -> np.ndarray:
    """Rolls out a group's worlds; returns those that did not fit, for a plain rollout with more room."""
    job = recorder.job
    recorded, worlds, chunk = _record_and_prepare(recorder, group)
    members = group.members
    has_recording = recorded.has(job.worlds.scene_of[members])
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
    past.recording, past.branches = recorded.recording, branches
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
