"""A chunk of worlds on a device: its lanes and output, and the launching of fused or phased kernels over it.

In phases (`rollout/phases.py`), a GPU makes some steps at a time, as one CUDA graph, which is launched until no world
is left. The host looks at the number of unfinished worlds one graph behind, so that the GPU never waits for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.dynamics.islands import StepSettings
from tumble.engine.host.machine import Machine, to_host
from tumble.engine.host.options import EVENT, Options, Rollouts
from tumble.engine.host.scenes import UploadedScenes
from tumble.engine.host.stepping import FROM_QUEUE, PhaseSettings
from tumble.engine.host.worlds import Worlds
from tumble.engine.rollout.lanes import Lanes, Output
from tumble.engine.rollout.lifecycle import Past
from tumble.engine.rollout.phases import CLASS_SIZES, STEP_PHASES, WARP, Ends, Queue, WorkList, WorkLists, step_kernel
from tumble.engine.rules.rule import Rule
from tumble.engine.state import layout
from tumble.engine.state.layout import Capacity
from tumble.engine.state.world import World

AHEAD = 2
"""Graphs that are launched before the host looks at what the first of them left."""
ISLAND_THREADS = 2
"""Threads for the islands of a lane."""
LANES_PER_TEAM = 4
"""Lanes for each team that solves large islands."""


@dataclass(frozen=True)
class PhaseInputs:
    """What the kernels read of a chunk, as they take it."""

    world: Any
    lanes: Any
    batch: Any
    settings: Any
    out: Any
    past: Any
    lane_count: int
    capacity: Capacity


def kernels_to_load(ends: Ends, settings: PhaseSettings) -> list[Any]:
    """The kernels to load before `PhasedRun` launches them."""
    steps = [step_kernel(name, settings.registers) for name in STEP_PHASES]
    return [ends.begin, *steps, ends.finish]


class PhasedRun:
    """The launches that roll `count` worlds of a chunk out."""

    def __init__(self, machine: Machine, settings: PhaseSettings, ends: Ends, inputs: PhaseInputs, count: int) -> None:
        self.machine, self.settings, self.count = machine, settings, count
        self.lane_count = inputs.lane_count
        self.group = settings.group_of(self.lane_count)
        self.arrays: dict[str, Any] = {}  # the memory that structs have only the addresses of
        self.queue = self._queue()
        self.lists = self._lists(inputs.capacity)
        worlds = [inputs.world, inputs.lanes]
        around = [*worlds, inputs.batch, inputs.settings, inputs.out, inputs.past, self.queue, self.lists]
        within = [*worlds, inputs.settings, self.lists]
        large = self.lists.large
        dims = {
            "solve": self.lane_count * ISLAND_THREADS,
            "solve_large": large.groups * large.threads * self.lists.team,
        }
        self.begin = self._command(ends.begin, self.lane_count, around)
        self.step = {}
        for name in STEP_PHASES:
            kernel = step_kernel(name, settings.registers)
            self.step[name] = self._command(kernel, dims.get(name, self.lane_count), within)
        self.step["finish"] = self._command(ends.finish, self.lane_count, around)
        self.side: Any = None if machine.is_cpu else wp.Stream(machine.device)

    @property
    def unfinished(self) -> Any:
        """int [1], on the device: worlds that are not over."""
        return self.queue.unfinished

    def _command(self, kernel: Any, dim: int, inputs: list[Any]) -> Any:
        return wp.launch(
            kernel,
            dim=dim,
            inputs=inputs,
            device=self.machine.device,
            block_dim=self.settings.block,
            record_cmd=True,
        )

    def _queue(self) -> Queue:
        """All worlds wait, and no lane has one."""
        first = self.machine.ints(np.zeros(1))
        self.arrays["next"] = first
        queue = Queue()
        queue.next, queue.last = first.ptr, self.count
        queue.occupied = wp.zeros(self.lane_count, dtype=int, device=self.machine.device)
        queue.unfinished = self.machine.ints(np.array([self.count]))
        return queue

    def _lists(self, capacity: Capacity) -> WorkLists:
        lists = WorkLists()
        one_each = [1] * len(CLASS_SIZES)
        lists.active = self._list("active", one_each, self.group)
        lists.impacts = self._list("impacts", one_each, self.group)
        lists.resolve = self._list("resolve", one_each, self.group)
        lists.impact_contacts = wp.zeros(self.lane_count, dtype=int, device=self.machine.device)
        lists.impact_times = wp.zeros(self.lane_count, dtype=float, device=self.machine.device)
        # an island has a body, and as many contacts as its class says
        sizes = [CLASS_SIZES[weight // 2] for weight in range(2 * len(CLASS_SIZES))]
        most = [min(capacity.bodies, capacity.contacts // size) if size else capacity.bodies for size in sizes]
        lists.islands = self._list("islands", most, self.group * ISLAND_THREADS)
        lists.large = self._list("large", most, max(WARP, self.group // LANES_PER_TEAM // WARP * WARP))
        lists.large_from = self.settings.large_from
        lists.team = 1 if self.machine.is_cpu else self.settings.team
        return lists

    def _list(self, name: str, most: list[int], threads: int) -> WorkList:
        """A list with room for `most` items of each weight for a lane, and that many threads for a group."""
        rooms = [self.group * items for items in reversed(most)]  # the heaviest first
        groups = self.lane_count // self.group
        counts = wp.zeros(groups * len(rooms), dtype=int, device=self.machine.device)
        starts = self.machine.ints(np.cumsum(rooms) - rooms)
        items = wp.empty(groups * sum(rooms), dtype=int, device=self.machine.device)
        self.arrays |= {f"{name} counts": counts, f"{name} starts": starts, f"{name} items": items}
        work = WorkList()
        work.counts, work.starts, work.items = counts.ptr, starts.ptr, items.ptr
        work.bins, work.room = len(rooms), sum(rooms)
        work.group, work.groups, work.threads = self.group, groups, threads
        return work

    def launch_steps(self, steps: int) -> None:
        """Has free lanes take worlds, and makes some steps of all; a GPU solves small and large islands at once."""
        stream: Any = None if self.machine.is_cpu else self.machine.device.stream
        self.begin.launch(stream)
        for _ in range(steps):
            for name, command in self.step.items():
                if name == "solve" and self.side:
                    self.side.wait_stream(stream)
                    self.step["solve_large"].launch(self.side)
                if name == "solve_large" and self.side:
                    stream.wait_stream(self.side)
                else:
                    command.launch(stream)

    def run(self, max_steps: int, progress: Callable[[int], None]) -> None:
        """Makes steps until no world is left; calls `progress` with the number of worlds that ended."""
        steps = max(1, min(self.settings.graph_steps, max_steps))
        if self.machine.is_cpu:
            self._watch(lambda: self.launch_steps(steps), progress, ahead=1)
            return
        with wp.ScopedCapture(device=self.machine.device, force_module_load=False) as capture:
            self.launch_steps(steps)
        self._watch(lambda: wp.capture_launch(capture.graph), progress, AHEAD)

    def _watch(self, launch: Callable[[], None], progress: Callable[[int], None], ahead: int) -> None:
        """Launches until no world is unfinished, at most `ahead` times before it looks."""
        device = self.machine.device
        seen = [wp.zeros(1, dtype=int, device="cpu", pinned=not device.is_cpu) for _ in range(ahead)]
        events: list[Any] = [None] * ahead
        left, turn = self.count, 0
        while left:
            at = turn % ahead
            launch()
            wp.copy(seen[at], self.unfinished)
            if not device.is_cpu:
                events[at] = device.stream.record_event()
            turn += 1
            if turn < ahead:
                continue
            oldest = turn % ahead
            if events[oldest] is not None:
                wp.synchronize_event(events[oldest])
            now = int(seen[oldest].numpy()[0])
            progress(left - now)
            left = now
        if not device.is_cpu:
            wp.synchronize_event(events[(turn - 1) % ahead])  # the last copy, before its memory is freed


BUFFERS_AT = {
    layout.PARAM_INTS_AT: "param_ints",
    layout.PARAM_FLOATS_AT: "param_floats",
    layout.TABLE_INTS_AT: "table_ints",
    layout.TABLE_FLOATS_AT: "table_floats",
    layout.EVENT_VECS_AT: "event_vecs",
    layout.EVENT_INTS_AT: "event_ints",
}
"""The buffers of a chunk whose addresses are in its table."""
CPU_PIECE = 16
"""Worlds that a CPU thread takes at a time, at most."""
VECS_PER_LINE = 8
INTS_PER_LINE = 32
"""Lines of a GPU's cache have 128 bytes."""
PIECES_PER_THREAD = 4
"""Pieces that there are for each thread, at least, so that all are busy until the end."""


def step_settings(options: Options) -> StepSettings:
    """The options as the kernels read them."""
    settings = StepSettings()
    dt = np.float32(options.dt)
    settings.dt = float(dt)
    settings.warm_start_ratio = float(np.float32(1) / dt * dt)
    settings.velocity_iterations = options.velocity_iterations
    settings.position_iterations = options.position_iterations
    settings.max_steps = options.max_steps
    settings.only_bullets = int(options.only_bullets)
    return settings


class Chunk:
    """Worlds that are on the device together; `placed` if each may have a lane of its own (`placement.py`)."""

    def __init__(
        self,
        machine: Machine,
        uploaded: UploadedScenes,
        worlds: Worlds,
        rule: Rule,
        options: Options,
        capacity: Capacity,
        max_events: int = 0,
        placed: bool = False,
    ) -> None:
        self.machine, self.options, self.capacity = machine, options, capacity
        self.count = len(worlds)
        self.units = uploaded.units[worlds.scene_of]
        self.batch = uploaded.batch(worlds, machine.device)
        self.lane_vecs, self.lane_ints = _lane_size(capacity, aligned=isinstance(machine.stepping, PhaseSettings))
        lane_bytes = 16 * self.lane_vecs + 4 * self.lane_ints
        lane_worlds = machine.lane_worlds(worlds, lane_bytes) if placed else FROM_QUEUE
        self.lane_worlds = machine.ints(lane_worlds)
        self.lane_count = len(lane_worlds) or machine.lanes_for(self.count, lane_bytes)
        self.settings = step_settings(options)
        self.max_events = max_events if options.events else 0
        self.world = self._world(uploaded, rule)
        self.out = self._output()
        self._queue: Any = None

    def _world(self, uploaded: UploadedScenes, rule: Rule) -> World:
        """The memory of all lanes, and what their worlds share."""
        device, capacity = self.machine.device, self.capacity
        events = self.count * self.max_events
        self.buffers = {
            "vecs": wp.empty(self.lane_count * self.lane_vecs, dtype=wp.vec4, device=device),
            "ints": wp.empty(self.lane_count * self.lane_ints, dtype=int, device=device),
            "param_ints": self.machine.ints(rule.ints),
            "param_floats": self.machine.floats(rule.floats),
            "table_ints": self.machine.ints(rule.table_ints),
            "table_floats": self.machine.floats(rule.table_floats),
            "event_vecs": wp.zeros(events * layout.EVENT_VECS, dtype=wp.vec4, device=device),
            "event_ints": wp.zeros(events * layout.EVENT_INTS, dtype=int, device=device),
        }
        numbers = {
            **uploaded.chunk_numbers(),
            **capacity.begins(),
            **{number: self.buffers[name].ptr or 0 for number, name in BUFFERS_AT.items()},
            layout.INT_PARAMS: rule.ints.shape[1],
            layout.FLOAT_PARAMS: rule.floats.shape[1],
            layout.MAX_EVENTS: self.max_events,
            layout.TRACK_IMPULSES: int(self.options.events or rule.uses_impulses),
            layout.MAX_SHAPES: capacity.shapes,
            layout.MAX_CONTACTS: capacity.contacts,
            layout.OUTPUT_COUNT: capacity.output_ints,
        }
        table = np.array([numbers[number] for number in range(layout.CHUNK_NUMBERS)], np.int64)
        self.buffers["chunk"] = wp.array(table, dtype=wp.int64, device=device)
        world = World()
        for name in ("vecs", "ints", "chunk"):
            setattr(world, name, self.buffers[name].ptr or 0)
        return world

    def _output(self) -> Output:
        device, options = self.machine.device, self.options
        out = Output()
        out.verdicts = wp.zeros(self.count, dtype=wp.int8, device=device)
        out.steps = wp.zeros(self.count, dtype=int, device=device)
        out.event_counts = wp.zeros(self.count if options.events else 0, dtype=int, device=device)
        out.output_ints = wp.zeros(self.count * self.capacity.output_ints, dtype=int, device=device)
        out.stride, out.frames, out.bodies = options.stride, frame_count(options), self.capacity.bodies
        poses = self.count * out.frames * out.bodies
        absent = wp.vec3(np.nan, np.nan, np.nan)
        out.poses = wp.full(poses, absent, dtype=wp.vec3, device=device)
        out.want_velocities = int(options.velocities)
        out.velocities = wp.full(poses if options.velocities else 0, absent, dtype=wp.vec3, device=device)
        return out

    def lanes(self, first: int) -> Lanes:
        """How the lanes of a launch lie, beginning with the first-th."""
        lanes = Lanes()
        lanes.first = first
        lanes.vecs, lanes.ints = self.lane_vecs, self.lane_ints
        return lanes

    def run(
        self,
        kernel: Any,
        past: Past,
        progress: Callable[[int], None] = lambda _: None,
        count: int | None = None,
        piece: int = CPU_PIECE,
    ) -> None:
        """Runs a kernel over the worlds: on a GPU by many lanes in one launch, on a CPU in pieces that threads take; or
        kernels of phases, launched until all worlds are over.

        `count` is the number of worlds where that is not all of them.
        """
        machine = self.machine
        total = self.count if count is None else count
        if isinstance(kernel, Ends):
            self._run_phases(kernel, past, progress, total)
            return
        block = machine.stepping.block
        machine.load(kernel, block_dim=block)

        def launch(lane: int, lanes: int, first: int, last: int) -> None:
            queue = machine.ints(np.array([first]))
            self._queue = queue  # a GPU still uses it when this returns
            inputs = [self.world, self.lanes(lane), self.batch, self.settings, self.out, past]
            machine.launch(kernel, lanes, [*inputs, queue, last, self.lane_worlds], block_dim=block)
            progress(last - first)

        if machine.is_cpu:
            piece = max(1, min(piece, total // (PIECES_PER_THREAD * machine.threads))) if machine.threads > 1 else piece
            ends = [min(first + piece, total) for first in range(0, total, piece)]
            machine.for_pieces(ends, lambda lane, end: launch(lane, 1, (end - 1) // piece * piece, end))
        else:
            launch(0, self.lane_count, 0, total)

    def _run_phases(self, ends: Ends, past: Past, progress: Callable[[int], None], count: int) -> None:
        """Rolls the first worlds out in phases."""
        machine, settings = self.machine, self.machine.stepping
        assert isinstance(settings, PhaseSettings)
        machine.load(*kernels_to_load(ends, settings), block_dim=settings.block)
        inputs = PhaseInputs(
            self.world, self.lanes(0), self.batch, self.settings, self.out, past, self.lane_count, self.capacity
        )
        PhasedRun(machine, settings, ends, inputs, count).run(self.options.max_steps, progress)

    def verdicts(self) -> np.ndarray:
        """int8 [worlds], OVERFLOWED where a world did not fit its lane."""
        return to_host(self.out.verdicts)

    def collect(self, members: np.ndarray, fits: np.ndarray, result: Rollouts, events: list[np.ndarray]) -> None:
        """Copies the results of the worlds that fitted into `result`; `members` are the worlds' indices there."""
        to, rows = _as_slice(members[fits]), _as_slice(np.flatnonzero(fits))
        result.verdicts[to] = self.verdicts()[rows]
        result.steps[to] = to_host(self.out.steps)[rows]
        result.output_ints[to] = to_host(self.out.output_ints).reshape(self.count, self.capacity.output_ints)[rows]
        if self.options.stride:
            self._collect_frames(self.out.poses, to, fits, result.poses)
        if self.options.velocities:
            self._collect_frames(self.out.velocities, to, fits, result.velocities)
        if self.options.events:
            events.append(self._events(members, fits))

    def _collect_frames(self, source: Any, to: np.ndarray | slice, fits: np.ndarray, target: np.ndarray) -> None:
        bodies = target.shape[2]
        values = to_host(source).reshape(self.count, self.out.frames, self.out.bodies, 3)[fits][:, :, :bodies]
        values[..., :2] *= self.units[fits][:, None, None, None]
        target[to] = values

    def _events(self, members: np.ndarray, fits: np.ndarray) -> np.ndarray:
        room = self.max_events
        counts = np.where(fits, to_host(self.out.event_counts), 0)
        rows = np.flatnonzero(np.arange(room)[None, :] < counts[:, None])
        ints = to_host(self.buffers["event_ints"]).reshape(-1, layout.EVENT_INTS)[rows]
        vecs = to_host(self.buffers["event_vecs"]).reshape(-1, layout.EVENT_VECS, 4)[rows]
        world = rows // room
        table = np.zeros(len(rows), EVENT)
        table["world"] = members[world]
        table["step"] = ints[:, layout.EVENT_STEP]
        table["begin"] = ints[:, layout.EVENT_KIND] == layout.BEGIN
        table["body_a"] = ints[:, layout.EVENT_BODY_A]
        table["body_b"] = ints[:, layout.EVENT_BODY_B]
        table["point"] = vecs[:, layout.EVENT_GEOMETRY, :2] * self.units[world][:, None]
        table["normal"] = vecs[:, layout.EVENT_GEOMETRY, 2:]
        table["approach_speed"] = vecs[:, layout.EVENT_STRENGTH, 0]
        table["impulse"] = vecs[:, layout.EVENT_STRENGTH, 1]
        return table


def _lane_size(capacity: Capacity, aligned: bool) -> tuple[int, int]:
    """The vec4s and ints of a lane; where they are aligned, lanes begin at lines of a GPU's cache."""
    if not aligned:
        return capacity.vecs, capacity.ints
    return -(-capacity.vecs // VECS_PER_LINE) * VECS_PER_LINE, -(-capacity.ints // INTS_PER_LINE) * INTS_PER_LINE


def _as_slice(indices: np.ndarray) -> np.ndarray | slice:
    """The same rows as a slice, where they are consecutive: numpy then copies whole blocks of memory, or nothing."""
    if len(indices) and (np.diff(indices) == 1).all():
        return slice(int(indices[0]), int(indices[-1]) + 1)
    return indices


def frame_count(options: Options) -> int:
    """The number of frames of each world."""
    return options.max_steps // options.stride + 1 if options.stride else 0
