"""A world in memory, as kernels see it: its lane, and the functions that read and write the fields of `layout.py`."""

import warp as wp

from tumble.engine.state.layout import (
    BODY_DEF_INTS,
    BODY_DEF_VECS,
    BODY_INTS,
    BODY_VECS,
    CONSTRAINT_INTS,
    CONSTRAINT_VECS,
    CONSTRAINTS_I,
    CONSTRAINTS_V,
    CONTACT_INTS,
    CONTACT_VECS,
    CONTACTS_I,
    CONTACTS_V,
    DYNAMICS_I,
    HEADER_INTS,
    ISLAND_I,
    ISLAND_INTS,
    ISLANDS_I,
    ORDER_I,
    OVERFLOW,
    PACK_INTS_AT,
    PACK_VECS_AT,
    SHAPE_DEF_INTS,
    SHAPE_DEF_VECS,
    SHAPE_DEFS_I,
    SHAPE_DEFS_V,
    SHAPE_INTS,
    SHAPE_VECS,
    SHAPES_I,
    SHAPES_V,
    TOUCHING_I,
)
from tumble.engine.state.native import (
    constant_address,
    constant_int,
    constant_vec,
    lane_int,
    lane_vec,
    read_int,
    set_lane_int,
    set_lane_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class World:
    """The lane that a world lies in, and where the numbers are that it shares with the other worlds of its chunk."""

    vecs: wp.uint64  # addresses of the lane's first items
    ints: wp.uint64
    chunk: wp.uint64
    stride: int  # from an item of the lane to the next


@wp.func
def chunk_int(w: World, item: int) -> int:
    return constant_int(w.chunk, item)


@wp.func
def chunk_address(w: World, item: int) -> wp.uint64:
    return constant_address(w.chunk, item)


@wp.func
def pack_vecs(w: World) -> wp.uint64:
    """The address of the pack's vec4s."""
    return chunk_address(w, PACK_VECS_AT)


@wp.func
def get_int(w: World, item: int) -> int:
    return lane_int(w.ints, item, 0, w.stride)


@wp.func
def set_int(w: World, item: int, value: int) -> None:
    set_lane_int(w.ints, item, 0, w.stride, value)


@wp.func
def get_vec(w: World, item: int) -> wp.vec4:
    return lane_vec(w.vecs, item, 0, w.stride)


@wp.func
def set_vec(w: World, item: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, item, 0, w.stride, value)


@wp.func
def body_vec(w: World, body: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, body * BODY_VECS, field, w.stride)


@wp.func
def set_body_vec(w: World, body: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, body * BODY_VECS, field, w.stride, value)


@wp.func
def body_int(w: World, body: int, field: int) -> int:
    return lane_int(w.ints, body * BODY_INTS, HEADER_INTS + field, w.stride)


@wp.func
def set_body_int(w: World, body: int, field: int, value: int) -> None:
    set_lane_int(w.ints, body * BODY_INTS, HEADER_INTS + field, w.stride, value)


@wp.func
def shape_vec(w: World, shape: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, chunk_int(w, SHAPES_V) + shape * SHAPE_VECS, field, w.stride)


@wp.func
def set_shape_vec(w: World, shape: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, chunk_int(w, SHAPES_V) + shape * SHAPE_VECS, field, w.stride, value)


@wp.func
def shape_int(w: World, shape: int, field: int) -> int:
    return lane_int(w.ints, chunk_int(w, SHAPES_I) + shape * SHAPE_INTS, field, w.stride)


@wp.func
def set_shape_int(w: World, shape: int, field: int, value: int) -> None:
    set_lane_int(w.ints, chunk_int(w, SHAPES_I) + shape * SHAPE_INTS, field, w.stride, value)


@wp.func
def contact_vec(w: World, contact: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, chunk_int(w, CONTACTS_V) + contact * CONTACT_VECS, field, w.stride)


@wp.func
def set_contact_vec(w: World, contact: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, chunk_int(w, CONTACTS_V) + contact * CONTACT_VECS, field, w.stride, value)


@wp.func
def contact_int(w: World, contact: int, field: int) -> int:
    return lane_int(w.ints, chunk_int(w, CONTACTS_I) + contact * CONTACT_INTS, field, w.stride)


@wp.func
def set_contact_int(w: World, contact: int, field: int, value: int) -> None:
    set_lane_int(w.ints, chunk_int(w, CONTACTS_I) + contact * CONTACT_INTS, field, w.stride, value)


@wp.func
def constraint_vec(w: World, constraint: int, field: int) -> wp.vec4:
    return lane_vec(w.vecs, chunk_int(w, CONSTRAINTS_V) + constraint * CONSTRAINT_VECS, field, w.stride)


@wp.func
def set_constraint_vec(w: World, constraint: int, field: int, value: wp.vec4) -> None:
    set_lane_vec(w.vecs, chunk_int(w, CONSTRAINTS_V) + constraint * CONSTRAINT_VECS, field, w.stride, value)


@wp.func
def constraint_int(w: World, constraint: int, field: int) -> int:
    return lane_int(w.ints, chunk_int(w, CONSTRAINTS_I) + constraint * CONSTRAINT_INTS, field, w.stride)


@wp.func
def set_constraint_int(w: World, constraint: int, field: int, value: int) -> None:
    set_lane_int(w.ints, chunk_int(w, CONSTRAINTS_I) + constraint * CONSTRAINT_INTS, field, w.stride, value)


@wp.func
def body_def_vec(w: World, body_def: int, field: int) -> wp.vec4:
    return constant_vec(pack_vecs(w), body_def * BODY_DEF_VECS, field)


@wp.func
def body_def_int(w: World, body_def: int, field: int) -> int:
    return read_int(chunk_address(w, PACK_INTS_AT), body_def * BODY_DEF_INTS, field)


@wp.func
def shape_def_vec(w: World, shape_def: int, field: int) -> wp.vec4:
    return constant_vec(pack_vecs(w), chunk_int(w, SHAPE_DEFS_V) + shape_def * SHAPE_DEF_VECS, field)


@wp.func
def shape_def_int(w: World, shape_def: int, field: int) -> int:
    return read_int(chunk_address(w, PACK_INTS_AT), chunk_int(w, SHAPE_DEFS_I) + shape_def * SHAPE_DEF_INTS, field)


@wp.func
def dynamic_body(w: World, k: int) -> int:
    """The k-th dynamic body, as created."""
    return get_int(w, chunk_int(w, DYNAMICS_I) + k)


@wp.func
def island_body(w: World, k: int) -> int:
    """The k-th body of the islands that were built."""
    return get_int(w, chunk_int(w, ISLAND_I) + k)


@wp.func
def island_int(w: World, island: int, field: int) -> int:
    return lane_int(w.ints, chunk_int(w, ISLANDS_I) + island * ISLAND_INTS, field, w.stride)


@wp.func
def set_island_int(w: World, island: int, field: int, value: int) -> None:
    set_lane_int(w.ints, chunk_int(w, ISLANDS_I) + island * ISLAND_INTS, field, w.stride, value)


@wp.func
def ordered_contact(w: World, k: int) -> int:
    """The slot of the k-th contact, from the oldest."""
    return get_int(w, chunk_int(w, ORDER_I) + k)


@wp.func
def touching_contact(w: World, k: int) -> int:
    """The slot of the k-th touching contact, from the newest."""
    return get_int(w, chunk_int(w, TOUCHING_I) + k)


@wp.func
def mark_overflow(w: World) -> None:
    """Marks that the world needs more room than its lane has; the host rolls it out again in a larger one."""
    set_int(w, OVERFLOW, 1)
