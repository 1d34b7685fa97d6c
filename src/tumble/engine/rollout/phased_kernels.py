"""The kernels before and after the steps of `phases.py`, which depend on the rule: free lanes take worlds, and what
follows a step, with output and end of a world.
"""

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import warp as wp

from tumble.engine.dynamics.island_solver import StepSettings
from tumble.engine.rollout.kernels import Kernels
from tumble.engine.rollout.lifecycle import Past, build_lifecycles
from tumble.engine.rollout.output import Lanes, Output, lane_view
from tumble.engine.rollout.phases import WorkLists, add_lane, phase_kernel
from tumble.engine.rollout.populate import Batch
from tumble.engine.rollout.work_list import clear_list
from tumble.engine.rules.rule import Rule
from tumble.engine.state.memory import claim, read_int
from tumble.engine.state.world import World

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Queue:
    """The worlds that wait, and the lanes that have one."""

    next: wp.uint64  # address; the first world that no lane has taken
    last: int  # number of worlds
    occupied: wp.array(dtype=int)  # [lanes]: 1 where a lane has a world
    unfinished: wp.array(dtype=int)  # [1]: worlds that are not over


@dataclass(frozen=True)
class Ends:
    """The kernels before and after the steps of worlds that are rolled out in one way under a rule."""

    name: str
    begin: Any
    finish: Any


def phased_kernels_for(rule: Rule, registers: int) -> Kernels:
    """The kernels for a rule."""
    with _building:
        functions = (rule.function, rule.settled, rule.too_late, rule.begin)
        return build_phased_kernels(*functions, rule.resumable, rule.can_share_past, registers)


_building = Lock()


@cache
def build_phased_kernels(
    rule: Any, settled: Any, too_late: Any, begin: Any, resumable: bool, shares_past: bool, registers: int
) -> Kernels:
    """The kernels for a rule's functions."""
    lives = build_lifecycles(rule, settled, too_late, begin, resumable, shares_past)
    return Kernels(*(_ends(life.name, life.start, life.finish, registers) for life in lives))


def _ends(name: str, start_world: Any, finish_world: Any, registers: int) -> Ends:
    @phase_kernel(f"begin_{name}", registers)
    def begin(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        past: Past,
        queue: Queue,
        lists: WorkLists,
    ) -> None:
        lane = wp.tid()
        if queue.occupied[lane] == 0:
            w = lane_view(world_template, lanes, lane, 1)
            waiting = int(1)
            while waiting == 1:
                waiting = int(0)
                if read_int(queue.next, 0, 0) < queue.last:
                    position = claim(queue.next, 0)
                    if position < queue.last:
                        if start_world(w, batch, settings, out, past, position) == 1:
                            queue.occupied[lane] = 1
                            add_lane(lists.active, w, lane)
                        else:
                            wp.atomic_add(queue.unfinished, 0, -1)
                            waiting = int(1)

    @phase_kernel(f"finish_{name}", registers)
    def finish(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        past: Past,
        queue: Queue,
        lists: WorkLists,
    ) -> None:
        lane = wp.tid()
        clear_list(lists.resolve, lane, lists.resolve.groups * lists.resolve.group)
        if queue.occupied[lane] == 1:
            w = lane_view(world_template, lanes, lane, 1)
            if finish_world(w, batch, settings, out, past) == 1:
                add_lane(lists.active, w, lane)
            else:
                queue.occupied[lane] = 0
                wp.atomic_add(queue.unfinished, 0, -1)

    return Ends(name, begin, finish)
