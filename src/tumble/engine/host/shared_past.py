"""Rollouts of many variants of a scene that branch off its recorded past (see `past.py`), block by block."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.block import Block
from tumble.engine.host.job import Job
from tumble.engine.host.worlds import Worlds, unchanged
from tumble.engine.rollout.kernel import JOIN, OVERFLOWED, RECORD, SCOUT
from tumble.engine.rollout.past import Branches, Past
from tumble.engine.rollout.populate import ADD, NEVER
from tumble.engine.state.layout import MEMORY_INTS
from tumble.engine.state.snapshot import Store, ints_per_state, vecs_per_state

CPU_FEWEST_VARIANTS = 6
"""Variants of a scene from which on recording it pays."""
GPU_FEWEST_VARIANTS = 4096
"""On a GPU recording takes as long as ten thousand rollouts, however few scenes there are."""
CONTACTS = 48
"""Contacts that a recorded state has room for; scenes with more are rolled out plainly."""
SCOUT_CONTACTS = 24
"""Contacts that the kept state of added bodies has room for; worlds with more are rolled out plainly."""
APPROACH_BIN = 16
"""Worlds that come near within so many steps of each other count as alike."""
CPU_PAST_BYTES = 96 * 2**20
GPU_PAST_BYTES = 8 * 2**30
CPU_WORLDS = 1 << 13
GPU_WORLDS = 1 << 18


def run(job: Job) -> np.ndarray:
    """Rolls out those worlds that can share a past; returns the others."""
    members = np.arange(len(job.worlds))
    left = np.ones(len(members), bool)
    for group in _groups(job, _sharing(job, members)):
        left[group.members] = False
        left[_run_group(job, group)] = True
    return members[left]


def _sharing(job: Job, members: np.ndarray) -> np.ndarray:
    """The worlds that only add dynamic bodies, to a scene and under a rule that enough other worlds have too."""
    options, rule, worlds = job.options, job.rule, job.worlds
    none = members[:0]
    wanted = options.share_past and options.max_steps > 0 and worlds.changes.target.shape[1] > 0
    if not wanted or options.stride or options.events or not rule.only_scene_bodies or rule.resumable or rule.notes:
        return none
    if any(body.bullet for body in worlds.changes.kinds) or not all(body.dynamic for body in worlds.changes.kinds):
        return none
    changes = worlds.changes.target[members]
    adding = np.isin(changes, (ADD, NEVER)).all(axis=1)
    calm = np.array([not any(body.bullet for body in scene.bodies) for scene in worlds.scenes], bool)
    chosen = members[adding & calm[worlds.scene_of[members]]]
    scenes, first, of, counts = np.unique(
        worlds.scene_of[chosen], return_index=True, return_inverse=True, return_counts=True
    )
    same = np.ones(len(chosen), bool)
    for parameters in (rule.ints, rule.floats):
        same &= (parameters[chosen] == parameters[chosen[first]][of]).all(axis=1)
    alike = np.bincount(of, weights=~same, minlength=len(scenes)) == 0
    fewest = CPU_FEWEST_VARIANTS if job.machine.is_cpu else GPU_FEWEST_VARIANTS
    return chosen[(alike & (counts >= fewest))[of]]


@dataclass(frozen=True)
class _Group:
    """Worlds whose scenes are recorded together."""

    members: np.ndarray  # ordered by scene
    scenes: np.ndarray
    first_of: np.ndarray  # of each scene: one of its worlds
    bodies: int  # dynamic bodies and their shapes in a scene, at most
    shapes: int


def _groups(job: Job, members: np.ndarray) -> Iterator[_Group]:
    """Parts of the worlds, by scene, such that the past of each part fits the memory set aside for it.

    None, where not even one scene's past would.
    """
    if not len(members):
        return
    ordered = members[np.argsort(job.worlds.scene_of[members], kind="stable")]
    scenes, starts, counts = np.unique(job.worlds.scene_of[ordered], return_index=True, return_counts=True)
    dynamic = [[body for body in job.worlds.scenes[s].bodies if body.dynamic] for s in scenes]
    bodies = max(1, max(map(len, dynamic)))
    shapes = max(1, max(sum(len(body.shapes) for body in group) for group in dynamic))
    per_step = 16 * (vecs_per_state(bodies, shapes, CONTACTS) + shapes) + 4 * ints_per_state(bodies, CONTACTS)
    budget = CPU_PAST_BYTES if job.machine.is_cpu else GPU_PAST_BYTES
    room = budget // (per_step * (job.options.max_steps + 1))
    worlds_room = job.options.chunk or (CPU_WORLDS if job.machine.is_cpu else GPU_WORLDS)
    first = 0
    while room and first < len(scenes):
        last = first + 1
        while last < len(scenes) and last - first < room and counts[first : last + 1].sum() <= worlds_room:
            last += 1
        end = starts[last] if last < len(scenes) else len(ordered)
        for begin in range(starts[first], end, worlds_room):
            yield _Group(
                ordered[begin : min(begin + worlds_room, end)],
                scenes[first:last],
                ordered[starts[first:last]],
                bodies,
                shapes,
            )
        first = last


class _Kept:
    """A store of states and the memory it points to."""

    def __init__(self, job: Job, states: int, bodies: int, shapes: int, contacts: int) -> None:
        device = job.machine.device
        self.vecs = wp.empty(states * vecs_per_state(bodies, shapes, contacts), dtype=wp.vec4, device=device)
        self.ints = wp.empty(states * ints_per_state(bodies, contacts), dtype=int, device=device)
        self.store = Store()
        self.store.bodies, self.store.shapes, self.store.contacts = bodies, shapes, contacts
        self.store.vecs, self.store.ints = self.vecs.ptr, self.ints.ptr


@dataclass(frozen=True)
class _Recording:
    """A recorded past and the memory it points to."""

    past: Past
    states: _Kept
    covers: Any


def _record(job: Job, group: _Group) -> _Recording:
    """Rolls the group's scenes out without additions and keeps every state."""
    machine, count = job.machine, len(group.scenes)
    scenes = Worlds(job.worlds.scenes, group.scenes.astype(np.int32), unchanged(count))
    rule = job.rule.take(group.first_of)
    block = Block(machine, job.uploaded, scenes, rule, job.options, job.capacity(CONTACTS))
    slots = np.zeros(len(job.worlds.scenes), np.int32)
    slots[group.scenes] = np.arange(count)
    steps = job.options.max_steps + 1
    states = _Kept(job, count * steps, group.bodies, group.shapes, CONTACTS)
    covers = wp.empty(count * steps * group.shapes, dtype=wp.vec4, device=machine.device)
    past = Past()
    past.slots = machine.ints(slots)
    past.steps = steps
    past.states = states.store
    past.covers = covers.ptr
    past.memories = wp.zeros(count * steps * MEMORY_INTS, dtype=int, device=machine.device)
    past.lasts = wp.zeros(count, dtype=int, device=machine.device)
    past.verdicts, past.ends = block.out.verdicts, block.out.steps
    block.run(job.kernel, lambda _: None, RECORD, past, piece=1)
    return _Recording(past, states, covers)


def _run_group(job: Job, group: _Group) -> np.ndarray:
    """Rolls out a group's worlds; returns those that did not fit, for a plain rollout with more room."""
    recording = _record(job, group)
    past = recording.past
    recorded = past.verdicts.numpy() != OVERFLOWED
    fitting = recorded[past.slots.numpy()[job.worlds.scene_of[group.members]]]
    members = group.members[fitting]
    if not len(members):
        return group.members
    worlds, rule = job.worlds.take(members), job.rule.take(members)
    block = Block(job.machine, job.uploaded, worlds, rule, job.options, job.capacity(2 * CONTACTS))
    width = worlds.changes.target.shape[1]
    kept = _Kept(job, len(members), width, width * job.uploaded.kind_shapes, SCOUT_CONTACTS)
    branches = Branches()
    branches.kept = kept.store
    branches.approaches = wp.zeros(len(members), dtype=int, device=job.machine.device)
    block.run(job.kernel, lambda _: None, SCOUT, past, branches)
    waiting = _alike_together(worlds, branches.approaches.numpy())
    job.progress(len(members) - len(waiting))
    branches.waiting = job.machine.ints(waiting)
    block.run(job.kernel, job.progress, JOIN, past, branches, count=len(waiting))
    fits = block.verdicts() != OVERFLOWED
    block.collect(members, fits, job.result, job.events)
    return np.concatenate([group.members[~fitting], members[~fits]])


def _alike_together(worlds: Worlds, approaches: np.ndarray) -> np.ndarray:
    """The worlds that come near their scene's bodies, such that neighbours have much in common.

    Neighbouring lanes of a GPU run the same code together as far as their worlds do.
    """
    first_x = worlds.changes.poses[:, 0, 0]
    order = np.lexsort((first_x, approaches // APPROACH_BIN, worlds.scene_of))
    return np.asarray(order[approaches[order] != 0])
