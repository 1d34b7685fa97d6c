"""What a rule can change in its world, inside the kernel and between two steps."""

import warp as wp

from tumble.engine.collision.broad_phase import note_moved
from tumble.engine.collision.contacts import drop_contact, make_contacts
from tumble.engine.rollout.populate import hide_box, put_pose
from tumble.engine.state.bodies import wake
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACTS,
    DEF_MASS,
    DYNAMIC,
    PRESENT,
    STILL,
    SWEEP,
    VELOCITY,
    World,
    body_def_vec,
    body_int,
    body_vec,
    contact_int,
    get,
    put,
    put_body_int,
    put_body_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def remove_body(w: World, body: int) -> None:
    """Takes a body out of the world; what it touched wakes up."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & PRESENT) != 0:
        at = get(w, CONTACTS) - 1
        while at >= 0:
            contact = get(w, w.order_i + at)
            if contact_int(w, contact, BODY_A) == body or contact_int(w, contact, BODY_B) == body:
                drop_contact(w, at)
            at = at - 1
        put_body_int(w, body, BODY_FLAGS, flags & (~(PRESENT | AWAKE)))
        first = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
            hide_box(w, shape)
        put(w, STILL, 0)


@wp.func
def add_body(w: World, body: int, x: float, y: float, angle: float, vx: float, vy: float, turn: float) -> None:
    """Brings a dormant or removed body into the world, its origin at (x, y); it keeps its place in the order."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & PRESENT) == 0:
        put_body_int(w, body, BODY_FLAGS, flags | PRESENT | AWAKE)
        put_pose(w, body, wp.vec4(x, y, angle, 0.0), wp.vec4(vx, vy, turn, 0.0))
        first = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
            note_moved(w, shape)
        make_contacts(w)
        put(w, STILL, 0)


@wp.func
def set_velocity(w: World, body: int, vx: float, vy: float, turn: float) -> None:
    """Gives a dynamic body a velocity and wakes it."""
    if (body_int(w, body, BODY_FLAGS) & (DYNAMIC | PRESENT)) == (DYNAMIC | PRESENT):
        wake(w, body)
        put_body_vec(w, body, VELOCITY, wp.vec4(vx, vy, turn, body_vec(w, body, VELOCITY)[3]))
        put(w, STILL, 0)


@wp.func
def apply_impulse(w: World, body: int, px: float, py: float, x: float, y: float) -> None:
    """Pushes a dynamic body with an impulse in kg m/s at a point of the world, and wakes it."""
    v = body_vec(w, body, VELOCITY)
    c = body_vec(w, body, SWEEP)
    mass = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MASS)
    turn = mass[1] * ((x - c[0]) * py - (y - c[1]) * px)
    set_velocity(w, body, v[0] + mass[0] * px, v[1] + mass[0] * py, v[2] + turn)
