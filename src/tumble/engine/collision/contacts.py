"""The life of a contact: made when two fat boxes meet, refreshed in every step, gone when the boxes part.

Contacts live in slots; `order` lists the used slots from oldest to newest, then the free ones. Newest first is the
order in which they are refreshed and searched, and so part of the physics.
"""

import warp as wp

from tumble.engine.collision.broad_phase import boxes_meet, find_pairs
from tumble.engine.collision.events import contact_began, contact_ended
from tumble.engine.collision.manifold import collide_circles, collide_polygon_circle, collide_polygons
from tumble.engine.state.bodies import wake
from tumble.engine.state.layout import (
    AWAKE,
    AXIS,
    BIRTH,
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONTACT_FLAGS,
    CONTACTS,
    DEF_FIRST_VERTEX,
    DEF_MIDDLE,
    DEF_SURFACE,
    DEF_VERTICES,
    DYNAMIC,
    ENABLED,
    EVENT,
    FAT,
    IMPACTS,
    IMPULSES,
    KEY_1,
    KEY_2,
    KIND_SHIFT,
    KINDS_SHIFT,
    PAIRS,
    PLACE,
    POINT_COUNT,
    POINTS,
    SHAPE_A,
    SHAPE_B,
    SHAPE_BODY,
    SHAPE_DEF,
    STEP,
    SURFACE,
    TOUCHES,
    TOUCHING,
    World,
    body_int,
    body_vec,
    contact_int,
    contact_vec,
    get,
    overflow,
    put,
    put_contact_int,
    put_contact_vec,
    shape_def_int,
    shape_def_vec,
    shape_int,
    shape_vec,
)
from tumble.engine.state.memory import constant_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

AWAKE_DYNAMIC = AWAKE | DYNAMIC


@wp.func
def is_active(flags: int) -> bool:
    return (flags & AWAKE_DYNAMIC) == AWAKE_DYNAMIC


@wp.func(inline=False)
def make_contact(w: World, low: int, high: int) -> None:
    """Makes a contact between two shapes; of a polygon and a circle the polygon comes first."""
    count = get(w, CONTACTS)
    if count == w.contacts:
        overflow(w)
        return
    a = low
    b = high
    def_a = shape_int(w, a, SHAPE_DEF)
    def_b = shape_int(w, b, SHAPE_DEF)
    a_round = shape_def_int(w, def_a, DEF_VERTICES) == 0
    b_round = shape_def_int(w, def_b, DEF_VERTICES) == 0
    kinds = int(2)
    if a_round and b_round:
        kinds = int(0)
    elif a_round:
        kinds = int(1)
        a = high
        b = low
    elif b_round:
        kinds = int(1)
    contact = get(w, w.order_i + count)
    put(w, CONTACTS, count + 1)
    body_a = shape_int(w, a, SHAPE_BODY)
    body_b = shape_int(w, b, SHAPE_BODY)
    put_contact_int(w, contact, SHAPE_A, a)
    put_contact_int(w, contact, SHAPE_B, b)
    put_contact_int(w, contact, BODY_A, body_a)
    put_contact_int(w, contact, BODY_B, body_b)
    put_contact_int(w, contact, CONTACT_FLAGS, ENABLED | (kinds << KINDS_SHIFT))
    put_contact_int(w, contact, KEY_1, 0)
    put_contact_int(w, contact, KEY_2, 0)
    put_contact_int(w, contact, BIRTH, get(w, STEP))
    put_contact_int(w, contact, IMPACTS, 0)
    put_contact_int(w, contact, EVENT, -1)
    surface_a = shape_def_vec(w, def_a, DEF_SURFACE)
    surface_b = shape_def_vec(w, def_b, DEF_SURFACE)
    restitution = surface_a[2]
    if surface_b[2] > restitution:
        restitution = surface_b[2]
    put_contact_vec(w, contact, SURFACE, wp.vec4(wp.sqrt(surface_a[1] * surface_b[1]), restitution, 0.0, 0.0))
    put_contact_vec(w, contact, IMPULSES, wp.vec4(0.0, 0.0, 0.0, 0.0))
    wake(w, body_a)
    wake(w, body_b)


@wp.func
def make_contacts(w: World) -> None:
    """Makes a contact for each pair of shapes that newly came near."""
    find_pairs(w)
    for k in range(get(w, PAIRS)):
        key = get(w, w.pairs_i + k)
        make_contact(w, key // w.shapes, key % w.shapes)


@wp.func
def drop_contact(w: World, at: int) -> None:
    """Ends the contact at a place of the order; bodies that touched are woken."""
    contact = get(w, w.order_i + at)
    flags = contact_int(w, contact, CONTACT_FLAGS)
    if (flags & TOUCHING) != 0:
        contact_ended(w, contact)
    if (flags & POINT_COUNT) != 0:
        wake(w, contact_int(w, contact, BODY_A))
        wake(w, contact_int(w, contact, BODY_B))
    last = get(w, CONTACTS) - 1
    for k in range(at, last):
        put(w, w.order_i + k, get(w, w.order_i + k + 1))
    put(w, w.order_i + last, contact)
    put(w, CONTACTS, last)


@wp.func
def refresh(w: World, contact: int) -> bool:
    """Finds where the two shapes touch now; points that persist keep their impulses. Returns whether they touch."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    body_a = contact_int(w, contact, BODY_A)
    body_b = contact_int(w, contact, BODY_B)
    place_a = body_vec(w, body_a, PLACE)
    place_b = body_vec(w, body_b, PLACE)
    radius = shape_def_vec(w, def_a, DEF_SURFACE)[0] + shape_def_vec(w, def_b, DEF_SURFACE)[0]
    kinds = flags >> KINDS_SHIFT

    count = int(0)
    kind = int(0)
    axis = wp.vec4(0.0, 0.0, 0.0, 0.0)
    points = wp.vec4(0.0, 0.0, 0.0, 0.0)
    key_1 = int(0)
    key_2 = int(0)
    if kinds == 2:
        middle_a = shape_def_vec(w, def_a, DEF_MIDDLE)
        middle_b = shape_def_vec(w, def_b, DEF_MIDDLE)
        count, kind, axis, points, key_1, key_2 = collide_polygons(
            w.pack_v,
            shape_def_int(w, def_a, DEF_FIRST_VERTEX),
            shape_def_int(w, def_a, DEF_VERTICES),
            place_a,
            wp.vec2(middle_a[0], middle_a[1]),
            shape_def_int(w, def_b, DEF_FIRST_VERTEX),
            shape_def_int(w, def_b, DEF_VERTICES),
            place_b,
            wp.vec2(middle_b[0], middle_b[1]),
            radius,
        )
    else:
        c = constant_vec(w.pack_v, shape_def_int(w, def_b, DEF_FIRST_VERTEX))
        centre_b = wp.vec2(c[0], c[1])
        if kinds == 1:
            count, kind, axis, points, key_1, key_2 = collide_polygon_circle(
                w.pack_v,
                shape_def_int(w, def_a, DEF_FIRST_VERTEX),
                shape_def_int(w, def_a, DEF_VERTICES),
                place_a,
                centre_b,
                place_b,
                radius,
            )
        else:
            ca = constant_vec(w.pack_v, shape_def_int(w, def_a, DEF_FIRST_VERTEX))
            count, kind, axis, points, key_1, key_2 = collide_circles(
                wp.vec2(ca[0], ca[1]), place_a, centre_b, place_b, radius
            )

    old_count = flags & POINT_COUNT
    if count > 0:
        fresh = wp.vec4(0.0, 0.0, 0.0, 0.0)
        if old_count > 0:
            old = contact_vec(w, contact, IMPULSES)
            old_1 = contact_int(w, contact, KEY_1)
            old_2 = contact_int(w, contact, KEY_2)
            if key_1 == old_1:
                fresh = wp.vec4(old[0], old[1], 0.0, 0.0)
            elif old_count == 2 and key_1 == old_2:
                fresh = wp.vec4(old[2], old[3], 0.0, 0.0)
            if count == 2:
                if key_2 == old_1:
                    fresh = wp.vec4(fresh[0], fresh[1], old[0], old[1])
                elif old_count == 2 and key_2 == old_2:
                    fresh = wp.vec4(fresh[0], fresh[1], old[2], old[3])
        put_contact_vec(w, contact, AXIS, axis)
        put_contact_vec(w, contact, POINTS, points)
        put_contact_vec(w, contact, IMPULSES, fresh)
        put_contact_int(w, contact, KEY_1, key_1)
        put_contact_int(w, contact, KEY_2, key_2)

    touched = (flags & TOUCHING) != 0
    if touched and count == 0:
        contact_ended(w, contact)  # while the contact still says where it was
    rest = (flags & (~(POINT_COUNT | (3 << KIND_SHIFT) | TOUCHING))) | ENABLED
    if count > 0:
        put_contact_int(w, contact, CONTACT_FLAGS, rest | count | (kind << KIND_SHIFT) | TOUCHING)
    else:
        put_contact_int(w, contact, CONTACT_FLAGS, rest)
    if touched != (count > 0):
        wake(w, body_a)
        wake(w, body_b)
        if count > 0:
            contact_began(w, contact)
    return count > 0


@wp.func
def refresh_contacts(w: World) -> None:
    """Refreshes all contacts of awake bodies, newest first, drops those whose boxes parted, lists those that touch."""
    touches = int(0)
    at = get(w, CONTACTS) - 1
    while at >= 0:
        contact = get(w, w.order_i + at)
        # a body woken on the way counts as awake for the contacts that follow
        flags_a = body_int(w, contact_int(w, contact, BODY_A), BODY_FLAGS)
        flags_b = body_int(w, contact_int(w, contact, BODY_B), BODY_FLAGS)
        touching = (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) != 0
        if is_active(flags_a) or is_active(flags_b):
            fat_a = shape_vec(w, contact_int(w, contact, SHAPE_A), FAT)
            fat_b = shape_vec(w, contact_int(w, contact, SHAPE_B), FAT)
            if boxes_meet(fat_a, fat_b):
                touching = refresh(w, contact)
            else:
                drop_contact(w, at)
                touching = False
        if touching:
            put(w, w.touch_i + touches, contact)
            touches = touches + 1
        at = at - 1
    put(w, TOUCHES, touches)
