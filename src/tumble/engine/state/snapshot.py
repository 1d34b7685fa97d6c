"""Snapshots of worlds: some of a world's dynamic bodies with their fat AABBs, and its contacts from old to new."""

import warp as wp

from tumble.engine.state.layout import (
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    BODY_VECS,
    CONTACT_COUNT,
    CONTACT_INTS,
    CONTACT_VECS,
    CREATED_STEP,
    FAT_AABB,
    MAX_CONTACTS,
    ORDER_I,
    SHAPE_A,
    SHAPE_B,
)
from tumble.engine.state.memory import read_int, read_vec, write_int, write_vec
from tumble.engine.state.world import (
    World,
    body_int,
    body_vec,
    chunk_int,
    contact_int,
    contact_vec,
    dynamic_body,
    get_int,
    mark_overflow,
    ordered_contact,
    set_body_int,
    set_body_vec,
    set_contact_int,
    set_contact_vec,
    set_int,
    set_shape_vec,
    shape_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class SnapshotStore:
    """Room for snapshots, each of at most this many bodies, shapes and contacts.

    vec4 of each snapshot: bodies [bodies, BODY_VECS], fat AABBs [shapes], contacts [contacts, CONTACT_VECS];
    int: number of contacts, flags [bodies], contacts [contacts, CONTACT_INTS].
    """

    bodies: int
    shapes: int
    contacts: int
    vecs: wp.uint64  # addresses
    ints: wp.uint64


def vecs_per_snapshot(bodies: int, shapes: int, contacts: int) -> int:
    """The vec4s of a snapshot."""
    return bodies * BODY_VECS + shapes + contacts * CONTACT_VECS


def ints_per_snapshot(bodies: int, contacts: int) -> int:
    """The ints of a snapshot."""
    return 1 + bodies + contacts * CONTACT_INTS


@wp.func(inline=False)
def save_snapshot(w: World, store: SnapshotStore, index: int, first: int, last: int) -> None:
    """Saves the dynamic bodies from the first-th up to the last-th, and all contacts."""
    count = get_int(w, CONTACT_COUNT)
    if count > store.contacts:
        mark_overflow(w)
        return
    v = index * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = index * (1 + store.bodies + store.contacts * CONTACT_INTS)
    write_int(store.ints, i, 0, count)
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = dynamic_body(w, k)
        for field in range(BODY_VECS):
            write_vec(store.vecs, v, (k - first) * BODY_VECS + field, body_vec(w, body, field))
        write_int(store.ints, i, 1 + k - first, body_int(w, body, BODY_FLAGS))
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            write_vec(store.vecs, box, 0, shape_vec(w, shape, FAT_AABB))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(count):
        contact = ordered_contact(w, k)
        for field in range(CONTACT_VECS):
            write_vec(store.vecs, v, k * CONTACT_VECS + field, contact_vec(w, contact, field))
        for field in range(CONTACT_INTS):
            write_int(store.ints, i, k * CONTACT_INTS + field, contact_int(w, contact, field))


@wp.func
def is_older(w: World, contact: int, other: int) -> bool:
    """Whether a contact was created before another: in an earlier step, or for an earlier pair of shapes."""
    created = contact_int(w, contact, CREATED_STEP)
    other_created = contact_int(w, other, CREATED_STEP)
    if created != other_created:
        return created < other_created
    low = wp.min(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_low = wp.min(contact_int(w, other, SHAPE_A), contact_int(w, other, SHAPE_B))
    if low != other_low:
        return low < other_low
    high = wp.max(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_high = wp.max(contact_int(w, other, SHAPE_A), contact_int(w, other, SHAPE_B))
    return high < other_high


@wp.func(inline=False)
def load_snapshot(w: World, store: SnapshotStore, index: int, first: int, last: int) -> None:
    """Restores saved bodies; their contacts are merged with those that the world has, by age."""
    v = index * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = index * (1 + store.bodies + store.contacts * CONTACT_INTS)
    incoming = read_int(store.ints, i, 0)
    present = get_int(w, CONTACT_COUNT)
    if present + incoming > chunk_int(w, MAX_CONTACTS):
        mark_overflow(w)
        return
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = dynamic_body(w, k)
        for field in range(BODY_VECS):
            set_body_vec(w, body, field, read_vec(store.vecs, v, (k - first) * BODY_VECS + field))
        set_body_int(w, body, BODY_FLAGS, read_int(store.ints, i, 1 + k - first))
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            set_shape_vec(w, shape, FAT_AABB, read_vec(store.vecs, box, 0))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(incoming):
        contact = ordered_contact(w, present + k)
        for field in range(CONTACT_VECS):
            set_contact_vec(w, contact, field, read_vec(store.vecs, v, k * CONTACT_VECS + field))
        for field in range(CONTACT_INTS):
            set_contact_int(w, contact, field, read_int(store.ints, i, k * CONTACT_INTS + field))
        at = present + k
        while at > k:
            before = ordered_contact(w, at - 1)
            if is_older(w, before, contact):
                break
            set_int(w, chunk_int(w, ORDER_I) + at, before)
            at = at - 1
        set_int(w, chunk_int(w, ORDER_I) + at, contact)
    set_int(w, CONTACT_COUNT, present + incoming)
