"""The kernels that roll worlds out. Each lane takes the next world of the batch until none is left.

All have one loop over steps, around one `step_world`, and no loop over worlds around another over steps: neighbouring
lanes of a GPU then never wait for each other's worlds.

- `roll_out` rolls worlds out.
- `record`, `approach` and `branch` do so for variants that share their scene's past (`shared_past.py`): `record` rolls
  scenes out and records every state; `approach` rolls out the bodies that variants add, alone, until they come near
  those of the scene; `branch` rolls out, from there on, the worlds in which they do.
"""

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import warp as wp

from tumble.engine.dynamics.block_sync import any_lane
from tumble.engine.dynamics.step import StepSettings, step_world
from tumble.engine.rollout.output import OVERFLOWED, Lanes, Output, lane_view, write_frame, write_result
from tumble.engine.rollout.populate import Batch, find_first_contacts, populate
from tumble.engine.rollout.resume import Resume, load_checkpoint, save_checkpoint
from tumble.engine.rollout.shared_past import (
    AT_START,
    NO_APPROACH,
    Branches,
    Recording,
    begin_sweep,
    came_near,
    merge,
    next_approach,
    record_bodies,
    record_scratch,
)
from tumble.engine.rules.rule import Rule
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    DYNAMIC_COUNT,
    FIRST_STEP,
    OVERFLOW,
    STEP,
    World,
    get_int,
)
from tumble.engine.state.snapshot import save_snapshot

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

COMPILER_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False}
SKIP_REST = 1
"""Steps in which all bodies sleep need not be made."""
SKIP_UNDECIDED = 2
"""Steps that can no longer decide the world need not be made."""
GPU_REGISTERS = 128
"""Few enough for blocks of 512 lanes; more synchronised lanes are worth more than more registers."""


@dataclass(frozen=True)
class Kernels:
    """The kernels for a rule; only `roll_out` where variants can't share their past under it."""

    roll_out: Any
    record: Any = None
    approach: Any = None
    branch: Any = None


def kernels_for(rule: Rule, one_module: bool) -> Kernels:
    """The kernels for a rule; Warp compiles them when they are loaded and keeps the result on disk.

    In one Warp module they share one compiled `step_world` and compile in little more time than one of them: best for
    a CPU. In a module each, `step_world` is inlined: best for a GPU, where `World` then need not lie in memory.
    """
    with _building:  # of two kernels of one name in a module, Warp knows only the second
        functions = (rule.function, rule.settled, rule.too_late, rule.begin)
        return build_kernels(*functions, rule.resumable, rule.can_share_past, one_module)


_building = Lock()


def _kernel(name: str, module: Any = None) -> Any:
    """The decorator of a kernel: it adds the kernel to the Warp module given or, without one, to a new one."""
    options: dict[str, Any] = {"enable_backward": False, "cuda_max_registers": GPU_REGISTERS}
    if module is None:
        return wp.kernel(name=name, module="unique", module_options=COMPILER_OPTIONS, **options)
    return wp.kernel(name=name, module=module, **options)


@cache
def build_kernels(
    rule: Any, settled: Any, too_late: Any, begin: Any, resumable: bool, shares_past: bool, one_module: bool
) -> Kernels:
    """The kernels for a rule's functions."""
    suffix = "" if one_module else "_alone"  # Warp shares equal modules: the two arrangements must not be equal
    has_settled = settled is not None
    decide_settled = settled if has_settled else rule
    has_too_late = too_late is not None and not resumable
    is_too_late = too_late if has_too_late else rule
    has_begin = begin is not None
    begin_world = begin if has_begin else rule

    @wp.func
    def judge(w: World, settings: StepSettings, may_skip: int) -> tuple[int, int, int]:
        """Whether the rollout is over after this step, with which verdict, and after how many steps.

        `may_skip` is a sum of SKIP_REST and SKIP_UNDECIDED.
        """
        verdict = rule(w)
        steps = get_int(w, STEP)
        over = int(0)
        if verdict != 0 or steps - get_int(w, FIRST_STEP) >= settings.max_steps:
            over = int(1)
        if wp.static(has_settled):
            if over == 0 and (may_skip & SKIP_REST) != 0 and get_int(w, ALL_ASLEEP) == 1:
                verdict, steps = decide_settled(w, settings.max_steps)
                over = int(1)
        if wp.static(has_too_late):
            if over == 0 and (may_skip & SKIP_UNDECIDED) != 0:
                if is_too_late(w, settings.max_steps):
                    steps = int(settings.max_steps)
                    over = int(1)
        if get_int(w, OVERFLOW) != 0:
            over = int(1)
            verdict = int(OVERFLOWED)
        return over, verdict, steps

    @_kernel("roll_out" + suffix)
    def roll_out(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        resume: Resume,
        queue: wp.array(dtype=int),
        last: int,
    ) -> None:
        w = lane_view(world_template, lanes, lanes.first + wp.tid())
        may_skip = int(SKIP_REST | SKIP_UNDECIDED)
        if world_template.max_events > 0:
            may_skip = int(SKIP_REST)
        if out.stride > 0:
            may_skip = int(0)
        world = int(0)
        working = int(1)  # 0 once no world is left for this lane
        running = int(0)  # 1 while it has a world
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                world = wp.atomic_add(queue, 0, 1)
                if world >= last:
                    working = int(0)
            if working == 1 and running == 0:
                running = int(1)
                populate(w, batch, world, 0)
                fresh = int(1)
                if wp.static(resumable):
                    if resume.has_start != 0:
                        fresh = int(0)
                        load_checkpoint(w, resume.start, resume.start_of[world])
                if fresh == 1:
                    find_first_contacts(w)
                if wp.static(has_begin):
                    begin_world(w)
                if out.stride > 0:
                    write_frame(w, out, world)
                if settings.max_steps == 0:
                    if wp.static(resumable):
                        if resume.saves_end != 0:
                            save_checkpoint(w, resume.end, world)
                    fits = int(0)
                    if get_int(w, OVERFLOW) != 0:
                        fits = int(OVERFLOWED)
                    write_result(w, out, world, fits, get_int(w, STEP))
                    running = int(0)
            step_world(w, settings, running)
            if running == 1:
                if out.stride > 0:
                    write_frame(w, out, world)
                over, verdict, steps = judge(w, settings, may_skip)
                if over == 1:
                    if wp.static(resumable):
                        if resume.saves_end != 0:
                            save_checkpoint(w, resume.end, world)
                    write_result(w, out, world, verdict, steps)
                    running = int(0)

    if not shares_past:
        return Kernels(roll_out)
    module = roll_out.module if one_module else None

    @_kernel("record" + suffix, module)
    def record(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        recording: Recording,
        queue: wp.array(dtype=int),
        last: int,
    ) -> None:
        w = lane_view(world_template, lanes, lanes.first + wp.tid())
        scene = int(0)
        working = int(1)
        running = int(0)
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                scene = wp.atomic_add(queue, 0, 1)
                if scene >= last:
                    working = int(0)
            if working == 1 and running == 0:
                running = int(1)
                populate(w, batch, scene, 0)
                find_first_contacts(w)
                if wp.static(has_begin):
                    begin_world(w)
                record_bodies(w, recording, scene)
                record_scratch(w, recording, scene)
            moving = int(0)
            if running == 1:
                begin_sweep(w, 0)
                if get_int(w, ALL_ASLEEP) == 0:
                    moving = int(1)
            step_world(w, settings, running)
            if running == 1:
                over, verdict, steps = judge(w, settings, SKIP_UNDECIDED)
                if moving == 1:
                    record_bodies(w, recording, scene)
                record_scratch(w, recording, scene)
                if get_int(w, OVERFLOW) != 0:  # of the recording
                    over = int(1)
                    verdict = int(OVERFLOWED)
                if over == 1:
                    recording.decided_steps[scene] = get_int(w, STEP)
                    write_result(w, out, scene, verdict, steps)
                    running = int(0)

    @_kernel("approach" + suffix, module)
    def approach(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        recording: Recording,
        branches: Branches,
        queue: wp.array(dtype=int),
        last: int,
    ) -> None:
        w = lane_view(world_template, lanes, lanes.first + wp.tid())
        world = int(0)
        scene = int(0)
        first = int(0)  # of the added bodies among the dynamic ones
        working = int(1)
        running = int(0)
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                world = wp.atomic_add(queue, 0, 1)
                if world >= last:
                    working = int(0)
            if working == 1 and running == 0:
                running = int(1)
                scene = recording.slot_of[batch.scene_of[world]]
                first = populate(w, batch, world, 1)
                find_first_contacts(w)
                if came_near(w, recording, scene, 0, first):
                    branches.approach_steps[world] = AT_START
                    running = int(0)
            if running == 1:
                save_snapshot(w, branches.added, world, first, get_int(w, DYNAMIC_COUNT))
                begin_sweep(w, first)
            step_world(w, settings, running)
            if running == 1:
                over = int(0)
                verdict = int(0)
                steps = get_int(w, STEP)
                approach_step = int(NO_APPROACH)
                if came_near(w, recording, scene, steps, first):
                    approach_step = steps
                elif get_int(w, ALL_ASLEEP) == 1 or steps >= recording.decided_steps[scene]:
                    over = int(1)
                    save_snapshot(w, branches.added, world, first, get_int(w, DYNAMIC_COUNT))
                    approach_step = next_approach(w, recording, scene, first)
                    verdict = int(recording.verdicts[scene])
                    steps = recording.end_steps[scene]
                if approach_step > 0:
                    over = int(1)
                    branches.approach_steps[world] = approach_step
                if get_int(w, OVERFLOW) != 0:
                    over = int(1)
                    verdict = int(OVERFLOWED)
                    branches.approach_steps[world] = NO_APPROACH
                if over == 1:
                    write_result(w, out, world, verdict, steps)
                    running = int(0)

    @_kernel("branch" + suffix, module)
    def branch(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        recording: Recording,
        branches: Branches,
        queue: wp.array(dtype=int),
        last: int,
    ) -> None:
        w = lane_view(world_template, lanes, lanes.first + wp.tid())
        world = int(0)
        working = int(1)
        running = int(0)
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                position = wp.atomic_add(queue, 0, 1)
                if position >= last:
                    working = int(0)
                else:
                    world = branches.order[position]
            if working == 1 and running == 0:
                running = int(1)
                approach_step = branches.approach_steps[world]
                if approach_step == AT_START:
                    populate(w, batch, world, 0)
                    find_first_contacts(w)
                    if wp.static(has_begin):
                        begin_world(w)
                else:
                    first = populate(w, batch, world, 1)
                    scene = recording.slot_of[batch.scene_of[world]]
                    merge(w, recording, scene, approach_step - 1, first, branches.added, world)
            step_world(w, settings, running)
            if running == 1:
                over, verdict, steps = judge(w, settings, SKIP_REST | SKIP_UNDECIDED)
                if over == 1:
                    write_result(w, out, world, verdict, steps)
                    running = int(0)

    return Kernels(roll_out, record, approach, branch)
