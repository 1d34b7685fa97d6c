"""How a world begins in its lane and what follows each of its steps, for each way to roll worlds out.

- `roll_out` rolls worlds out.
- `record`, `approach` and `branch` do so for variants that share their scene's past (`shared_past.py`): `record` rolls
  scenes out and records every state; `approach` rolls out the bodies that variants add, alone, until they come near
  those of the scene; `branch` rolls out, from there on, the worlds in which they do.

Of each, `start` takes the index in the queue, builds the world and returns 1, or 0 where there is nothing to step;
`finish` returns 1 if the world goes on. `decide` and `end` do the same, where they are given: `decide` says whether the
world is over, and `end` is called only then, since a CPU copies the structs that it takes. Kernels around them are in
`kernels.py` and `phased_kernels.py`; all are inlined there.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import warp as wp

from tumble.engine.dynamics.islands import StepSettings
from tumble.engine.rollout.lanes import (
    OVERFLOWED,
    Batch,
    Output,
    find_first_contacts,
    populate,
    write_frame,
    write_result,
)
from tumble.engine.rollout.snapshots import (
    AT_START,
    NO_APPROACH,
    Branches,
    Recording,
    Resume,
    begin_sweep,
    came_near,
    load_checkpoint,
    merge,
    next_approach,
    record_bodies,
    record_scratch,
    save_checkpoint,
    save_snapshot,
)
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    DYNAMIC_COUNT,
    FIRST_STEP,
    MAX_EVENTS,
    MOVING,
    OVERFLOW,
    SCENE_DYNAMICS,
    STEP,
    WORLD_INDEX,
)
from tumble.engine.state.world import World, chunk_int, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

SKIP_REST = 1
"""Steps in which all bodies sleep need not be made."""
SKIP_UNDECIDED = 2
"""Steps that can no longer decide the world need not be made."""


@wp.struct
class Past:
    """What worlds start from, and what is kept of them; each way to roll out uses its part."""

    resume: Resume
    recording: Recording
    branches: Branches


@dataclass(frozen=True)
class Lifecycle:
    """The Warp functions of a way to roll worlds out."""

    name: str
    start: Any
    finish: Any
    decide: Any = None
    end: Any = None


@cache
def build_lifecycles(
    rule: Any, settled: Any, too_late: Any, begin: Any, resumable: bool, shares_past: bool
) -> tuple[Lifecycle, ...]:
    """Those for a rule's functions: of `roll_out` and, where variants can share their past, of the other three."""
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

    @wp.func(inline=True)
    def start_roll_out(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past, position: int) -> int:
        populate(w, batch, position, 0)
        fresh = int(1)
        if wp.static(resumable):
            if past.resume.has_start != 0:
                fresh = int(0)
                load_checkpoint(w, past.resume.start, past.resume.start_of[position])
        if fresh == 1:
            find_first_contacts(w)
        if wp.static(has_begin):
            begin_world(w)
        if out.stride > 0:
            write_frame(w, out, position)
        if settings.max_steps == 0:
            if wp.static(resumable):
                if past.resume.saves_end != 0:
                    save_checkpoint(w, past.resume.end, position)
            fits = int(0)
            if get_int(w, OVERFLOW) != 0:
                fits = int(OVERFLOWED)
            write_result(w, out, position, fits, get_int(w, STEP))
            return 0
        return 1

    @wp.func(inline=True)
    def decide_roll_out(w: World, settings: StepSettings, stride: int) -> tuple[int, int, int]:
        may_skip = int(SKIP_REST | SKIP_UNDECIDED)
        if chunk_int(w, MAX_EVENTS) > 0:
            may_skip = int(SKIP_REST)
        if stride > 0:
            may_skip = int(0)
        over, verdict, steps = judge(w, settings, may_skip)
        return over, verdict, steps

    @wp.func(inline=True)
    def end_roll_out(w: World, out: Output, past: Past, verdict: int, steps: int) -> None:
        world = get_int(w, WORLD_INDEX)
        if wp.static(resumable):
            if past.resume.saves_end != 0:
                save_checkpoint(w, past.resume.end, world)
        write_result(w, out, world, verdict, steps)

    @wp.func(inline=True)
    def finish_roll_out(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past) -> int:
        if out.stride > 0:
            write_frame(w, out, get_int(w, WORLD_INDEX))
        over, verdict, steps = decide_roll_out(w, settings, out.stride)
        if over == 1:
            end_roll_out(w, out, past, verdict, steps)
        return 1 - over

    @wp.func(inline=True)
    def start_record(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past, position: int) -> int:
        populate(w, batch, position, 0)
        find_first_contacts(w)
        if wp.static(has_begin):
            begin_world(w)
        record_bodies(w, past.recording, position)
        record_scratch(w, past.recording, position)
        begin_sweep(w, 0)
        return 1

    @wp.func(inline=True)
    def finish_record(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past) -> int:
        scene = get_int(w, WORLD_INDEX)
        over, verdict, steps = judge(w, settings, SKIP_UNDECIDED)
        if get_int(w, MOVING) == 1:
            record_bodies(w, past.recording, scene)
        record_scratch(w, past.recording, scene)
        if get_int(w, OVERFLOW) != 0:  # of the recording
            over = int(1)
            verdict = int(OVERFLOWED)
        if over == 1:
            past.recording.decided_steps[scene] = get_int(w, STEP)
            write_result(w, out, scene, verdict, steps)
        else:
            begin_sweep(w, 0)
        return 1 - over

    @wp.func(inline=True)
    def start_approach(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past, position: int) -> int:
        scene = past.recording.slot_of[batch.scene_of[position]]
        first = populate(w, batch, position, 1)
        find_first_contacts(w)
        if came_near(w, past.recording, scene, 0, first):
            past.branches.approach_steps[position] = AT_START
            return 0
        save_snapshot(w, past.branches.added, position, first, get_int(w, DYNAMIC_COUNT))
        begin_sweep(w, first)
        return 1

    @wp.func(inline=True)
    def finish_approach(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past) -> int:
        world = get_int(w, WORLD_INDEX)
        first = get_int(w, SCENE_DYNAMICS)
        scene = past.recording.slot_of[batch.scene_of[world]]
        over = int(0)
        verdict = int(0)
        steps = get_int(w, STEP)
        approach_step = int(NO_APPROACH)
        if came_near(w, past.recording, scene, steps, first):
            approach_step = steps
        else:  # the world may have to branch off after any step: the added bodies are saved as they are before it
            save_snapshot(w, past.branches.added, world, first, get_int(w, DYNAMIC_COUNT))
            if get_int(w, ALL_ASLEEP) == 1 or steps >= past.recording.decided_steps[scene]:
                over = int(1)
                approach_step = next_approach(w, past.recording, scene, first)
                verdict = int(past.recording.verdicts[scene])
                steps = past.recording.end_steps[scene]
        if approach_step > 0:
            over = int(1)
            past.branches.approach_steps[world] = approach_step
        if get_int(w, OVERFLOW) != 0:
            over = int(1)
            verdict = int(OVERFLOWED)
            past.branches.approach_steps[world] = NO_APPROACH
        if over == 1:
            write_result(w, out, world, verdict, steps)
        else:
            begin_sweep(w, first)
        return 1 - over

    @wp.func(inline=True)
    def start_branch(w: World, batch: Batch, settings: StepSettings, out: Output, past: Past, position: int) -> int:
        world = past.branches.order[position]
        approach_step = past.branches.approach_steps[world]
        first = populate(w, batch, world, wp.where(approach_step == AT_START, 0, 1))
        if approach_step == AT_START:
            find_first_contacts(w)
            if wp.static(has_begin):
                begin_world(w)
        else:
            scene = past.recording.slot_of[batch.scene_of[world]]
            merge(w, past.recording, scene, approach_step - 1, first, past.branches.added, world)
        return 1

    decides = (decide_roll_out, end_roll_out)
    roll_out = Lifecycle("roll_out", start_roll_out, finish_roll_out, *decides)
    if not shares_past:
        return (roll_out,)
    return (
        roll_out,
        Lifecycle("record", start_record, finish_record),
        Lifecycle("approach", start_approach, finish_approach),
        Lifecycle("branch", start_branch, finish_roll_out, *decides),
    )
