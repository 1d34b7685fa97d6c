"""Fills a lane with a world: the bodies of its scene, moved or added to as the batch says, and their first contacts."""

import warp as wp

from tumble.engine.collision.broad_phase import note_moved, place_box
from tumble.engine.collision.contacts import make_contacts
from tumble.engine.math.constants import HUGE
from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import to_world
from tumble.engine.state.layout import (
    AWAKE,
    BODIES,
    BODY_DEF,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    COVERED,
    DEF_FIRST_SHAPE,
    DEF_FLAGS,
    DEF_MASS,
    DEF_SHAPES,
    DYNAMIC,
    DYNAMICS,
    FAT,
    FIRST_EVENT,
    HEADER_INTS,
    PLACE,
    PLACE0,
    PRESENT,
    ROUND,
    SHAPE_BODY,
    SHAPE_DEF,
    SHAPES,
    SWEEP,
    SWEEP0,
    VELOCITY,
    WORLD,
    World,
    body_def_int,
    body_def_vec,
    body_int,
    get,
    put,
    put_body_int,
    put_body_vec,
    put_shape_int,
    put_shape_vec,
    put_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

NEVER = -2
"""As the target of a change: no change."""
ADD = -1
"""As the target of a change: a body added after those of the scene."""


@wp.struct
class Batch:
    """The worlds to roll out: the scene of each, and what it changes of it."""

    scene_of: wp.array(dtype=int)
    scenes_i: wp.array(dtype=int)  # of each scene: first body, number of bodies
    scenes_v: wp.array(dtype=wp.vec4)  # of each scene: gravity
    bodies_i: wp.array(dtype=int)  # of each body: definition, 1 if dormant
    bodies_v: wp.array(dtype=wp.vec4)  # of each body: position x, y, angle; velocity x, y, turn
    changes: int  # how many each world has
    changes_i: wp.array(dtype=int)  # of each change: target body, definition
    changes_v: wp.array(dtype=wp.vec4)  # as of a body


@wp.func(inline=False)
def put_pose(w: World, body: int, pose: wp.vec4, velocity: wp.vec4) -> None:
    """Places a body with its origin at (x, y), its boxes around it."""
    body_def = body_int(w, body, BODY_DEF)
    flags = body_int(w, body, BODY_FLAGS)
    mass = body_def_vec(w, body_def, DEF_MASS)
    place = wp.vec4(pose[0], pose[1], 0.0, 1.0)
    if (flags & ROUND) == 0:
        sine, cosine = sine_cosine(pose[2])
        place = wp.vec4(pose[0], pose[1], sine, cosine)
    c = to_world(place, wp.vec2(mass[2], mass[3]))
    put_body_vec(w, body, SWEEP0, wp.vec4(c[0], c[1], pose[2], 0.0))
    put_body_vec(w, body, SWEEP, wp.vec4(c[0], c[1], pose[2], 0.0))
    put_body_vec(w, body, PLACE0, place)
    put_body_vec(w, body, PLACE, place)
    if (flags & DYNAMIC) != 0:
        put_body_vec(w, body, VELOCITY, wp.vec4(velocity[0], velocity[1], velocity[2], 0.0))
    else:
        put_body_vec(w, body, VELOCITY, wp.vec4(0.0, 0.0, 0.0, 0.0))
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        if (flags & PRESENT) != 0:
            place_box(w, shape, place)
        else:
            hide_box(w, shape)


@wp.func
def hide_box(w: World, shape: int) -> None:
    """Gives a shape a box that meets no other."""
    nowhere = wp.vec4(HUGE, HUGE, -HUGE, -HUGE)
    put_shape_vec(w, shape, FAT, nowhere)
    put_shape_vec(w, shape, COVERED, nowhere)


@wp.func(inline=False)
def append_body(w: World, body_def: int, pose: wp.vec4, velocity: wp.vec4, dormant: int) -> None:
    """Adds a body after the last one."""
    body = get(w, BODIES)
    shapes = get(w, SHAPES)
    count = body_def_int(w, body_def, DEF_SHAPES)
    flags = body_def_int(w, body_def, DEF_FLAGS)
    if dormant == 0:
        flags = flags | AWAKE | PRESENT
    put(w, BODIES, body + 1)
    put(w, SHAPES, shapes + count)
    put_body_int(w, body, BODY_FLAGS, flags)
    put_body_int(w, body, BODY_DEF, body_def)
    put_body_int(w, body, BODY_FIRST_SHAPE, shapes)
    put_body_int(w, body, BODY_SHAPES, count)
    first_def = body_def_int(w, body_def, DEF_FIRST_SHAPE)
    for k in range(count):
        put_shape_int(w, shapes + k, SHAPE_BODY, body)
        put_shape_int(w, shapes + k, SHAPE_DEF, first_def + k)
    put_pose(w, body, pose, velocity)
    if (flags & DYNAMIC) != 0:
        dynamics = get(w, DYNAMICS)
        put(w, w.dynamics_i + dynamics, body)
        put(w, DYNAMICS, dynamics + 1)


@wp.func(inline=False)
def populate(w: World, batch: Batch, number: int, alone: int) -> int:
    """Builds world `number` of the batch in a lane and returns how many dynamic bodies its scene has.

    With `alone`, these stay away for now.
    """
    for k in range(HEADER_INTS):
        put(w, k, 0)
    for k in range(w.notes):
        put(w, w.notes_i + k, 0)
    put(w, WORLD, number)
    put(w, FIRST_EVENT, number * w.events)
    for k in range(w.contacts):
        put(w, w.order_i + k, k)
    scene = batch.scene_of[number]
    put_vec(w, w.gravity_v, batch.scenes_v[scene])
    first = batch.scenes_i[scene * 2]
    for body in range(first, first + batch.scenes_i[scene * 2 + 1]):
        body_def = batch.bodies_i[body * 2]
        dormant = batch.bodies_i[body * 2 + 1]
        if alone == 1 and (body_def_int(w, body_def, DEF_FLAGS) & DYNAMIC) != 0:
            dormant = int(1)
        append_body(w, body_def, batch.bodies_v[body * 2], batch.bodies_v[body * 2 + 1], dormant)
    of_scene = get(w, DYNAMICS)
    for k in range(number * batch.changes, (number + 1) * batch.changes):
        target = batch.changes_i[k * 2]
        if target == ADD:
            append_body(w, batch.changes_i[k * 2 + 1], batch.changes_v[k * 2], batch.changes_v[k * 2 + 1], 0)
        elif target >= 0:
            put_pose(w, target, batch.changes_v[k * 2], batch.changes_v[k * 2 + 1])
    return of_scene


@wp.func(inline=False)
def find_first_contacts(w: World) -> None:
    """Makes the contacts of a world just built."""
    for k in range(get(w, DYNAMICS)):
        body = get(w, w.dynamics_i + k)
        first = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
            note_moved(w, shape)
    make_contacts(w)
