"""Rolling a chunk of worlds out in phases (`rollout/phases.py`): memory for the lists, and the launching of kernels.

A GPU makes some steps at a time, as one CUDA graph, which is launched until no world is left. The host looks at the
number of unfinished worlds one graph behind, so that the GPU never waits for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from tumble.engine.host.machine import Machine
from tumble.engine.host.stepping import PhaseSettings
from tumble.engine.rollout.phased_kernels import Ends, Queue
from tumble.engine.rollout.phases import STEP_PHASES, WorkLists, step_kernel
from tumble.engine.rollout.work_list import CLASS_SIZES, WARP, WorkList
from tumble.engine.state.layout import Capacity

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


def kernels_of(ends: Ends, settings: PhaseSettings) -> list[Any]:
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
