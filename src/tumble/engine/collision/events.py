"""What contacts report: begin and end events, the speed of hits, and the impulse of a step."""

import warp as wp

from tumble.engine.collision.manifold_points import world_manifold
from tumble.engine.math.vectors import length, midpoint
from tumble.engine.state.bodies import centre_pose, transform_of, velocity_of
from tumble.engine.state.contacts import contact_radii, contact_surface, manifold_of, set_contact_surface
from tumble.engine.state.layout import (
    BEGIN,
    BEGIN_EVENT,
    BODY_A,
    BODY_B,
    END,
    EVENT_BODY_A,
    EVENT_BODY_B,
    EVENT_COUNT,
    EVENT_GEOMETRY,
    EVENT_INTS,
    EVENT_INTS_AT,
    EVENT_KIND,
    EVENT_STEP,
    EVENT_STRENGTH,
    EVENT_VECS,
    EVENT_VECS_AT,
    FIRST_EVENT,
    MAX_EVENTS,
    STEP,
    TRACK_IMPULSES,
)
from tumble.engine.state.memory import read_int, read_vec, write_int, write_vec
from tumble.engine.state.world import (
    World,
    chunk_address,
    chunk_int,
    contact_int,
    get_int,
    mark_overflow,
    set_contact_int,
    set_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class EventStrength:
    """How hard two bodies met."""

    approach_speed: float
    impulse: float  # of a begin event: in that step; of an end event: since its begin
    total_impulse: float  # of a begin event: since then


@wp.func
def event_strength(w: World, event: int) -> EventStrength:
    v = read_vec(chunk_address(w, EVENT_VECS_AT), event * EVENT_VECS, EVENT_STRENGTH)
    return EventStrength(v[0], v[1], v[2])


@wp.func
def set_event_strength(w: World, event: int, s: EventStrength) -> None:
    strength = wp.vec4(s.approach_speed, s.impulse, s.total_impulse, 0.0)
    write_vec(chunk_address(w, EVENT_VECS_AT), event * EVENT_VECS, EVENT_STRENGTH, strength)


@wp.func
def contact_geometry(w: World, contact: int) -> tuple[wp.vec2, wp.vec2]:
    """The normal from A to B and the middle of the manifold points, in world coordinates."""
    m = manifold_of(w, contact)
    radius_a, radius_b = contact_radii(w, contact)
    transform_a = transform_of(w, contact_int(w, contact, BODY_A))
    transform_b = transform_of(w, contact_int(w, contact, BODY_B))
    n, p1, p2 = world_manifold(m, transform_a, radius_a, transform_b, radius_b)
    p = p1
    if m.count == 2:
        p = midpoint(p1, p2)
    return n, p


@wp.func
def approach_speed(w: World, contact: int, n: wp.vec2, p: wp.vec2) -> float:
    """How fast two bodies approach at a point, along the normal: -dot(n, (vb + wb x rb) - (va + wa x ra))."""
    body_a = contact_int(w, contact, BODY_A)
    body_b = contact_int(w, contact, BODY_B)
    ra = p - centre_pose(w, body_a).position
    rb = p - centre_pose(w, body_b).position
    va = velocity_of(w, body_a)
    vb = velocity_of(w, body_b)
    dx = (vb.linear[0] - vb.angular * rb[1]) - (va.linear[0] - va.angular * ra[1])
    dy = (vb.linear[1] + vb.angular * rb[0]) - (va.linear[1] + va.angular * ra[0])
    return -(dx * n[0] + dy * n[1])


@wp.func
def write_event(w: World, contact: int, kind: int, n: wp.vec2, p: wp.vec2, strength: EventStrength) -> int:
    """Appends an event to the world's events and returns its index."""
    count = get_int(w, EVENT_COUNT)
    if count == chunk_int(w, MAX_EVENTS):
        mark_overflow(w)
        return -1
    set_int(w, EVENT_COUNT, count + 1)
    event = get_int(w, FIRST_EVENT) + count
    write_int(chunk_address(w, EVENT_INTS_AT), event * EVENT_INTS, EVENT_KIND, kind)
    write_int(chunk_address(w, EVENT_INTS_AT), event * EVENT_INTS, EVENT_BODY_A, contact_int(w, contact, BODY_A))
    write_int(chunk_address(w, EVENT_INTS_AT), event * EVENT_INTS, EVENT_BODY_B, contact_int(w, contact, BODY_B))
    write_int(chunk_address(w, EVENT_INTS_AT), event * EVENT_INTS, EVENT_STEP, get_int(w, STEP))
    write_vec(chunk_address(w, EVENT_VECS_AT), event * EVENT_VECS, EVENT_GEOMETRY, wp.vec4(p[0], p[1], n[0], n[1]))
    set_event_strength(w, event, strength)
    return event


@wp.func
def record_hit(w: World, contact: int) -> None:
    """Stores the speed at which two bodies met in this step, for a rule: that of their centres, |vb - va|.

    It is positive if A was the faster along that velocity, negative if B was.
    """
    va = velocity_of(w, contact_int(w, contact, BODY_A)).linear
    vb = velocity_of(w, contact_int(w, contact, BODY_B)).linear
    d = vb - va
    speed = length(d)
    surface = contact_surface(w, contact)
    if speed > wp.abs(surface.hit_speed):
        if wp.abs(wp.dot(vb, d)) > wp.abs(wp.dot(va, d)):
            speed = -speed
        surface.hit_speed = speed
        set_contact_surface(w, contact, surface)


@wp.func(inline=False)
def contact_began(w: World, contact: int) -> None:
    """Stores the speed of the hit and writes a begin event, where these are wanted."""
    if chunk_int(w, TRACK_IMPULSES) != 0:
        record_hit(w, contact)
    if chunk_int(w, MAX_EVENTS) != 0:
        n, p = contact_geometry(w, contact)
        strength = EventStrength(approach_speed(w, contact, n, p), 0.0, 0.0)
        set_contact_int(w, contact, BEGIN_EVENT, write_event(w, contact, BEGIN, n, p, strength))


@wp.func(inline=False)
def contact_ended(w: World, contact: int) -> None:
    """Writes an end event: where the bodies touched last, and the impulse since the contact began."""
    if chunk_int(w, MAX_EVENTS) != 0:
        begin = contact_int(w, contact, BEGIN_EVENT)
        n, p = contact_geometry(w, contact)
        speed = approach_speed(w, contact, n, p)
        total = float(0.0)
        if begin >= 0:
            total = event_strength(w, begin).total_impulse
        write_event(w, contact, END, n, p, EventStrength(speed, total, 0.0))
        set_contact_int(w, contact, BEGIN_EVENT, -1)


@wp.func
def add_impulse(w: World, contact: int, impulse: float) -> None:
    """Adds a normal impulse to the contact's sum of this step, and to its begin event."""
    surface = contact_surface(w, contact)
    surface.step_impulse = surface.step_impulse + impulse
    set_contact_surface(w, contact, surface)
    if chunk_int(w, MAX_EVENTS) != 0:
        event = contact_int(w, contact, BEGIN_EVENT)
        if event >= 0:
            strength = event_strength(w, event)
            if read_int(chunk_address(w, EVENT_INTS_AT), event * EVENT_INTS, EVENT_STEP) == get_int(w, STEP):
                strength.impulse = strength.impulse + impulse
            strength.total_impulse = strength.total_impulse + impulse
            set_event_strength(w, event, strength)
