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
from tumble.engine.host.phase_settings import PhaseSettings
from tumble.engine.rollout.phased_kernels import Ends, Queue
from tumble.engine.rollout.phases import STEP_PHASES, WorkLists, step_kernels
from tumble.engine.rollout.work_list import CLASS_SIZES, WorkList
from tumble.engine.state.layout import Capacity

AHEAD = 2
"""Graphs that are launched before the host looks at what the first of them left."""


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
    steps = step_kernels(settings.registers)
    return [ends.begin, *(getattr(steps, name) for name in STEP_PHASES), ends.finish]


class PhasedRun:
    """The launches that roll `count` worlds of a chunk out."""

    def __init__(self, machine: Machine, settings: PhaseSettings, ends: Ends, inputs: PhaseInputs, count: int) -> None:
        self.machine, self.settings, self.count = machine, settings, count
        self.lane_count = inputs.lane_count
        self.group = settings.group_of(self.lane_count)
        self.arrays: dict[str, Any] = {}  # the memory that structs have only the addresses of
        self.lists = self._lists(inputs.capacity)
        self.unfinished = machine.ints(np.array([count]))
        self.queue = self._queue()
        worlds = [inputs.world, inputs.lanes]
        around = [*worlds, inputs.batch, inputs.settings, inputs.out, inputs.past, self.queue, self.lists]
        within = [*worlds, inputs.settings, self.lists]
        steps = step_kernels(settings.registers)
        per_lane = self.lane_count
        dims = {"solve": per_lane * settings.island_threads}
        self.begin = self._command(ends.begin, per_lane, around)
        self.step = {
            name: self._command(getattr(steps, name), dims.get(name, per_lane), within) for name in STEP_PHASES
        }
        self.step["finish"] = self._command(ends.finish, per_lane, around)

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
        self.arrays["next"] = self.machine.ints(np.zeros(1))
        queue = Queue()
        queue.next, queue.last = self.arrays["next"].ptr, self.count
        queue.occupied = wp.zeros(self.lane_count, dtype=int, device=self.machine.device)
        queue.unfinished = self.unfinished
        return queue

    def _lists(self, capacity: Capacity) -> WorkLists:
        classes = self.settings.classes
        lists = WorkLists()
        lists.active = self._list("active", [1] * classes, 1)
        lists.impacts = self._list("impacts", [1] * classes, 1)
        lists.resolve = self._list("resolve", [1] * classes, 1)
        lists.impact_contacts = wp.zeros(self.lane_count, dtype=int, device=self.machine.device)
        lists.impact_times = wp.zeros(self.lane_count, dtype=float, device=self.machine.device)
        # an island has a body, and as many contacts as its class says
        sizes = [CLASS_SIZES[weight // 2] for weight in range(2 * classes)]
        most = [min(capacity.bodies, capacity.contacts // size) if size else capacity.bodies for size in sizes]
        lists.islands = self._list("islands", most, self.settings.island_threads)
        return lists

    def _list(self, name: str, most: list[int], threads: int) -> WorkList:
        """A list with room for `most` items of each weight for a lane, and that many threads for one."""
        rooms = [self.group * items for items in reversed(most)]  # the heaviest first
        groups = self.lane_count // self.group
        counts = wp.zeros(groups * len(rooms), dtype=int, device=self.machine.device)
        starts = self.machine.ints(np.cumsum(rooms) - rooms)
        items = wp.empty(groups * sum(rooms), dtype=int, device=self.machine.device)
        self.arrays |= {f"{name} counts": counts, f"{name} starts": starts, f"{name} items": items}
        work = WorkList()
        work.counts, work.starts, work.items = counts.ptr, starts.ptr, items.ptr
        work.bins, work.room = len(rooms), sum(rooms)
        work.group, work.groups, work.threads = self.group, groups, self.group * threads
        return work

    def launch_steps(self, steps: int) -> None:
        """Has free lanes take worlds, and makes some steps of all."""
        self.begin.launch()
        for _ in range(steps):
            for command in self.step.values():
                command.launch()

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
