"""The kernel that rolls worlds out. Each lane takes the next world of the batch until none is left.

One loop goes over steps, not one loop over worlds with another over steps inside: neighbouring lanes of a GPU then
never wait for each other's worlds.
"""

from functools import cache
from typing import Any

import warp as wp

from tumble.engine.dynamics.step import Stepping, step_world
from tumble.engine.dynamics.teamwork import any_lane
from tumble.engine.rollout.past import (
    Branches,
    Past,
    begin_cover,
    came_near,
    first_approach,
    merge,
    record_memory,
    record_state,
)
from tumble.engine.rollout.populate import Batch, find_first_contacts, populate
from tumble.engine.rollout.resume import Resume, put_aside, put_back
from tumble.engine.state.layout import (
    BODIES,
    BODY_FLAGS,
    DYNAMICS,
    EVENTS,
    FIRST_STEP,
    OVERFLOW,
    PLACE,
    PRESENT,
    STEP,
    STILL,
    SWEEP,
    VELOCITY,
    World,
    body_int,
    body_vec,
    get,
    set_regions,
)
from tumble.engine.state.snapshot import save_state

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

COMPILER_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False}
GPU_REGISTERS = 128
"""Few enough for blocks of 512 lanes; more lanes that keep pace are worth more than more registers."""
OVERFLOWED = -1
"""As a verdict: the world did not fit its lane."""


@wp.struct
class Lanes:
    """How lanes lie in the state arrays: side by side, `side_by_side` of them, or each contiguous where that is 0."""

    first: int
    side_by_side: int
    vecs: int
    ints: int


@wp.struct
class Output:
    """Where a rollout writes, per world."""

    verdicts: wp.array(dtype=wp.int8)
    steps: wp.array(dtype=int)
    event_counts: wp.array(dtype=int)
    notes: wp.array(dtype=int)
    stride: int  # every so many steps a frame is kept; 0 for none
    frames: int
    bodies: int
    poses: wp.array(dtype=wp.vec3)
    velocities: wp.array(dtype=wp.vec3)
    want_velocities: int


@wp.func
def lane_view(world: World, lanes: Lanes, lane: int) -> World:
    """The world that lies in a lane."""
    if lanes.side_by_side == 0:
        world.first_v = lane * lanes.vecs
        world.first_i = lane * lanes.ints
        world.stride = 1
    else:
        world.first_v = lane
        world.first_i = lane
        world.stride = lanes.side_by_side
    return set_regions(world)


@wp.func(inline=False)
def keep_frame(w: World, out: Output, number: int) -> None:
    """Keeps poses, and velocities where wanted, each time a multiple of the stride has passed since the beginning."""
    step = get(w, STEP) - get(w, FIRST_STEP)
    if step % out.stride == 0:
        first = (number * out.frames + step // out.stride) * out.bodies
        for body in range(get(w, BODIES)):
            if (body_int(w, body, BODY_FLAGS) & PRESENT) != 0:
                place = body_vec(w, body, PLACE)
                out.poses[first + body] = wp.vec3(place[0], place[1], body_vec(w, body, SWEEP)[2])
                if out.want_velocities != 0:
                    v = body_vec(w, body, VELOCITY)
                    out.velocities[first + body] = wp.vec3(v[0], v[1], v[2])


@wp.func(inline=False)
def finish(w: World, out: Output, number: int, verdict: int, steps: int) -> None:
    out.verdicts[number] = wp.int8(verdict)
    out.steps[number] = steps
    if w.events > 0:
        out.event_counts[number] = get(w, EVENTS)
    for k in range(w.notes):
        out.notes[number * w.notes + k] = get(w, w.notes_i + k)


PLAIN = 0
RECORD = 1
SCOUT = 2
JOIN = 3
AT_START = -1
"""As the step of approach: the world's added bodies are near those of its scene from the start."""


@cache
def kernel_for(rule: Any, settled: Any, begin: Any = None, resumable: bool = False) -> Any:
    """The kernel for a rule's functions; it is compiled at its first launch and kept on disk by Warp.

    In mode PLAIN it rolls worlds out. The other modes share the past of variants (see `past.py`): RECORD rolls scenes
    out and keeps every state; SCOUT rolls out the bodies that variants add, alone, until they come near those of the
    scene; JOIN rolls out, from there on, the worlds in which they do.
    """
    has_settled = settled is not None
    decide_settled = settled if has_settled else rule
    has_begin = begin is not None
    begin_world = begin if has_begin else rule

    @wp.func
    def judge(w: World, stepping: Stepping, may_skip: int) -> tuple[int, int, int]:
        """Whether the rollout is over after this step, with which verdict, and after how many steps."""
        verdict = rule(w)
        steps = get(w, STEP)
        over = int(0)
        if verdict != 0 or steps - get(w, FIRST_STEP) >= stepping.max_steps:
            over = int(1)
        elif wp.static(has_settled):
            if get(w, STILL) == 1 and may_skip == 1:
                verdict, steps = decide_settled(w, stepping.max_steps)
                over = int(1)
        return over, verdict, steps

    @wp.kernel(
        module="unique",
        enable_backward=False,
        module_options=COMPILER_OPTIONS,
        cuda_max_registers=GPU_REGISTERS,
    )
    def roll_out(
        world: World,
        lanes: Lanes,
        batch: Batch,
        stepping: Stepping,
        out: Output,
        mode: int,
        past: Past,
        branches: Branches,
        resume: Resume,
        queue: wp.array(dtype=int),
        last: int,
    ) -> None:
        w = lane_view(world, lanes, lanes.first + wp.tid())
        may_skip = int(1)
        if out.stride > 0 or mode == RECORD:
            may_skip = int(0)
        number = int(0)
        working = int(1)  # 0 once no world is left for this lane
        running = int(0)  # 1 while its world is under way
        scene = int(0)
        first = int(0)  # of the added bodies among the dynamic ones
        while any_lane(working) != 0:
            if working == 1 and running == 0:
                number = wp.atomic_add(queue, 0, 1)
                if number >= last:
                    working = int(0)
            if working == 1 and running == 0:
                running = int(1)
                alone = int(0)
                if mode == JOIN:
                    number = branches.waiting[number]
                if mode == SCOUT or mode == JOIN:
                    scene = past.slots[batch.scene_of[number]]
                    if branches.approaches[number] != AT_START:
                        alone = int(1)
                first = populate(w, batch, number, alone)
                fresh = int(1)
                if wp.static(resumable):
                    if resume.starts != 0:
                        fresh = int(0)
                        put_back(w, resume.start, resume.start_of[number])
                if mode == JOIN and alone == 1:
                    merge(w, past, scene, branches.approaches[number] - 1, first, branches.kept, number)
                elif fresh == 1:
                    find_first_contacts(w)
                if wp.static(has_begin):
                    begin_world(w)
                if out.stride > 0:
                    keep_frame(w, out, number)
                if mode == RECORD:
                    record_state(w, past, number)
                    record_memory(w, past, number)
                if mode == SCOUT:
                    if came_near(w, past, scene, 0, first):
                        branches.approaches[number] = AT_START
                        running = int(0)
                if stepping.max_steps == 0:
                    finish(w, out, number, 0, 0)
                    running = int(0)
            if mode == SCOUT and running == 1:
                save_state(w, branches.kept, number, first, get(w, DYNAMICS))
                begin_cover(w, first)
            if mode == RECORD and running == 1:
                begin_cover(w, 0)
            moving = get(w, STILL) == 0
            step_world(w, stepping, running)
            if running == 1:
                over = int(0)
                verdict = int(0)
                steps = get(w, STEP)
                if mode == SCOUT:
                    approach = int(0)
                    if came_near(w, past, scene, steps, first):
                        approach = steps
                    elif get(w, STILL) == 1 or steps >= past.ends[scene]:
                        over = int(1)
                        save_state(w, branches.kept, number, first, get(w, DYNAMICS))
                        approach = first_approach(w, past, scene, first)
                        verdict = int(past.verdicts[scene])
                        steps = past.ends[scene]
                    if approach > 0:
                        over = int(1)
                        branches.approaches[number] = approach
                else:
                    if out.stride > 0:
                        keep_frame(w, out, number)
                    over, verdict, steps = judge(w, stepping, may_skip)
                    if mode == RECORD:
                        if moving:
                            record_state(w, past, number)
                        record_memory(w, past, number)
                if get(w, OVERFLOW) != 0:
                    over = int(1)
                    verdict = int(OVERFLOWED)
                    if mode == SCOUT:
                        branches.approaches[number] = 0
                if over == 1:
                    if wp.static(resumable):
                        if resume.keeps != 0:
                            put_aside(w, resume.kept, number)
                    finish(w, out, number, verdict, steps)
                    running = int(0)

    return roll_out
