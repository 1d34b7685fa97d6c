"""Rolling out many worlds in one call."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import warp as wp

from tumble.engine import state
from tumble.engine.batch import Uploaded, upload
from tumble.engine.kernel import OVERFLOWED, Output, rollout_kernel
from tumble.engine.rules import RUN_TO_END, Rule
from tumble.engine.state import Capacity, World
from tumble.engine.step import Stepping
from tumble.engine.worlds import Worlds

EVENT = np.dtype(
    [
        ("world", np.int32),
        ("step", np.int32),
        ("begin", np.bool_),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("point", np.float32, 2),
        ("normal", np.float32, 2),
        ("approach_speed", np.float32),
        ("impulse", np.float32),
    ]
)
"""A contact begins or ends. Points are in scene units, speed and impulse in m/s and kg m/s, the normal from A to B."""


@dataclass(frozen=True)
class Options:
    """How to roll out; the defaults are PHYRE's."""

    dt: float = 1.0 / 60.0
    velocity_iterations: int = 15
    position_iterations: int = 20
    max_steps: int = 1000
    stride: int = 0
    """Keep poses of every so many steps, the start included; 0 keeps none."""
    velocities: bool = False
    events: bool = False
    device: str = "cpu"
    threads: int = 0
    """CPU threads; 0 for all cores."""
    chunk: int = 0
    """Worlds held in memory at once; 0 lets the engine choose. It never changes a result."""


@dataclass(frozen=True)
class Rollouts:
    """What came of each world. Absent bodies, and frames after a world's end, are NaN."""

    verdicts: np.ndarray  # int8 [worlds]: what the rule said, 0 if it never decided
    steps: np.ndarray  # int32 [worlds]: steps until then
    frames: np.ndarray  # int32 [frames]: the steps at which poses were kept
    poses: np.ndarray  # float32 [worlds, frames, bodies, (x, y, angle)], in scene units
    velocities: np.ndarray  # float32, the same shape: x, y in scene units per second, angular in rad/s
    events: np.ndarray  # EVENT [n], ordered by world, then as they happened


def rollout(
    worlds: Worlds,
    rule: Rule = RUN_TO_END,
    options: Options | None = None,
    progress: Callable[[int], None] | None = None,
) -> Rollouts:
    """Rolls out all worlds; `progress` is called with the number of worlds that each finished piece held."""
    job = _Job(worlds, rule, options or Options(), progress or (lambda _: None))
    return job.run()


FIRST_CONTACTS = 48
"""Contacts that a lane has room for at first; worlds that need more are rolled out again with twice as many."""
FIRST_EVENTS = 256
CPU_PIECE = 32
"""Worlds that a CPU thread takes at a time."""
BLOCK_BYTES = 256 * 2**20
"""Memory that poses and events of one block of worlds may take."""
MAX_BLOCK = 1 << 18
GPU_LANES = 132 * 256


class _Job:
    """One call of `rollout`, block by block."""

    def __init__(self, worlds: Worlds, rule: Rule, options: Options, progress: Callable[[int], None]) -> None:
        self.worlds, self.rule, self.options, self.progress = worlds, rule, options, progress
        self.device = wp.get_device(options.device)
        self.on_cpu = self.device.is_cpu
        self.threads = (options.threads or len(os.sched_getaffinity(0))) if self.on_cpu else 1
        self.frames = options.max_steps // options.stride + 1 if options.stride else 0
        self.uploaded: Uploaded = upload(worlds, options.dt, self.device)
        width = worlds.changes.target.shape[1]
        used = np.unique(worlds.scene_of)
        self.bodies = int(self.uploaded.bodies[used].max(initial=0)) + width
        self.shapes = int(self.uploaded.shapes[used].max(initial=0)) + width * self.uploaded.kind_shapes
        self.kernel = rollout_kernel(rule.function, rule.settled)

    def run(self) -> Rollouts:
        count = len(self.worlds)
        shape = (count, self.frames, self.bodies, 3)
        kept = self.options.velocities
        result = Rollouts(
            verdicts=np.zeros(count, np.int8),
            steps=np.zeros(count, np.int32),
            frames=np.arange(self.frames, dtype=np.int32) * max(self.options.stride, 1),
            poses=np.full(shape, np.nan, np.float32),
            velocities=np.full(shape if kept else (0, *shape[1:]), np.nan, np.float32),
            events=np.zeros(0, EVENT),
        )
        events: list[np.ndarray] = []
        if self.options.max_steps > 0:
            for first in range(0, count, self.block()):
                members = np.arange(first, min(first + self.block(), count))
                self.run_members(members, result, events, FIRST_CONTACTS, FIRST_EVENTS)
        if events:
            together = np.concatenate(events)
            result = replace(result, events=together[np.argsort(together["world"], kind="stable")])
        return result

    def block(self) -> int:
        """Worlds to hold at once."""
        if self.options.chunk:
            return self.options.chunk
        per_world = self.frames * self.bodies * 12 * (2 if self.options.velocities else 1)
        if self.options.events:
            per_world += FIRST_EVENTS * (state.EVENT_VECS * 16 + state.EVENT_INTS * 4)
        return max(1, min(MAX_BLOCK, BLOCK_BYTES // max(per_world, 1)))

    def run_members(
        self, members: np.ndarray, result: Rollouts, events: list[np.ndarray], contacts: int, event_room: int
    ) -> None:
        """Rolls out some worlds; those that didn't fit once more, with twice the room."""
        capacity = Capacity(max(self.bodies, 2), max(self.shapes, 1), contacts)
        block = _Block(self, members, capacity, event_room)
        block.launch()
        verdicts = block.out.verdicts.numpy()
        fits = verdicts != OVERFLOWED
        block.collect(members, fits, result, events)
        if not fits.all():
            self.run_members(members[~fits], result, events, contacts * 2, event_room * 2)


class _Block:
    """Worlds that are on the device together."""

    def __init__(self, job: _Job, members: np.ndarray, capacity: Capacity, event_room: int) -> None:
        self.job, self.count, self.capacity = job, len(members), capacity
        options, device = job.options, job.device
        worlds = job.worlds.take(members)
        self.batch = job.uploaded.batch(worlds, device)
        self.lanes = job.threads if job.on_cpu else min(self.count, GPU_LANES)
        self.units = job.uploaded.units[worlds.scene_of]

        world = World()
        job.uploaded.fill(world)
        world.bodies, world.shapes, world.contacts = capacity.bodies, capacity.shapes, capacity.contacts
        world.v = wp.empty(self.lanes * capacity.vecs, dtype=wp.vec4, device=device)
        world.i = wp.empty(self.lanes * capacity.ints, dtype=int, device=device)
        rows_i, rows_f = _rows(job.rule.ints, len(job.worlds), members), _rows(job.rule.floats, len(job.worlds), members)
        world.rule_ints, world.rule_floats = rows_i.shape[1], rows_f.shape[1]
        world.rule_i = wp.array(rows_i.astype(np.int32).reshape(-1), dtype=int, device=device)
        world.rule_f = wp.array(rows_f.astype(np.float32).reshape(-1), dtype=float, device=device)
        world.events = event_room if options.events else 0
        world.track = int(options.events or job.rule.uses_impulses)
        world.events_v = wp.zeros(self.count * world.events * state.EVENT_VECS, dtype=wp.vec4, device=device)
        world.events_i = wp.zeros(self.count * world.events * state.EVENT_INTS, dtype=int, device=device)
        self.world = world

        out = Output()
        out.first = 0
        out.verdicts = wp.zeros(self.count, dtype=wp.int8, device=device)
        out.steps = wp.zeros(self.count, dtype=int, device=device)
        out.event_counts = wp.zeros(self.count if options.events else 0, dtype=int, device=device)
        out.stride, out.frames, out.bodies = options.stride, job.frames, job.bodies
        places = self.count * job.frames * job.bodies
        out.poses = wp.full(places, wp.vec3(np.nan), dtype=wp.vec3, device=device)
        out.want_velocities = int(options.velocities)
        out.velocities = wp.full(places if options.velocities else 0, wp.vec3(np.nan), dtype=wp.vec3, device=device)
        self.out = out

        stepping = Stepping()
        dt = np.float32(options.dt)
        stepping.dt = float(dt)
        stepping.warm = float(np.float32(1) / dt * dt)
        stepping.velocity_iterations = options.velocity_iterations
        stepping.position_iterations = options.position_iterations
        stepping.max_steps = options.max_steps
        self.stepping = stepping

    def launch(self) -> None:
        """Runs the kernel: on a GPU once, with many lanes; on a CPU in pieces that threads take, a lane each."""
        if not self.job.on_cpu:
            self.launch_range(0, self.lanes, self.lanes, 0, self.count)
            self.job.progress(self.count)
            return
        wp.load_module(self.job.kernel.module, device=self.job.device)
        pieces = iter(range(0, self.count, CPU_PIECE))

        def work(lane: int) -> None:
            for first in pieces:
                last = min(first + CPU_PIECE, self.count)
                self.launch_range(lane, 1, 0, first, last)
                self.job.progress(last - first)

        if self.lanes == 1:
            work(0)
        else:
            with ThreadPoolExecutor(self.lanes) as pool:
                for done in [pool.submit(work, lane) for lane in range(self.lanes)]:
                    done.result()

    def launch_range(self, lane: int, lanes: int, stride: int, first: int, last: int) -> None:
        queue = wp.array([first], dtype=int, device=self.job.device)
        wp.launch(
            self.job.kernel,
            dim=lanes,
            inputs=[
                self.world,
                lane,
                self.capacity.vecs,
                self.capacity.ints,
                stride,
                self.batch,
                self.stepping,
                self.out,
                queue,
                last,
            ],
            device=self.job.device,
            block_dim=128,
        )

    def collect(self, members: np.ndarray, fits: np.ndarray, result: Rollouts, events: list[np.ndarray]) -> None:
        """Moves what came of the worlds that fitted into the result."""
        job = self.job
        to = members[fits]
        result.verdicts[to] = self.out.verdicts.numpy()[fits]
        result.steps[to] = self.out.steps.numpy()[fits]
        units = self.units[fits][:, None, None]
        if job.frames:
            shape = (self.count, job.frames, job.bodies, 3)
            for wanted, source, target in (
                (True, self.out.poses, result.poses),
                (job.options.velocities, self.out.velocities, result.velocities),
            ):
                if wanted:
                    values = source.numpy().reshape(shape)[fits]
                    values[..., :2] *= units[..., None]
                    target[to] = values
        if job.options.events:
            events.append(self.events(members, fits))

    def events(self, members: np.ndarray, fits: np.ndarray) -> np.ndarray:
        room = self.world.events
        counts = np.where(fits, self.out.event_counts.numpy(), 0)
        rows = np.flatnonzero(np.arange(room)[None, :] < counts[:, None])
        ints = self.world.events_i.numpy().reshape(-1, state.EVENT_INTS)[rows]
        vecs = self.world.events_v.numpy().reshape(-1, state.EVENT_VECS, 4)[rows]
        table = np.zeros(len(rows), EVENT)
        local = rows // room
        table["world"] = members[local]
        table["step"] = ints[:, state.EVENT_STEP]
        table["begin"] = ints[:, state.EVENT_KIND] == state.BEGIN
        table["body_a"] = ints[:, state.EVENT_BODY_A]
        table["body_b"] = ints[:, state.EVENT_BODY_B]
        table["point"] = vecs[:, state.EVENT_AT, :2] * self.units[local][:, None]
        table["normal"] = vecs[:, state.EVENT_AT, 2:]
        table["approach_speed"] = vecs[:, state.EVENT_FORCE, 0]
        table["impulse"] = vecs[:, state.EVENT_FORCE, 1]
        return table


def _rows(values: np.ndarray, count: int, members: np.ndarray) -> np.ndarray:
    """The rule's parameters of some worlds, one row each."""
    rows = np.asarray(values)
    if rows.ndim == 1:
        rows = np.broadcast_to(rows, (count, len(rows)))
    return rows[members]
