"""The life cycle of a contact: made when two fat AABBs overlap, updated every step, destroyed when they part.

Contacts live in slots; `order` lists the used slots from oldest to newest, then the free ones. Newest first is the
order in which they are updated and searched, and so part of the physics. They report begin and end events, the speed
of hits, and the impulse of a step.
"""

import warp as wp

from tumble.engine.collision.broad_phase import find_new_pairs
from tumble.engine.collision.manifold import collide_circles, collide_polygon_circle, collide_polygons, world_manifold
from tumble.engine.state.bodies import (
    centre_pose,
    centroid_of,
    fat_aabb,
    is_active,
    is_circle,
    outline_of,
    surface_of,
    transform_of,
    velocity_of,
    vertex_position,
    wake,
)
from tumble.engine.state.contacts import (
    ContactSurface,
    Impulses,
    Manifold,
    contact_radii,
    contact_surface,
    impulses_of,
    manifold_of,
    set_contact_surface,
    set_impulses,
    set_manifold_geometry,
)
from tumble.engine.state.geometry import aabbs_overlap, length, midpoint
from tumble.engine.state.layout import (
    BEGIN,
    BEGIN_EVENT,
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CIRCLE_CIRCLE,
    CONTACT_COUNT,
    CONTACT_FLAGS,
    CREATED_STEP,
    ENABLED,
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
    FEATURES_1,
    FEATURES_2,
    FIRST_EVENT,
    MANIFOLD_MASK,
    MANIFOLD_SHIFT,
    MAX_CONTACTS,
    MAX_EVENTS,
    MAX_SHAPES,
    MOVED_COUNT,
    ORDER_I,
    PAIR_COUNT,
    PAIR_SHIFT,
    PAIRS_I,
    POINT_COUNT,
    POLYGON_CIRCLE,
    POLYGON_POLYGON,
    SHAPE_A,
    SHAPE_B,
    SHAPE_BODY,
    SHAPE_DEF,
    STEP,
    TOI_COUNT,
    TOUCHING,
    TOUCHING_COUNT,
    TOUCHING_I,
    TRACK_IMPULSES,
)
from tumble.engine.state.native import read_int, read_vec, write_int, write_vec
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_address,
    chunk_int,
    contact_int,
    get_int,
    mark_overflow,
    ordered_contact,
    pack_vecs,
    set_contact_int,
    set_int,
    shape_int,
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


@wp.func
def mixed_surface(w: World, def_a: int, def_b: int) -> ContactSurface:
    """The surface of a contact of two shapes: friction is mixed as sqrt(a b), restitution as max(a, b)."""
    surface_a = surface_of(w, def_a)
    surface_b = surface_of(w, def_b)
    restitution = wp.max(surface_a.restitution, surface_b.restitution)
    friction = wp.sqrt(surface_a.friction * surface_b.friction)
    return ContactSurface(friction, restitution, 0.0, 0.0)


@wp.func(inline=False)
def create_contact(w: World, low: int, high: int) -> None:
    """Creates a contact between two shapes; of a polygon and a circle the polygon is A."""
    count = get_int(w, CONTACT_COUNT)
    if count == chunk_int(w, MAX_CONTACTS):
        mark_overflow(w)
        return
    a = low
    b = high
    def_a = shape_int(w, a, SHAPE_DEF)
    def_b = shape_int(w, b, SHAPE_DEF)
    a_round = is_circle(w, def_a)
    b_round = is_circle(w, def_b)
    pair = int(POLYGON_POLYGON)
    if a_round and b_round:
        pair = int(CIRCLE_CIRCLE)
    elif a_round:
        pair = int(POLYGON_CIRCLE)
        a = high
        b = low
    elif b_round:
        pair = int(POLYGON_CIRCLE)
    contact = ordered_contact(w, count)
    set_int(w, CONTACT_COUNT, count + 1)
    body_a = shape_int(w, a, SHAPE_BODY)
    body_b = shape_int(w, b, SHAPE_BODY)
    set_contact_int(w, contact, SHAPE_A, a)
    set_contact_int(w, contact, SHAPE_B, b)
    set_contact_int(w, contact, BODY_A, body_a)
    set_contact_int(w, contact, BODY_B, body_b)
    set_contact_int(w, contact, CONTACT_FLAGS, ENABLED | (pair << PAIR_SHIFT))
    set_contact_int(w, contact, FEATURES_1, 0)
    set_contact_int(w, contact, FEATURES_2, 0)
    set_contact_int(w, contact, CREATED_STEP, get_int(w, STEP))
    set_contact_int(w, contact, TOI_COUNT, 0)
    set_contact_int(w, contact, BEGIN_EVENT, -1)
    set_contact_surface(w, contact, mixed_surface(w, def_a, def_b))
    set_impulses(w, contact, Impulses(0.0, 0.0, 0.0, 0.0))
    wake(w, body_a)
    wake(w, body_b)


@wp.func
def create_contacts(w: World) -> None:
    """Creates a contact for each pair of shapes that newly came near."""
    if get_int(w, MOVED_COUNT) > 0:  # a call copies `World`
        create_contacts_of_moved(w)


@wp.func(inline=False)
def create_contacts_of_moved(w: World) -> None:
    find_new_pairs(w)
    k = int(0)
    while k < get_int(w, PAIR_COUNT):  # read anew in every turn, so that a compiler does not unroll this
        key = get_int(w, chunk_int(w, PAIRS_I) + k)
        create_contact(w, key // chunk_int(w, MAX_SHAPES), key % chunk_int(w, MAX_SHAPES))
        k = k + 1


@wp.func
def destroy_contact(w: World, at: int) -> None:
    """Destroys the at-th contact of the order; bodies that touched are woken."""
    contact = ordered_contact(w, at)
    flags = contact_int(w, contact, CONTACT_FLAGS)
    if (flags & TOUCHING) != 0:
        contact_ended(w, contact)
    if (flags & POINT_COUNT) != 0:
        wake(w, contact_int(w, contact, BODY_A))
        wake(w, contact_int(w, contact, BODY_B))
    last = get_int(w, CONTACT_COUNT) - 1
    for k in range(at, last):
        set_int(w, chunk_int(w, ORDER_I) + k, ordered_contact(w, k + 1))
    set_int(w, chunk_int(w, ORDER_I) + last, contact)
    set_int(w, CONTACT_COUNT, last)


@wp.func
def collide(w: World, contact: int) -> Manifold:
    """The manifold of a contact's shapes where they are now."""
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    transform_a = transform_of(w, contact_int(w, contact, BODY_A))
    transform_b = transform_of(w, contact_int(w, contact, BODY_B))
    radius = surface_of(w, def_a).radius + surface_of(w, def_b).radius
    outline_a = outline_of(w, def_a)
    outline_b = outline_of(w, def_b)
    pair = contact_int(w, contact, CONTACT_FLAGS) >> PAIR_SHIFT
    if pair == POLYGON_POLYGON:
        return collide_polygons(
            pack_vecs(w),
            outline_a,
            transform_a,
            centroid_of(w, def_a),
            outline_b,
            transform_b,
            centroid_of(w, def_b),
            radius,
        )
    centre_b = vertex_position(pack_vecs(w), outline_b.first)
    if pair == POLYGON_CIRCLE:
        return collide_polygon_circle(pack_vecs(w), outline_a, transform_a, centre_b, transform_b, radius)
    centre_a = vertex_position(pack_vecs(w), outline_a.first)
    return collide_circles(centre_a, transform_a, centre_b, transform_b, radius)


@wp.func
def carry_over_impulses(w: World, contact: int, old_count: int, m: Manifold) -> Impulses:
    """The impulses to start a new manifold with: those of the old points with the same features."""
    new = Impulses(0.0, 0.0, 0.0, 0.0)
    if old_count > 0:
        old = impulses_of(w, contact)
        old_1 = contact_int(w, contact, FEATURES_1)
        old_2 = contact_int(w, contact, FEATURES_2)
        if m.features_1 == old_1:
            new.normal_1 = old.normal_1
            new.tangent_1 = old.tangent_1
        elif old_count == 2 and m.features_1 == old_2:
            new.normal_1 = old.normal_2
            new.tangent_1 = old.tangent_2
        if m.count == 2:
            if m.features_2 == old_1:
                new.normal_2 = old.normal_1
                new.tangent_2 = old.tangent_1
            elif old_count == 2 and m.features_2 == old_2:
                new.normal_2 = old.normal_2
                new.tangent_2 = old.tangent_2
    return new


@wp.func
def update_contact(w: World, contact: int) -> bool:
    """Computes where the two shapes touch now; points that persist keep their impulses. Returns whether they touch."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    m = collide(w, contact)
    if m.count > 0:
        impulses = carry_over_impulses(w, contact, flags & POINT_COUNT, m)
        set_manifold_geometry(w, contact, m)
        set_impulses(w, contact, impulses)
        set_contact_int(w, contact, FEATURES_1, m.features_1)
        set_contact_int(w, contact, FEATURES_2, m.features_2)

    was_touching = (flags & TOUCHING) != 0
    if was_touching and m.count == 0:
        contact_ended(w, contact)  # before the flags lose the old manifold's kind
    kept = (flags & (~(POINT_COUNT | (MANIFOLD_MASK << MANIFOLD_SHIFT) | TOUCHING))) | ENABLED
    if m.count > 0:
        set_contact_int(w, contact, CONTACT_FLAGS, kept | m.count | (m.kind << MANIFOLD_SHIFT) | TOUCHING)
    else:
        set_contact_int(w, contact, CONTACT_FLAGS, kept)
    if was_touching != (m.count > 0):
        wake(w, contact_int(w, contact, BODY_A))
        wake(w, contact_int(w, contact, BODY_B))
        if m.count > 0:
            contact_began(w, contact)
    return m.count > 0


@wp.struct
class ContactLoop:
    """Where the loop over all contacts is."""

    at: int  # place in the order of contacts
    to_update: int  # the contact that is updated next, or -1
    touching: int  # contacts so far that touch


@wp.func
def update_contacts(w: World) -> None:
    """Updates all contacts of awake bodies, newest first, destroys those whose AABBs parted, lists those that touch."""
    loop = ContactLoop(get_int(w, CONTACT_COUNT) - 1, -1, 0)
    while loop.at >= 0:
        # neighbouring lanes of a GPU find a contact to update each, then update together
        loop.to_update = -1
        while loop.at >= 0 and loop.to_update < 0:
            contact = ordered_contact(w, loop.at)
            # a body woken on the way counts as awake for the contacts that follow
            flags_a = body_int(w, contact_int(w, contact, BODY_A), BODY_FLAGS)
            flags_b = body_int(w, contact_int(w, contact, BODY_B), BODY_FLAGS)
            if is_active(flags_a) or is_active(flags_b):
                fat_a = fat_aabb(w, contact_int(w, contact, SHAPE_A))
                fat_b = fat_aabb(w, contact_int(w, contact, SHAPE_B))
                if aabbs_overlap(fat_a, fat_b):
                    loop.to_update = contact
                else:
                    destroy_contact(w, loop.at)
            elif (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) != 0:
                set_int(w, chunk_int(w, TOUCHING_I) + loop.touching, contact)
                loop.touching = loop.touching + 1
            loop.at = loop.at - 1
        if loop.to_update >= 0:
            if update_contact(w, loop.to_update):
                set_int(w, chunk_int(w, TOUCHING_I) + loop.touching, loop.to_update)
                loop.touching = loop.touching + 1
    set_int(w, TOUCHING_COUNT, loop.touching)
