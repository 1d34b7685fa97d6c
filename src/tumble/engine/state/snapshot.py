"""States of worlds kept aside: some of a world's dynamic bodies with their boxes, and its contacts from old to new."""

import warp as wp

from tumble.engine.state.layout import (
    BIRTH,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    BODY_VECS,
    CONTACT_INTS,
    CONTACT_VECS,
    CONTACTS,
    FAT,
    SHAPE_A,
    SHAPE_B,
    World,
    body_int,
    body_vec,
    contact_int,
    contact_vec,
    get,
    overflow,
    put,
    put_body_int,
    put_body_vec,
    put_contact_int,
    put_contact_vec,
    put_shape_vec,
    shape_vec,
)
from tumble.engine.state.memory import read_int, read_vec, write_int, write_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Store:
    """Room for states, each of at most so many bodies, shapes and contacts."""

    bodies: int
    shapes: int
    contacts: int
    vecs: wp.uint64  # addresses; per state: bodies, boxes, contacts
    ints: wp.uint64  # per state: number of contacts, flags of the bodies, contacts


def vecs_per_state(bodies: int, shapes: int, contacts: int) -> int:
    return bodies * BODY_VECS + shapes + contacts * CONTACT_VECS


def ints_per_state(bodies: int, contacts: int) -> int:
    return 1 + bodies + contacts * CONTACT_INTS


@wp.func(inline=False)
def save_state(w: World, store: Store, state: int, first: int, last: int) -> None:
    """Keeps the dynamic bodies from the first-th up to the last-th, and all contacts."""
    count = get(w, CONTACTS)
    if count > store.contacts:
        overflow(w)
        return
    v = state * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = state * (1 + store.bodies + store.contacts * CONTACT_INTS)
    write_int(store.ints, i, 0, 1, count)
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = get(w, w.dynamics_i + k)
        for field in range(BODY_VECS):
            write_vec(store.vecs, v, (k - first) * BODY_VECS + field, 1, body_vec(w, body, field))
        write_int(store.ints, i, 1 + k - first, 1, body_int(w, body, BODY_FLAGS))
        shape_0 = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(shape_0, shape_0 + body_int(w, body, BODY_SHAPES)):
            write_vec(store.vecs, box, 0, 1, shape_vec(w, shape, FAT))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(count):
        contact = get(w, w.order_i + k)
        for field in range(CONTACT_VECS):
            write_vec(store.vecs, v, k * CONTACT_VECS + field, 1, contact_vec(w, contact, field))
        for field in range(CONTACT_INTS):
            write_int(store.ints, i, k * CONTACT_INTS + field, 1, contact_int(w, contact, field))


@wp.func
def older(w: World, contact: int, than: int) -> bool:
    """Whether a contact was made before another: in an earlier step, or for an earlier pair of shapes."""
    born = contact_int(w, contact, BIRTH)
    other_born = contact_int(w, than, BIRTH)
    if born != other_born:
        return born < other_born
    low = wp.min(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_low = wp.min(contact_int(w, than, SHAPE_A), contact_int(w, than, SHAPE_B))
    if low != other_low:
        return low < other_low
    high = wp.max(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_high = wp.max(contact_int(w, than, SHAPE_A), contact_int(w, than, SHAPE_B))
    return high < other_high


@wp.func(inline=False)
def load_state(w: World, store: Store, state: int, first: int, last: int) -> None:
    """Puts kept bodies back into a lane; their contacts join those that are there, by age."""
    v = state * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = state * (1 + store.bodies + store.contacts * CONTACT_INTS)
    incoming = read_int(store.ints, i, 0, 1)
    own = get(w, CONTACTS)
    if own + incoming > w.contacts:
        overflow(w)
        return
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = get(w, w.dynamics_i + k)
        for field in range(BODY_VECS):
            put_body_vec(w, body, field, read_vec(store.vecs, v, (k - first) * BODY_VECS + field, 1))
        put_body_int(w, body, BODY_FLAGS, read_int(store.ints, i, 1 + k - first, 1))
        shape_0 = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(shape_0, shape_0 + body_int(w, body, BODY_SHAPES)):
            put_shape_vec(w, shape, FAT, read_vec(store.vecs, box, 0, 1))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(incoming):
        contact = get(w, w.order_i + own + k)
        for field in range(CONTACT_VECS):
            put_contact_vec(w, contact, field, read_vec(store.vecs, v, k * CONTACT_VECS + field, 1))
        for field in range(CONTACT_INTS):
            put_contact_int(w, contact, field, read_int(store.ints, i, k * CONTACT_INTS + field, 1))
        place = own + k
        while place > k:
            before = get(w, w.order_i + place - 1)
            if older(w, before, contact):
                break
            put(w, w.order_i + place, before)
            place = place - 1
        put(w, w.order_i + place, contact)
    put(w, CONTACTS, own + incoming)
