"""What contacts tell the outside: begin and end events, how fast bodies met, and the impulse passed on in a step."""

import warp as wp

from tumble.engine.collision.manifold import world_manifold
from tumble.engine.state.layout import (
    AXIS,
    BEGIN,
    BODY_A,
    BODY_B,
    CONTACT_FLAGS,
    DEF_SURFACE,
    END,
    EVENT,
    EVENT_AT,
    EVENT_BODY_A,
    EVENT_BODY_B,
    EVENT_FORCE,
    EVENT_INTS,
    EVENT_KIND,
    EVENT_STEP,
    EVENT_VECS,
    EVENTS,
    FIRST_EVENT,
    KIND_MASK,
    KIND_SHIFT,
    PLACE,
    POINT_COUNT,
    POINTS,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    STEP,
    SURFACE,
    SWEEP,
    VELOCITY,
    World,
    body_vec,
    contact_int,
    contact_vec,
    get,
    overflow,
    put,
    put_contact_int,
    put_contact_vec,
    shape_def_vec,
    shape_int,
)
from tumble.engine.state.memory import read_int, read_vec, write_int, write_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def contact_geometry(w: World, contact: int) -> tuple[wp.vec2, wp.vec2]:
    """The normal from A to B and the middle of the manifold points, in world coordinates."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    n, p1, p2 = world_manifold(
        (flags >> KIND_SHIFT) & KIND_MASK,
        contact_vec(w, contact, AXIS),
        contact_vec(w, contact, POINTS),
        body_vec(w, contact_int(w, contact, BODY_A), PLACE),
        shape_def_vec(w, def_a, DEF_SURFACE)[0],
        body_vec(w, contact_int(w, contact, BODY_B), PLACE),
        shape_def_vec(w, def_b, DEF_SURFACE)[0],
    )
    p = p1
    if (flags & POINT_COUNT) == 2:
        p = wp.vec2(0.5 * (p1[0] + p2[0]), 0.5 * (p1[1] + p2[1]))
    return n, p


@wp.func
def approach_speed(w: World, contact: int, n: wp.vec2, p: wp.vec2) -> float:
    """How fast the two bodies come together at a point, along the normal."""
    body_a = contact_int(w, contact, BODY_A)
    body_b = contact_int(w, contact, BODY_B)
    ca = body_vec(w, body_a, SWEEP)
    cb = body_vec(w, body_b, SWEEP)
    va = body_vec(w, body_a, VELOCITY)
    vb = body_vec(w, body_b, VELOCITY)
    dx = (vb[0] - vb[2] * (p[1] - cb[1])) - (va[0] - va[2] * (p[1] - ca[1]))
    dy = (vb[1] + vb[2] * (p[0] - cb[0])) - (va[1] + va[2] * (p[0] - ca[0]))
    return -(dx * n[0] + dy * n[1])


@wp.func
def write_event(w: World, contact: int, kind: int, at: wp.vec4, force: wp.vec4) -> int:
    """Appends an event to the world's list and returns its place there."""
    count = get(w, EVENTS)
    if count == w.events:
        overflow(w)
        return -1
    put(w, EVENTS, count + 1)
    event = get(w, FIRST_EVENT) + count
    write_int(w.events_i, event * EVENT_INTS, EVENT_KIND, 1, kind)
    write_int(w.events_i, event * EVENT_INTS, EVENT_BODY_A, 1, contact_int(w, contact, BODY_A))
    write_int(w.events_i, event * EVENT_INTS, EVENT_BODY_B, 1, contact_int(w, contact, BODY_B))
    write_int(w.events_i, event * EVENT_INTS, EVENT_STEP, 1, get(w, STEP))
    write_vec(w.events_v, event * EVENT_VECS, EVENT_AT, 1, at)
    write_vec(w.events_v, event * EVENT_VECS, EVENT_FORCE, 1, force)
    return event


@wp.func
def note_meeting(w: World, contact: int) -> None:
    """Keeps how fast two bodies met in this step, for a rule: the speed of their centres against each other.

    It is positive if A was the faster along that velocity, negative if B was.
    """
    va = body_vec(w, contact_int(w, contact, BODY_A), VELOCITY)
    vb = body_vec(w, contact_int(w, contact, BODY_B), VELOCITY)
    dx = vb[0] - va[0]
    dy = vb[1] - va[1]
    speed = wp.sqrt(dx * dx + dy * dy)
    s = contact_vec(w, contact, SURFACE)
    if speed > wp.abs(s[3]):
        if wp.abs(vb[0] * dx + vb[1] * dy) > wp.abs(va[0] * dx + va[1] * dy):
            speed = -speed
        put_contact_vec(w, contact, SURFACE, wp.vec4(s[0], s[1], s[2], speed))


@wp.func(inline=False)
def contact_began(w: World, contact: int) -> None:
    if w.track != 0:
        note_meeting(w, contact)
    if w.events != 0:
        n, p = contact_geometry(w, contact)
        speed = approach_speed(w, contact, n, p)
        event = write_event(w, contact, BEGIN, wp.vec4(p[0], p[1], n[0], n[1]), wp.vec4(speed, 0.0, 0.0, 0.0))
        put_contact_int(w, contact, EVENT, event)


@wp.func(inline=False)
def contact_ended(w: World, contact: int) -> None:
    """Writes an end event: where the bodies touched last, and the impulse that passed since the contact began."""
    if w.events != 0:
        began = contact_int(w, contact, EVENT)
        n, p = contact_geometry(w, contact)
        speed = approach_speed(w, contact, n, p)
        total = float(0.0)
        if began >= 0:
            total = read_vec(w.events_v, began * EVENT_VECS, EVENT_FORCE, 1)[2]
        write_event(w, contact, END, wp.vec4(p[0], p[1], n[0], n[1]), wp.vec4(speed, total, 0.0, 0.0))
        put_contact_int(w, contact, EVENT, -1)


@wp.func(inline=False)
def impulse_passed(w: World, contact: int, impulse: float) -> None:
    """Counts a normal impulse towards this step's sum of the contact, and towards its begin event."""
    s = contact_vec(w, contact, SURFACE)
    put_contact_vec(w, contact, SURFACE, wp.vec4(s[0], s[1], s[2] + impulse, s[3]))
    if w.events != 0:
        event = contact_int(w, contact, EVENT)
        if event >= 0:
            force = read_vec(w.events_v, event * EVENT_VECS, EVENT_FORCE, 1)
            first = force[1]
            if read_int(w.events_i, event * EVENT_INTS, EVENT_STEP, 1) == get(w, STEP):
                first = first + impulse
            write_vec(
                w.events_v,
                event * EVENT_VECS,
                EVENT_FORCE,
                1,
                wp.vec4(force[0], first, force[2] + impulse, 0.0),
            )
