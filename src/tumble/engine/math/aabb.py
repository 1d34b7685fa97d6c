"""Axis-aligned bounding boxes inside kernels."""

import warp as wp

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class AABB:
    """All points between two corners."""

    low: wp.vec2
    high: wp.vec2


@wp.func
def aabbs_overlap(a: AABB, b: AABB) -> bool:
    return a.low[0] <= b.high[0] and b.low[0] <= a.high[0] and a.low[1] <= b.high[1] and b.low[1] <= a.high[1]


@wp.func
def aabb_contains(outer: AABB, inner: AABB) -> bool:
    return (
        outer.low[0] <= inner.low[0]
        and outer.low[1] <= inner.low[1]
        and inner.high[0] <= outer.high[0]
        and inner.high[1] <= outer.high[1]
    )


@wp.func
def aabb_union(a: AABB, b: AABB) -> AABB:
    """The smallest box around two."""
    low_x = a.low[0]
    low_y = a.low[1]
    high_x = a.high[0]
    high_y = a.high[1]
    if b.low[0] < low_x:
        low_x = b.low[0]
    if b.low[1] < low_y:
        low_y = b.low[1]
    if b.high[0] > high_x:
        high_x = b.high[0]
    if b.high[1] > high_y:
        high_y = b.high[1]
    return AABB(wp.vec2(low_x, low_y), wp.vec2(high_x, high_y))


@wp.func
def aabb_grown(box: AABB, margin: float) -> AABB:
    """The box with a margin on every side."""
    return AABB(
        wp.vec2(box.low[0] - margin, box.low[1] - margin),
        wp.vec2(box.high[0] + margin, box.high[1] + margin),
    )
