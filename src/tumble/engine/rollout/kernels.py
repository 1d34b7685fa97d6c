"""The fused kernels, that make whole steps. Each lane takes the next world of the batch until none is left, or rolls
out the one that it was given.

All have one loop over steps, around one `step_world`, and no loop over worlds around another over steps: neighbouring
lanes of a GPU then never wait for each other's worlds. What they do before and after steps is in `lifecycle.py`.
"""

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import warp as wp

from tumble.engine.dynamics.islands import StepSettings
from tumble.engine.dynamics.step import step_world
from tumble.engine.rollout.lanes import Batch, Lanes, Output, lane_view, write_frame
from tumble.engine.rollout.lifecycle import Lifecycle, Past, build_lifecycles
from tumble.engine.rules.rule import Rule
from tumble.engine.state.layout import WORLD_INDEX
from tumble.engine.state.native import any_lane, on_cpu
from tumble.engine.state.world import World, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

TILE = 32
"""Lanes of a GPU that lie interleaved: those of a warp."""
COMPILER_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False}
NO_WORLD = -1
"""As the world of a lane: none."""


@dataclass(frozen=True)
class Kernels:
    """The kernels for a rule; only `roll_out` where variants can't share their past under it."""

    roll_out: Any
    record: Any = None
    approach: Any = None
    branch: Any = None


def kernels_for(rule: Rule, one_module: bool, registers: int) -> Kernels:
    """The kernels for a rule; Warp compiles them when they are loaded and keeps the result on disk.

    A GPU's thread has at most this many registers.

    In one Warp module they share one compiled `step_world` and compile in little more time than one of them: best for
    a CPU. In a module each, `step_world` is inlined: best for a GPU, where `World` then need not lie in memory.
    """
    with _building:  # of two kernels of one name in a module, Warp knows only the second
        functions = (rule.function, rule.settled, rule.too_late, rule.begin)
        return build_kernels(*functions, rule.resumable, rule.can_share_past, one_module, registers)


_building = Lock()


def _kernel(name: str, registers: int, module: Any = None) -> Any:
    """The decorator of a kernel: it adds the kernel to the Warp module given or, without one, to a new one."""
    options: dict[str, Any] = {"enable_backward": False, "cuda_max_registers": registers, "grid_stride": False}
    if module is None:
        return wp.kernel(name=name, module="unique", module_options=COMPILER_OPTIONS, **options)
    return wp.kernel(name=name, module=module, **options)


@cache
def build_kernels(
    rule: Any,
    settled: Any,
    too_late: Any,
    begin: Any,
    resumable: bool,
    shares_past: bool,
    one_module: bool,
    registers: int,
) -> Kernels:
    """The kernels for a rule's functions."""
    suffix = "" if one_module else "_alone"  # Warp shares equal modules: the two arrangements must not be equal
    kernels: list[Any] = []
    for life in build_lifecycles(rule, settled, too_late, begin, resumable, shares_past):
        module = kernels[0].module if kernels and one_module else None
        kernels.append(_fused(life, suffix, registers, module))
    return Kernels(*kernels)


@wp.func
def fused_tile() -> int:
    """Lanes that lie interleaved."""
    if on_cpu():
        return 1
    return wp.static(TILE)


def _fused(life: Lifecycle, suffix: str, registers: int, module: Any) -> Any:
    start, finish = life.start, life.finish
    decides = life.decide is not None
    decide, end = (life.decide, life.end) if decides else (finish, finish)

    @_kernel(life.name + suffix, registers, module)
    def roll_out(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        past: Past,
        queue: wp.array(dtype=int),
        last: int,
        lane_worlds: wp.array(dtype=int),
    ) -> None:
        w = lane_view(world_template, lanes, wp.tid(), fused_tile())
        working = int(1)  # 0 once no world is left for this lane
        running = int(0)  # 1 while it has a world
        placed = int(0)  # 1 once it has taken the world that it was given
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                position = int(last)
                if lane_worlds.shape[0] == 0:
                    position = wp.atomic_add(queue, 0, 1)
                elif placed == 0:
                    position = lane_worlds[wp.tid()]
                    placed = int(1)
                if position < 0 or position >= last:
                    working = int(0)
                else:
                    running = start(w, batch, settings, out, past, position)
            step_world(w, settings, running)
            if running == 1:
                if wp.static(decides):
                    if out.stride > 0:
                        write_frame(w, out, get_int(w, WORLD_INDEX))
                    over, verdict, steps = decide(w, settings, out.stride)
                    if over == 1:
                        end(w, out, past, verdict, steps)
                        running = int(0)
                else:
                    running = finish(w, batch, settings, out, past)

    return roll_out
