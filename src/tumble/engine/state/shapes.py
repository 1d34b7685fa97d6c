"""The state of a shape: its boxes for the broad phase."""

import warp as wp

from tumble.engine.math.aabb import AABB
from tumble.engine.state.layout import FAT_AABB, SWEPT_AABB
from tumble.engine.state.world import World, set_shape_vec, shape_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def aabb_from(v: wp.vec4) -> AABB:
    """A box as it is stored: low x, low y, high x, high y."""
    return AABB(wp.vec2(v[0], v[1]), wp.vec2(v[2], v[3]))


@wp.func
def fat_aabb(w: World, shape: int) -> AABB:
    return aabb_from(shape_vec(w, shape, FAT_AABB))


@wp.func
def set_fat_aabb(w: World, shape: int, box: AABB) -> None:
    set_shape_vec(w, shape, FAT_AABB, wp.vec4(box.low[0], box.low[1], box.high[0], box.high[1]))


@wp.func
def swept_aabb(w: World, shape: int) -> AABB:
    return aabb_from(shape_vec(w, shape, SWEPT_AABB))


@wp.func
def set_swept_aabb(w: World, shape: int, box: AABB) -> None:
    set_shape_vec(w, shape, SWEPT_AABB, wp.vec4(box.low[0], box.low[1], box.high[0], box.high[1]))
