"""The kernel that rolls worlds out: each lane takes the next world of the batch until none is left."""

from functools import lru_cache
from typing import Any

import warp as wp

from tumble.engine.populate import Batch, find_first_contacts, populate
from tumble.engine.state import (
    BODIES,
    BODY_FLAGS,
    EVENTS,
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
from tumble.engine.step import Stepping, step_world

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

COMPILER_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False}
OVERFLOWED = -1
"""As a verdict: the world did not fit its lane."""


@wp.struct
class Output:
    """Where a rollout writes: per world of the chunk that begins at `first`."""

    first: int
    verdicts: wp.array(dtype=wp.int8)
    steps: wp.array(dtype=int)
    event_counts: wp.array(dtype=int)
    stride: int  # every so many steps a frame is kept; 0 for none
    frames: int
    bodies: int
    poses: wp.array(dtype=wp.vec3)
    velocities: wp.array(dtype=wp.vec3)
    want_velocities: int


@wp.func
def lane_view(world: World, lane: int, vecs: int, ints: int, lanes: int) -> World:
    """The world of a lane; `lanes` is 0 where each lane lies contiguous."""
    if lanes == 0:
        world.first_v = lane * vecs
        world.first_i = lane * ints
        world.stride = 1
    else:
        world.first_v = lane
        world.first_i = lane
        world.stride = lanes
    return set_regions(world)


@wp.func
def keep_frame(w: World, out: Output, number: int):
    """Keeps poses, and velocities where wanted, at steps that are multiples of the stride."""
    if out.stride > 0:
        step = get(w, STEP)
        if step % out.stride == 0:
            first = ((number - out.first) * out.frames + step // out.stride) * out.bodies
            for body in range(get(w, BODIES)):
                if (body_int(w, body, BODY_FLAGS) & PRESENT) != 0:
                    place = body_vec(w, body, PLACE)
                    out.poses[first + body] = wp.vec3(place[0], place[1], body_vec(w, body, SWEEP)[2])
                    if out.want_velocities != 0:
                        v = body_vec(w, body, VELOCITY)
                        out.velocities[first + body] = wp.vec3(v[0], v[1], v[2])


@wp.func
def finish(w: World, out: Output, number: int, verdict: int, steps: int):
    at = number - out.first
    out.verdicts[at] = wp.int8(verdict)
    out.steps[at] = steps
    if w.events > 0:
        out.event_counts[at] = get(w, EVENTS)


@lru_cache(maxsize=None)
def rollout_kernel(rule: Any, settled: Any) -> Any:
    """The kernel for a rule's two functions; compiled at its first launch and kept on disk by Warp."""
    has_settled = settled is not None
    decide_settled = settled if has_settled else rule

    @wp.kernel(module="unique", enable_backward=False, module_options=COMPILER_OPTIONS)
    def roll_out(
        world: World,
        lane: int,
        vecs: int,
        ints: int,
        lanes: int,
        batch: Batch,
        stepping: Stepping,
        out: Output,
        queue: wp.array(dtype=int),
        last: int,
    ):
        w = lane_view(world, lane + wp.tid(), vecs, ints, lanes)
        number = int(0)
        busy = int(0)
        # one loop over steps, not one per world: neighbouring GPU lanes then never wait for each other's worlds
        while True:
            if busy == 0:
                number = wp.atomic_add(queue, 0, 1)
                if number >= last:
                    break
                populate(w, batch, number, out.first)
                find_first_contacts(w)
                keep_frame(w, out, number)
                busy = int(1)
            step_world(w, stepping)
            keep_frame(w, out, number)
            verdict = rule(w)
            steps = get(w, STEP)
            if get(w, OVERFLOW) != 0:
                verdict = int(OVERFLOWED)
                busy = int(0)
            elif verdict != 0 or steps >= stepping.max_steps:
                busy = int(0)
            elif wp.static(has_settled):
                if get(w, STILL) == 1 and out.stride == 0:
                    verdict, steps = decide_settled(w, stepping.max_steps)
                    busy = int(0)
            if busy == 0:
                finish(w, out, number, verdict, steps)

    return roll_out
