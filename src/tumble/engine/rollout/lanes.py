"""Worlds in their lanes: how lanes lie in memory, how a world is built, and what is written for the host.

A world consists of the bodies of its scene, moved or added to as the batch says, and their first contacts. Verdicts,
frames and counts are written.
"""

import warp as wp

from tumble.engine.collision.broad_phase import mark_moved, place_body
from tumble.engine.collision.contacts import create_contacts
from tumble.engine.state.bodies import centre_pose, transform_of, velocity_of
from tumble.engine.state.layout import (
    AWAKE,
    BODY_COUNT,
    BODY_DEF,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    DEF_FIRST_SHAPE,
    DEF_FLAGS,
    DEF_SHAPES,
    DYNAMIC,
    DYNAMIC_COUNT,
    DYNAMICS_I,
    EVENT_COUNT,
    FIRST_EVENT,
    FIRST_STEP,
    GRAVITY_V,
    HEADER_INTS,
    MAX_CONTACTS,
    MAX_EVENTS,
    ORDER_I,
    OUTPUT_COUNT,
    OUTPUTS_I,
    PRESENT,
    SCENE_DYNAMICS,
    SHAPE_BODY,
    SHAPE_COUNT,
    SHAPE_DEF,
    STEP,
    WORLD_INDEX,
)
from tumble.engine.state.world import (
    World,
    body_def_int,
    body_int,
    chunk_int,
    dynamic_body,
    get_int,
    set_body_int,
    set_int,
    set_shape_int,
    set_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

NO_CHANGE = -2
"""As the target of a change: no change."""
ADD = -1
"""As the target of a change: a body added after those of the scene."""

SCENE_INTS = 2
SCENE_FIRST_BODY, SCENE_BODIES = range(SCENE_INTS)
START_INTS = 2
START_BODY_DEF, START_DORMANT = range(START_INTS)
CHANGE_INTS = 2
CHANGE_TARGET, CHANGE_BODY_DEF = range(CHANGE_INTS)
START_VECS = 2
START_POSE, START_VELOCITY = range(START_VECS)


@wp.struct
class Batch:
    """The worlds to roll out: the scene of each, and what it changes of it."""

    scene_of: wp.array(dtype=int)  # [worlds]
    scene_ints: wp.array(dtype=int)  # [scenes, SCENE_INTS]: first body, number of bodies
    scene_gravity: wp.array(dtype=wp.vec4)  # [scenes]
    body_ints: wp.array(dtype=int)  # [bodies, START_INTS]: definition, 1 if dormant
    body_vecs: wp.array(dtype=wp.vec4)  # [bodies, START_VECS]: origin x, y, angle; velocity x, y, angular
    changes: int  # of each world
    change_ints: wp.array(dtype=int)  # [worlds, changes, CHANGE_INTS]: target body, definition
    change_vecs: wp.array(dtype=wp.vec4)  # [worlds, changes, START_VECS], as of a body


@wp.func
def place(w: World, body: int, vecs: wp.array(dtype=wp.vec4), row: int) -> None:
    """Places a body as a row of `body_vecs` or `change_vecs` says."""
    pose = vecs[row * START_VECS + START_POSE]
    velocity = vecs[row * START_VECS + START_VELOCITY]
    place_body(w, body, wp.vec2(pose[0], pose[1]), pose[2], wp.vec2(velocity[0], velocity[1]), velocity[2])


@wp.func(inline=False)
def append_body(w: World, body_def: int, vecs: wp.array(dtype=wp.vec4), row: int, dormant: int) -> None:
    """Adds a body after the last one."""
    body = get_int(w, BODY_COUNT)
    shapes = get_int(w, SHAPE_COUNT)
    count = body_def_int(w, body_def, DEF_SHAPES)
    flags = body_def_int(w, body_def, DEF_FLAGS)
    if dormant == 0:
        flags = flags | AWAKE | PRESENT
    set_int(w, BODY_COUNT, body + 1)
    set_int(w, SHAPE_COUNT, shapes + count)
    set_body_int(w, body, BODY_FLAGS, flags)
    set_body_int(w, body, BODY_DEF, body_def)
    set_body_int(w, body, BODY_FIRST_SHAPE, shapes)
    set_body_int(w, body, BODY_SHAPES, count)
    first_def = body_def_int(w, body_def, DEF_FIRST_SHAPE)
    for k in range(count):
        set_shape_int(w, shapes + k, SHAPE_BODY, body)
        set_shape_int(w, shapes + k, SHAPE_DEF, first_def + k)
    place(w, body, vecs, row)
    if (flags & DYNAMIC) != 0:
        dynamics = get_int(w, DYNAMIC_COUNT)
        set_int(w, chunk_int(w, DYNAMICS_I) + dynamics, body)
        set_int(w, DYNAMIC_COUNT, dynamics + 1)


@wp.func(inline=False)
def populate(w: World, batch: Batch, world: int, scene_dormant: int) -> int:
    """Builds a world of the batch in a lane and returns the number of dynamic bodies of its scene.

    With `scene_dormant`, these are absent.
    """
    for k in range(HEADER_INTS):
        set_int(w, k, 0)
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        set_int(w, chunk_int(w, OUTPUTS_I) + k, 0)
    set_int(w, WORLD_INDEX, world)
    set_int(w, FIRST_EVENT, world * chunk_int(w, MAX_EVENTS))
    for k in range(chunk_int(w, MAX_CONTACTS)):
        set_int(w, chunk_int(w, ORDER_I) + k, k)
    scene = batch.scene_of[world]
    set_vec(w, chunk_int(w, GRAVITY_V), batch.scene_gravity[scene])
    first = batch.scene_ints[scene * SCENE_INTS + SCENE_FIRST_BODY]
    for row in range(first, first + batch.scene_ints[scene * SCENE_INTS + SCENE_BODIES]):
        body_def = batch.body_ints[row * START_INTS + START_BODY_DEF]
        dormant = batch.body_ints[row * START_INTS + START_DORMANT]
        if scene_dormant == 1 and (body_def_int(w, body_def, DEF_FLAGS) & DYNAMIC) != 0:
            dormant = int(1)
        append_body(w, body_def, batch.body_vecs, row, dormant)
    scene_dynamics = get_int(w, DYNAMIC_COUNT)
    set_int(w, SCENE_DYNAMICS, scene_dynamics)
    for change in range(world * batch.changes, (world + 1) * batch.changes):
        target = batch.change_ints[change * CHANGE_INTS + CHANGE_TARGET]
        if target == ADD:
            added_def = batch.change_ints[change * CHANGE_INTS + CHANGE_BODY_DEF]
            append_body(w, added_def, batch.change_vecs, change, 0)
        elif target >= 0:
            place(w, target, batch.change_vecs, change)
    return scene_dynamics


@wp.func(inline=False)
def find_first_contacts(w: World) -> None:
    """Creates the contacts of a world just built."""
    for k in range(get_int(w, DYNAMIC_COUNT)):
        body = dynamic_body(w, k)
        first = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
            mark_moved(w, shape)
    create_contacts(w)


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
