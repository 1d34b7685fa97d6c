"""A world in memory, as kernels see it: its lane, and the functions that read and write the fields of `layout.py`."""

import warp as wp

from tumble.engine.state.layout import (
    BODY_DEF_INTS,
    BODY_DEF_VECS,
    BODY_INTS,
    BODY_VECS,
    CONSTRAINT_INTS,
    CONSTRAINT_VECS,
    CONTACT_INTS,
    CONTACT_VECS,
    HEADER_INTS,
    ISLAND_INTS,
    OVERFLOW,
    SHAPE_DEF_INTS,
    SHAPE_DEF_VECS,
    SHAPE_INTS,
    SHAPE_VECS,
)
from tumble.engine.state.memory import constant_vec, lane_int, lane_vec, read_int, set_lane_int, set_lane_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class World:
    """A lane of the state, with the addresses of what it needs besides."""

    vecs: wp.uint64  # addresses of the state; on a CPU, of the lane in it
    ints: wp.uint64
    pack_vecs: wp.uint64
    pack_ints: wp.uint64
    param_ints: wp.uint64  # the rule's parameters of each world
    param_floats: wp.uint64
    int_params: int  # how many of them a world has
    float_params: int
    table_ints: wp.uint64  # the rule's tables, shared by all worlds
    table_floats: wp.uint64
    event_vecs: wp.uint64
    event_ints: wp.uint64
    max_events: int  # events that a world may write; 0 for none
    track_impulses: int  # 1 where contacts sum their impulses, for events or for a rule
    first_vec: int  # of the lane
    first_int: int
    stride: int
    max_bodies: int  # capacity
    max_shapes: int
    max_contacts: int
    output_ints: int
    shapes_v: int  # where the regions begin
    contacts_v: int
    constraints_v: int
    gravity_v: int
    dynamics_i: int
    island_i: int
    stack_i: int
    shapes_i: int
    moved_i: int
    contacts_i: int
    constraints_i: int
    order_i: int
    touching_i: int
    pairs_i: int
    outputs_i: int
    shape_defs_v: int  # where the shapes' definitions begin in the pack
    shape_defs_i: int


@wp.func
def islands_begin(w: World) -> int:
    """Where the islands begin; no field of `World`, since a CPU copies that in every step and has no use for it."""
    return w.pairs_i + w.max_contacts


@wp.func
def schedule_begin(w: World) -> int:
    """Where the schedule begins; no field of `World` either."""
    return w.outputs_i + w.output_ints


@wp.func
def set_regions(w: World) -> World:
    """The world with its regions laid out one after the other."""
    w.shapes_v = w.max_bodies * BODY_VECS
    w.contacts_v = w.shapes_v + w.max_shapes * SHAPE_VECS
    w.constraints_v = w.contacts_v + w.max_contacts * CONTACT_VECS
    w.gravity_v = w.constraints_v + w.max_contacts * CONSTRAINT_VECS
    w.dynamics_i = HEADER_INTS + w.max_bodies * BODY_INTS
    w.island_i = w.dynamics_i + w.max_bodies
    w.stack_i = w.island_i + w.max_bodies
    w.shapes_i = w.stack_i + w.max_bodies
    w.moved_i = w.shapes_i + w.max_shapes * SHAPE_INTS
    w.contacts_i = w.moved_i + w.max_shapes
    w.constraints_i = w.contacts_i + w.max_contacts * CONTACT_INTS
    w.order_i = w.constraints_i + w.max_contacts * CONSTRAINT_INTS
    w.touching_i = w.order_i + w.max_contacts
    w.pairs_i = w.touching_i + w.max_contacts
    w.outputs_i = islands_begin(w) + w.max_bodies * ISLAND_INTS
    return w


@wp.func
def get_int(w: World, item: int) -> int:
    return lane_int(w.ints, w.first_int, item, 0, w.stride)


@wp.func
def set_int(w: World, item: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, item, 0, w.stride, value)


@wp.func
def get_vec(w: World, item: int) -> wp.vec4:
    return lane_vec(w.vecs, w.first_vec, item, 0, w.stride)


@wp.func
def set_vec(w: World, item: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, w.first_vec, item, 0, w.stride, value)


@wp.func
def body_vec(w: World, body: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, w.first_vec, body * BODY_VECS, field, w.stride)


@wp.func
def set_body_vec(w: World, body: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, w.first_vec, body * BODY_VECS, field, w.stride, value)


@wp.func
def body_int(w: World, body: int, field: int) -> int:
    return lane_int(w.ints, w.first_int, body * BODY_INTS, HEADER_INTS + field, w.stride)


@wp.func
def set_body_int(w: World, body: int, field: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, body * BODY_INTS, HEADER_INTS + field, w.stride, value)


@wp.func
def shape_vec(w: World, shape: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, w.first_vec, w.shapes_v + shape * SHAPE_VECS, field, w.stride)


@wp.func
def set_shape_vec(w: World, shape: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, w.first_vec, w.shapes_v + shape * SHAPE_VECS, field, w.stride, value)


@wp.func
def shape_int(w: World, shape: int, field: int) -> int:
    return lane_int(w.ints, w.first_int, w.shapes_i + shape * SHAPE_INTS, field, w.stride)


@wp.func
def set_shape_int(w: World, shape: int, field: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, w.shapes_i + shape * SHAPE_INTS, field, w.stride, value)


@wp.func
def contact_vec(w: World, contact: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, w.first_vec, w.contacts_v + contact * CONTACT_VECS, field, w.stride)


@wp.func
def set_contact_vec(w: World, contact: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, w.first_vec, w.contacts_v + contact * CONTACT_VECS, field, w.stride, value)


@wp.func
def contact_int(w: World, contact: int, field: int) -> int:
    return lane_int(w.ints, w.first_int, w.contacts_i + contact * CONTACT_INTS, field, w.stride)


@wp.func
def set_contact_int(w: World, contact: int, field: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, w.contacts_i + contact * CONTACT_INTS, field, w.stride, value)


@wp.func
def constraint_vec(w: World, constraint: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, w.first_vec, w.constraints_v + constraint * CONSTRAINT_VECS, field, w.stride)


@wp.func
def set_constraint_vec(w: World, constraint: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, w.first_vec, w.constraints_v + constraint * CONSTRAINT_VECS, field, w.stride, value)


@wp.func
def constraint_int(w: World, constraint: int, field: int) -> int:
    return lane_int(w.ints, w.first_int, w.constraints_i + constraint * CONSTRAINT_INTS, field, w.stride)


@wp.func
def set_constraint_int(w: World, constraint: int, field: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, w.constraints_i + constraint * CONSTRAINT_INTS, field, w.stride, value)


@wp.func
def body_def_vec(w: World, body_def: int, field: int) -> wp.vec4:
    return constant_vec(w.pack_vecs, body_def * BODY_DEF_VECS, field)


@wp.func
def body_def_int(w: World, body_def: int, field: int) -> int:
    return read_int(w.pack_ints, body_def * BODY_DEF_INTS, field)


@wp.func
def shape_def_vec(w: World, shape_def: int, field: int) -> wp.vec4:
    return constant_vec(w.pack_vecs, w.shape_defs_v + shape_def * SHAPE_DEF_VECS, field)


@wp.func
def shape_def_int(w: World, shape_def: int, field: int) -> int:
    return read_int(w.pack_ints, w.shape_defs_i + shape_def * SHAPE_DEF_INTS, field)


@wp.func
def dynamic_body(w: World, k: int) -> int:
    """The k-th dynamic body, as created."""
    return get_int(w, w.dynamics_i + k)


@wp.func
def island_body(w: World, k: int) -> int:
    """The k-th body of the islands that were built."""
    return get_int(w, w.island_i + k)


@wp.func
def island_int(w: World, island: int, field: int) -> int:
    return lane_int(w.ints, w.first_int, islands_begin(w) + island * ISLAND_INTS, field, w.stride)


@wp.func
def set_island_int(w: World, island: int, field: int, value: int) -> None:
    set_lane_int(w.ints, w.first_int, islands_begin(w) + island * ISLAND_INTS, field, w.stride, value)


@wp.func
def ordered_contact(w: World, k: int) -> int:
    """The slot of the k-th contact, from the oldest."""
    return get_int(w, w.order_i + k)


@wp.func
def touching_contact(w: World, k: int) -> int:
    """The slot of the k-th touching contact, from the newest."""
    return get_int(w, w.touching_i + k)


@wp.func
def mark_overflow(w: World) -> None:
    """Marks that the world needs more room than its lane has; the host rolls it out again in a larger one."""
    set_int(w, OVERFLOW, 1)
