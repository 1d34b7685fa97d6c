"""When two moving shapes first come to touch within a step: conservative advancement along separating axes.

Shapes are brought to a small target distance, a little inside their skins, never through each other.
"""

import warp as wp

from tumble.engine.collision.distance import Simplex, point_of, shape_distance, support
from tumble.engine.math.constants import (
    LINEAR_SLOP,
    MAX_PUSH_BACKS,
    MAX_ROOT_ITERATIONS,
    MAX_TOI_ITERATIONS,
    TOI_SLOP,
    TOI_TOLERANCE,
    TWO_PI,
)
from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import normalized, right_normal, rotate, to_world, unrotate

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ON_POINTS = 0
ON_FACE_A = 1
ON_FACE_B = 2


@wp.struct
class Motion:
    """A point set and its body's way through the step."""

    first: int
    count: int
    start: wp.vec3  # centre of mass x, y and angle
    end: wp.vec3
    arm: wp.vec2  # centre of mass in body coordinates
    is_round: int  # 1 where rotation moves nothing


@wp.struct
class Axis:
    """A direction, fixed to one of the bodies, along which the gap is watched."""

    kind: int
    local_point: wp.vec2
    direction: wp.vec2


@wp.func
def unwound(motion: Motion) -> Motion:
    """The motion with full turns taken off its angles."""
    turns = TWO_PI * wp.floor(motion.start[2] / TWO_PI)
    motion.start = wp.vec3(motion.start[0], motion.start[1], motion.start[2] - turns)
    motion.end = wp.vec3(motion.end[0], motion.end[1], motion.end[2] - turns)
    return motion


@wp.func
def place_at(motion: Motion, t: float) -> wp.vec4:
    """The body's transform at a fraction of the step."""
    x = (1.0 - t) * motion.start[0] + t * motion.end[0]
    y = (1.0 - t) * motion.start[1] + t * motion.end[1]
    if motion.is_round == 1:
        return wp.vec4(x, y, 0.0, 1.0)
    sine, cosine = sine_cosine((1.0 - t) * motion.start[2] + t * motion.end[2])
    arm = rotate(wp.vec4(0.0, 0.0, sine, cosine), motion.arm)
    return wp.vec4(x - arm[0], y - arm[1], sine, cosine)


@wp.func
def axis_of(pack: wp.uint64, a: Motion, b: Motion, simplex: Simplex, t: float) -> Axis:
    """The axis that the nearest features at time t define."""
    axis = Axis()
    place_a = place_at(a, t)
    place_b = place_at(b, t)
    a1 = point_of(pack, a.first, simplex.a1)
    b1 = point_of(pack, b.first, simplex.b1)
    if simplex.count == 1:
        axis.kind = ON_POINTS
        axis.direction = normalized(to_world(place_b, b1) - to_world(place_a, a1))
        return axis
    a2 = point_of(pack, a.first, simplex.a2)
    b2 = point_of(pack, b.first, simplex.b2)
    if simplex.a1 == simplex.a2:
        axis.kind = ON_FACE_B
        axis.direction = normalized(right_normal(b2 - b1))
        axis.local_point = wp.vec2(0.5 * (b1[0] + b2[0]), 0.5 * (b1[1] + b2[1]))
        outward_b = rotate(place_b, axis.direction)
        if wp.dot(to_world(place_a, a1) - to_world(place_b, axis.local_point), outward_b) < 0.0:
            axis.direction = -axis.direction
        return axis
    axis.kind = ON_FACE_A
    axis.direction = normalized(right_normal(a2 - a1))
    axis.local_point = wp.vec2(0.5 * (a1[0] + a2[0]), 0.5 * (a1[1] + a2[1]))
    outward_a = rotate(place_a, axis.direction)
    if wp.dot(to_world(place_b, b1) - to_world(place_a, axis.local_point), outward_a) < 0.0:
        axis.direction = -axis.direction
    return axis


@wp.func
def gap_between(
    pack: wp.uint64, a: Motion, b: Motion, axis: Axis, t: float, search: int, index_a: int, index_b: int
) -> tuple[float, int, int]:
    """The gap along an axis at time t, and the points that bound it: searched for, or the given ones."""
    place_a = place_at(a, t)
    place_b = place_at(b, t)
    ia = index_a
    ib = index_b
    if axis.kind == ON_POINTS:
        if search == 1:
            ia = support(pack, a.first, a.count, unrotate(place_a, axis.direction))
            ib = support(pack, b.first, b.count, unrotate(place_b, -axis.direction))
        pa = to_world(place_a, point_of(pack, a.first, ia))
        pb = to_world(place_b, point_of(pack, b.first, ib))
        return wp.dot(pb - pa, axis.direction), ia, ib
    if axis.kind == ON_FACE_A:
        n_a = rotate(place_a, axis.direction)
        if search == 1:
            ib = support(pack, b.first, b.count, unrotate(place_b, -n_a))
        face_a = to_world(place_a, axis.local_point)
        on_b = to_world(place_b, point_of(pack, b.first, ib))
        return wp.dot(on_b - face_a, n_a), ia, ib
    n_b = rotate(place_b, axis.direction)
    if search == 1:
        ia = support(pack, a.first, a.count, unrotate(place_a, -n_b))
    face_b = to_world(place_b, axis.local_point)
    on_a = to_world(place_a, point_of(pack, a.first, ia))
    return wp.dot(on_a - face_b, n_b), ia, ib


@wp.func(inline=False)
def time_of_impact(pack: wp.uint64, a: Motion, b: Motion, radius: float) -> float:
    """The fraction of the motion at which two shapes come to touch; 1 or more where they don't."""
    from_a = unwound(a)
    from_b = unwound(b)
    target = radius - TOI_SLOP
    if target < LINEAR_SLOP:
        target = float(LINEAR_SLOP)
    simplex = Simplex()
    t1 = float(0.0)
    for _advance in range(MAX_TOI_ITERATIONS):
        apart, simplex = shape_distance(
            pack,
            from_a.first,
            from_a.count,
            place_at(from_a, t1),
            from_b.first,
            from_b.count,
            place_at(from_b, t1),
            simplex,
        )
        if apart <= 0.0:
            return 2.0
        if apart < target + TOI_TOLERANCE:
            return t1
        axis = axis_of(pack, from_a, from_b, simplex, t1)
        t2 = float(1.0)
        for _push in range(MAX_PUSH_BACKS):
            gap2, ia, ib = gap_between(pack, from_a, from_b, axis, t2, 1, -1, -1)
            if gap2 > target + TOI_TOLERANCE:
                return 2.0
            if gap2 > target - TOI_TOLERANCE:
                t1 = t2
                break
            gap1, _ia, _ib = gap_between(pack, from_a, from_b, axis, t1, 0, ia, ib)
            if gap1 < target - TOI_TOLERANCE:
                return 2.0
            if gap1 <= target + TOI_TOLERANCE:
                return t1
            low = t1
            high = t2
            for root in range(MAX_ROOT_ITERATIONS):
                t = 0.5 * (low + high)
                if (root & 1) != 0:
                    t = low + (target - gap1) * (high - low) / (gap2 - gap1)
                gap, _ja, _jb = gap_between(pack, from_a, from_b, axis, t, 0, ia, ib)
                if wp.abs(gap - target) < TOI_TOLERANCE:
                    t2 = t
                    break
                if gap > target:
                    low = t
                    gap1 = gap
                else:
                    high = t
                    gap2 = gap
    return 2.0
