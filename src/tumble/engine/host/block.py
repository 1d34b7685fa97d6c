"""A block of worlds on a device: its lanes, its output, and the launching of kernels over it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.dynamics.step import Stepping
from tumble.engine.host.batch import Uploaded
from tumble.engine.host.machine import Machine
from tumble.engine.host.options import EVENT, Options, Rollouts
from tumble.engine.host.worlds import Worlds
from tumble.engine.rollout.kernel import PLAIN, Lanes, Output
from tumble.engine.rollout.past import Branches, Past
from tumble.engine.rollout.resume import Resume
from tumble.engine.rules.rule import Rule
from tumble.engine.state import layout
from tumble.engine.state.layout import Capacity, World

CPU_PIECE = 16
"""Worlds that a CPU thread takes at a time."""


def stepping_of(options: Options) -> Stepping:
    """The options as the kernels read them."""
    stepping = Stepping()
    dt = np.float32(options.dt)
    stepping.dt = float(dt)
    stepping.warm = float(np.float32(1) / dt * dt)
    stepping.velocity_iterations = options.velocity_iterations
    stepping.position_iterations = options.position_iterations
    stepping.max_steps = options.max_steps
    stepping.only_bullets = int(options.only_bullets)
    return stepping


class Block:
    """Worlds that are on the device together."""

    def __init__(
        self,
        machine: Machine,
        uploaded: Uploaded,
        worlds: Worlds,
        rule: Rule,
        options: Options,
        capacity: Capacity,
        event_room: int = 0,
    ) -> None:
        self.machine, self.options, self.capacity = machine, options, capacity
        self.count = len(worlds)
        self.units = uploaded.units[worlds.scene_of]
        self.batch = uploaded.batch(worlds, machine.device)
        self.lane_count = machine.lanes_for(self.count)
        self.stepping = stepping_of(options)
        self.world = self._world(uploaded, rule, event_room)
        self.out = self._output()

    def _world(self, uploaded: Uploaded, rule: Rule, event_room: int) -> World:
        device, capacity, options = self.machine.device, self.capacity, self.options
        world = World()
        uploaded.fill(world)
        world.bodies, world.shapes, world.contacts = capacity.bodies, capacity.shapes, capacity.contacts
        world.notes = capacity.notes
        world.events = event_room if options.events else 0
        world.track = int(options.events or rule.uses_impulses)
        world.rule_ints, world.rule_floats = rule.ints.shape[1], rule.floats.shape[1]
        events = self.count * world.events
        self.buffers = {
            "v": wp.empty(self.lane_count * capacity.vecs, dtype=wp.vec4, device=device),
            "i": wp.empty(self.lane_count * capacity.ints, dtype=int, device=device),
            "rule_i": self.machine.ints(rule.ints),
            "rule_f": self.machine.floats(rule.floats),
            "table_i": self.machine.ints(rule.table_ints),
            "table_f": self.machine.floats(rule.table_floats),
            "events_v": wp.zeros(events * layout.EVENT_VECS, dtype=wp.vec4, device=device),
            "events_i": wp.zeros(events * layout.EVENT_INTS, dtype=int, device=device),
        }
        for name, buffer in self.buffers.items():
            setattr(world, name, buffer.ptr or 0)
        return world

    def _output(self) -> Output:
        device, options = self.machine.device, self.options
        out = Output()
        out.verdicts = wp.zeros(self.count, dtype=wp.int8, device=device)
        out.steps = wp.zeros(self.count, dtype=int, device=device)
        out.event_counts = wp.zeros(self.count if options.events else 0, dtype=int, device=device)
        out.notes = wp.zeros(self.count * self.capacity.notes, dtype=int, device=device)
        out.stride, out.frames, out.bodies = options.stride, frame_count(options), self.capacity.bodies
        places = self.count * out.frames * out.bodies
        absent = wp.vec3(np.nan, np.nan, np.nan)
        out.poses = wp.full(places, absent, dtype=wp.vec3, device=device)
        out.want_velocities = int(options.velocities)
        out.velocities = wp.full(places if options.velocities else 0, absent, dtype=wp.vec3, device=device)
        return out

    def lanes(self, first: int) -> Lanes:
        """How the lanes of a launch lie, beginning with the first-th."""
        lanes = Lanes()
        lanes.first = first
        lanes.side_by_side = 0 if self.machine.is_cpu else self.lane_count
        lanes.vecs, lanes.ints = self.capacity.vecs, self.capacity.ints
        return lanes

    def run(
        self,
        kernel: Any,
        progress: Callable[[int], None],
        mode: int = PLAIN,
        past: Any = None,
        branches: Any = None,
        resume: Any = None,
        count: int | None = None,
        piece: int = CPU_PIECE,
    ) -> None:
        """Rolls worlds out: on a GPU by many lanes in one launch, on a CPU in pieces that threads take.

        `count` is the number of worlds where that is not all of them.
        """
        machine = self.machine
        machine.load(kernel)
        history = [mode, past or Past(), branches or Branches(), resume or Resume()]
        total = self.count if count is None else count

        def launch(lane: int, lanes: int, first: int, last: int) -> None:
            queue = machine.ints(np.array([first]))
            inputs = [
                self.world,
                self.lanes(lane),
                self.batch,
                self.stepping,
                self.out,
                *history,
                queue,
                last,
            ]
            machine.launch(kernel, lanes, inputs)
            progress(last - first)

        if machine.is_cpu:
            ends = [min(first + piece, total) for first in range(0, total, piece)]
            machine.for_pieces(ends, lambda lane, end: launch(lane, 1, (end - 1) // piece * piece, end))
        else:
            launch(0, self.lane_count, 0, total)

    def verdicts(self) -> np.ndarray:
        return np.asarray(self.out.verdicts.numpy())

    def collect(self, members: np.ndarray, fits: np.ndarray, result: Rollouts, events: list[np.ndarray]) -> None:
        """Moves what came of the worlds that fitted into the result; `members` says which worlds they are there."""
        to = members[fits]
        result.verdicts[to] = self.verdicts()[fits]
        result.steps[to] = self.out.steps.numpy()[fits]
        result.notes[to] = self.out.notes.numpy().reshape(self.count, self.capacity.notes)[fits]
        if self.options.stride:
            self._collect_frames(self.out.poses, to, fits, result.poses)
        if self.options.velocities:
            self._collect_frames(self.out.velocities, to, fits, result.velocities)
        if self.options.events:
            events.append(self._events(members, fits))

    def _collect_frames(self, source: Any, to: np.ndarray, fits: np.ndarray, target: np.ndarray) -> None:
        bodies = target.shape[2]
        values = source.numpy().reshape(self.count, self.out.frames, self.out.bodies, 3)[fits][:, :, :bodies]
        values[..., :2] *= self.units[fits][:, None, None, None]
        target[to] = values

    def _events(self, members: np.ndarray, fits: np.ndarray) -> np.ndarray:
        room = self.world.events
        counts = np.where(fits, self.out.event_counts.numpy(), 0)
        rows = np.flatnonzero(np.arange(room)[None, :] < counts[:, None])
        ints = self.buffers["events_i"].numpy().reshape(-1, layout.EVENT_INTS)[rows]
        vecs = self.buffers["events_v"].numpy().reshape(-1, layout.EVENT_VECS, 4)[rows]
        world = rows // room
        table = np.zeros(len(rows), EVENT)
        table["world"] = members[world]
        table["step"] = ints[:, layout.EVENT_STEP]
        table["begin"] = ints[:, layout.EVENT_KIND] == layout.BEGIN
        table["body_a"] = ints[:, layout.EVENT_BODY_A]
        table["body_b"] = ints[:, layout.EVENT_BODY_B]
        table["point"] = vecs[:, layout.EVENT_AT, :2] * self.units[world][:, None]
        table["normal"] = vecs[:, layout.EVENT_AT, 2:]
        table["approach_speed"] = vecs[:, layout.EVENT_FORCE, 0]
        table["impulse"] = vecs[:, layout.EVENT_FORCE, 1]
        return table


def frame_count(options: Options) -> int:
    """How many frames a rollout keeps of each world."""
    return options.max_steps // options.stride + 1 if options.stride else 0
