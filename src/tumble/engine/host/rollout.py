"""Rolling out many worlds in one call: variants that share a recorded past in groups, all others plainly."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tumble.engine.host.job import Job
from tumble.engine.host.machine import streams_of
from tumble.engine.host.options import Options, Rollouts
from tumble.engine.host.recording import CONTACTS, HOST_BYTES, Group, GroupRun, Recorder, SceneSize, recorder_for
from tumble.engine.host.states import States
from tumble.engine.host.worlds import Worlds
from tumble.engine.rollout.lanes import ADD, NO_CHANGE
from tumble.engine.rules.rule import RUN_TO_END, Rule

CPU_FEWEST_VARIANTS = 6
"""The number of variants of a scene from which on recording it is faster."""
GPU_FEWEST_VARIANTS = 256
"""On a GPU likewise: a core records a scene in a millisecond or two, a GPU meanwhile rolls out some hundred worlds."""
GPU_FEWEST_WORLDS = 1 << 17
"""Worlds of a call from which on they share pasts on a GPU. Fewer fill it only once: the longest rollout decides how
long it takes, and it takes longer in two stages than in one."""
CPU_RECORDING_BYTES = 96 * 2**20
GPU_RECORDING_BYTES = 8 * 2**30
"""Memory for a recording, at most …"""
GPU_RECORDING_SHARE = 0.125
"""… and the share of a GPU's memory for it."""
CPU_WORLDS = 1 << 13
GPU_WORLDS = 135_168
"""Worlds of a group, about, at most. On a GPU up to twice as many are one group if there are no more: on an H200 that
was faster with two balls."""
IN_FLIGHT = 3
"""Groups that a GPU works on at a time: in the end of each, only few lanes still have a world."""
IN_FLIGHT_BYTES = 2**34
"""Memory of a GPU from which on it works on several."""


def roll_out_sharing(job: Job) -> np.ndarray:
    """Rolls out those worlds that can share a past; returns the indices of the others."""
    members = np.arange(len(job.worlds))
    sharing = _sharing(job, members)
    if not len(sharing):
        return members
    left = np.ones(len(members), bool)
    recorder = recorder_for(job)
    groups = list(_groups(recorder, sharing))
    streams = _streams(job, len(groups))
    with job.machine.keeping_memory():
        for group, unfit in _finished(recorder, groups, streams):
            left[group.members] = False
            left[unfit] = True
    return members[left]


def _finished(
    recorder: Recorder, groups: Sequence[Group], streams: tuple[Any, ...]
) -> Iterator[tuple[Group, np.ndarray]]:
    """Rolls groups out, as many at a time as there are streams; gives each with its worlds that did not fit."""
    at_work: deque[GroupRun] = deque()
    try:
        for number, group in enumerate(groups):
            at_work.append(GroupRun(recorder, group, streams[number % len(streams)]))
            at_work[-1].approach()
            if len(at_work) > 1:
                at_work[-2].branch()
            if len(at_work) == len(streams):
                yield at_work[0].group, at_work[0].finish()
                at_work.popleft()
        for run in at_work:
            run.branch()
        for run in at_work:
            yield run.group, run.finish()
    finally:
        for run in at_work:  # before the memory that kernels use is freed, also where an error ends this
            run.wait()


def _streams(job: Job, groups: int) -> tuple[Any, ...]:
    """A stream for each group that is worked on at a time; None on a CPU, and for the default one."""
    machine = job.machine
    if machine.is_cpu or machine.device.total_memory < IN_FLIGHT_BYTES or min(groups, IN_FLIGHT) == 1:
        return (None,)
    return streams_of(str(machine.device), IN_FLIGHT)


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
    if not job.machine.is_cpu and len(members) < GPU_FEWEST_WORLDS:
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


def _groups(recorder: Recorder, members: np.ndarray) -> Iterator[Group]:
    """Groups of the worlds, by scene and about equally large, such that the recording of each fits its memory budget.

    None, where not even one scene's recording would.
    """
    job = recorder.job
    ordered = members[np.argsort(job.worlds.scene_of[members], kind="stable")]
    scenes, starts, counts = np.unique(job.worlds.scene_of[ordered], return_index=True, return_counts=True)
    dynamic = [[body for body in job.worlds.scenes[s].bodies if body.dynamic] for s in scenes]
    bodies = max(1, max(map(len, dynamic)))
    shapes = max(1, max(sum(len(body.shapes) for body in group) for group in dynamic))
    size = SceneSize(job.options.max_steps + 1, bodies, shapes, CONTACTS)
    max_scenes = _max_scenes(recorder, size)
    if not max_scenes:
        return
    on_gpu = GPU_WORLDS if len(ordered) > 2 * GPU_WORLDS else len(ordered)
    max_worlds = job.options.chunk or (CPU_WORLDS if job.machine.is_cpu else on_gpu)
    share = len(ordered) / -(-len(ordered) // max_worlds)
    part_of = ((starts + counts / 2) / share).astype(int)
    for part in np.unique(part_of):
        rows = np.flatnonzero(part_of == part)
        for some in np.split(rows, range(max_scenes, len(rows), max_scenes)):
            begin, end = starts[some[0]], starts[some[-1]] + counts[some[-1]]
            pieces = max(1, round((end - begin) / share))
            for worlds in np.array_split(ordered[begin:end], pieces):
                yield Group(worlds, scenes[some], ordered[starts[some]], size)


def _max_scenes(recorder: Recorder, size: SceneSize) -> int:
    """Scenes whose recording fits the memory for it."""
    machine = recorder.job.machine
    if recorder.copies and size.bytes > HOST_BYTES:
        return 0
    if machine.is_cpu:
        return CPU_RECORDING_BYTES // size.bytes
    return min(GPU_RECORDING_BYTES, int(GPU_RECORDING_SHARE * machine.device.total_memory)) // size.bytes


def rollout(
    worlds: Worlds,
    rule: Rule = RUN_TO_END,
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
    start: States | None = None,
    start_of: np.ndarray | None = None,
    keep_states: bool = False,
) -> Rollouts:
    """Rolls out all worlds; `progress` is called with the number of worlds of each finished piece.

    Under a resumable rule, world k resumes from state `start_of[k]` of `start`, if given, which must be of the same
    scene; with `keep_states` the worlds are saved as they are at their end (`Rollouts.states`).
    """
    job = Job(worlds, rule, options or Options(), progress or (lambda _: None), start, start_of, keep_states)
    job.run_plain(roll_out_sharing(job))
    return job.finished()
