"""Lanes of the state arrays, and what a kernel writes for the host: verdicts, frames and counts."""

import warp as wp

from tumble.engine.state.bodies import centre_pose, transform_of, velocity_of
from tumble.engine.state.layout import (
    BODY_COUNT,
    BODY_FLAGS,
    EVENT_COUNT,
    FIRST_STEP,
    MAX_EVENTS,
    OUTPUT_COUNT,
    OUTPUTS_I,
    PRESENT,
    STEP,
)
from tumble.engine.state.world import World, body_int, chunk_int, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

VEC_BYTES = wp.uint64(16)
INT_BYTES = wp.uint64(4)
OVERFLOWED = -1
"""As a verdict: the world did not fit its lane."""


@wp.struct
class Lanes:
    """How lanes lie in the state arrays."""

    first: int  # the lane that lane 0 of a kernel is
    vecs: int  # of a lane
    ints: int


@wp.struct
class Output:
    """Where a rollout writes its results."""

    verdicts: wp.array(dtype=wp.int8)  # [worlds]
    steps: wp.array(dtype=int)  # [worlds]
    event_counts: wp.array(dtype=int)  # [worlds]
    output_ints: wp.array(dtype=int)  # [worlds, output_ints]
    stride: int  # steps from frame to frame; 0 for no frames
    frames: int  # of each world
    bodies: int
    poses: wp.array(dtype=wp.vec3)  # [worlds, frames, bodies]: origin x, y; angle
    velocities: wp.array(dtype=wp.vec3)  # [worlds, frames, bodies]: x, y, angular
    want_velocities: int


@wp.func
def lane_view(world: World, lanes: Lanes, lane: int, tile: int) -> World:
    """The world that lies in a lane, where the items of `tile` lanes are interleaved; 1 for contiguous lanes.

    Neighbouring threads of a GPU read whole lines of its cache if their lanes are interleaved. Addresses are simpler if
    the number is known when kernels are compiled.
    """
    number = lanes.first + lane
    within = number % tile
    first = wp.uint64(number - within)
    world.vecs = world.vecs + VEC_BYTES * (first * wp.uint64(lanes.vecs) + wp.uint64(within))
    world.ints = world.ints + INT_BYTES * (first * wp.uint64(lanes.ints) + wp.uint64(within))
    world.stride = tile
    return world


@wp.func(inline=False)
def write_frame(w: World, out: Output, world: int) -> None:
    """Writes poses, and velocities where wanted, each time a multiple of the stride has passed since the start."""
    step = get_int(w, STEP) - get_int(w, FIRST_STEP)
    if step % out.stride == 0:
        first = (world * out.frames + step // out.stride) * out.bodies
        for body in range(get_int(w, BODY_COUNT)):
            if (body_int(w, body, BODY_FLAGS) & PRESENT) != 0:
                origin = transform_of(w, body).position
                out.poses[first + body] = wp.vec3(origin[0], origin[1], centre_pose(w, body).angle)
                if out.want_velocities != 0:
                    v = velocity_of(w, body)
                    out.velocities[first + body] = wp.vec3(v.linear[0], v.linear[1], v.angular)


@wp.func(inline=False)
def write_result(w: World, out: Output, world: int, verdict: int, steps: int) -> None:
    out.verdicts[world] = wp.int8(verdict)
    out.steps[world] = steps
    if chunk_int(w, MAX_EVENTS) > 0:
        out.event_counts[world] = get_int(w, EVENT_COUNT)
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        out.output_ints[world * chunk_int(w, OUTPUT_COUNT) + k] = get_int(w, chunk_int(w, OUTPUTS_I) + k)
