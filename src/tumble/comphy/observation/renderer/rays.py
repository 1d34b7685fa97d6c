"""Where a ray enters a sphere, a cube or a cylinder.

Everything here is sums, products, quotients and square roots, without fused operations, so that a CPU and a GPU give
the same bits. Bodies are convex and rays start outside, so only entries matter.
"""

import numpy as np
import warp as wp

from tumble.comphy.tasks.constants import CUBE_HALF, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ABSENT, SPHERE, CUBE, CYLINDER = -1, 0, 1, 2
SHAPE_CODES = {"sphere": SPHERE, "cube": CUBE, "cylinder": CYLINDER}
SPHERE_CODE = wp.constant(SPHERE)
CUBE_CODE = wp.constant(CUBE)
NO_HIT = wp.constant(1.0e9)
"""The distance to a body that the ray misses."""
MIN_DISTANCE = wp.constant(1.0e-4)
"""Hits nearer than this are the surface that the ray starts on."""
BEVEL = wp.constant(0.018)
"""Width of the strip along an edge in which the normal turns from one side to the other."""

BODY_RADIUS = wp.constant(RADIUS)
"""Of spheres and cylinders."""
CUBE_HALF_SIDE = wp.constant(CUBE_HALF)
CYLINDER_HALF_LENGTH = wp.constant(CYLINDER_HALF_HEIGHT)
ENCLOSING = {"sphere": RADIUS, "cube": 3.0**0.5 * CUBE_HALF, "cylinder": (RADIUS**2 + CYLINDER_HALF_HEIGHT**2) ** 0.5}
"""Radius of the bounding sphere of each shape."""


@wp.struct
class BodyRow:
    """One body in one frame."""

    center: wp.vec3
    turn: wp.mat33
    """Rotation: its axes as rows."""
    color: wp.vec3
    """Diffuse colour, linear."""
    tint: wp.vec3
    """Colour of its reflections, linear; 0 for rubber."""
    shape: int
    reach: float
    """Radius of its bounding sphere."""


BODY_ROW: np.dtype[np.void] = BodyRow.numpy_dtype()  # type: ignore[attr-defined]


@wp.func
def enter_sphere(origin: wp.vec3, direction: wp.vec3) -> float:
    along = wp.dot(origin, direction)
    inside = along * along - wp.dot(origin, origin) + BODY_RADIUS * BODY_RADIUS
    if inside <= 0.0:
        return NO_HIT
    distance = -along - wp.sqrt(inside)
    return wp.where(distance > MIN_DISTANCE, distance, NO_HIT)


@wp.func
def divisor(value: float) -> float:
    """The value, or a tiny one instead of 0."""
    return wp.where(wp.abs(value) < 1.0e-9, 1.0e-9, value)


@wp.func
def enter_cube(origin: wp.vec3, direction: wp.vec3) -> float:
    first = float(-NO_HIT)
    last = float(NO_HIT)
    for axis in range(3):
        scale = 1.0 / divisor(direction[axis])
        middle = -origin[axis] * scale
        half = CUBE_HALF_SIDE * wp.abs(scale)
        first = wp.max(first, middle - half)
        last = wp.min(last, middle + half)
    return wp.where(first < last and first > MIN_DISTANCE, first, NO_HIT)


@wp.func
def enter_cylinder(origin: wp.vec3, direction: wp.vec3) -> float:
    scale = 1.0 / divisor(direction[2])
    middle = -origin[2] * scale
    half = CYLINDER_HALF_LENGTH * wp.abs(scale)
    square = wp.max(direction[0] * direction[0] + direction[1] * direction[1], 1.0e-12)
    along = (origin[0] * direction[0] + origin[1] * direction[1]) / square
    off = (origin[0] * origin[0] + origin[1] * origin[1] - BODY_RADIUS * BODY_RADIUS) / square
    inside = along * along - off
    if inside <= 0.0:
        return NO_HIT
    root = wp.sqrt(inside)
    first = wp.max(middle - half, -along - root)
    last = wp.min(middle + half, -along + root)
    return wp.where(first < last and first > MIN_DISTANCE, first, NO_HIT)


@wp.func
def enter(bodies: wp.array2d(dtype=BodyRow), frame: int, k: int, origin: wp.vec3, direction: wp.vec3) -> float:
    """Distance at which a ray enters body k."""
    away = origin - bodies[frame, k].center
    along = wp.dot(away, direction)
    reach = bodies[frame, k].reach
    if along > 0.0 or along * along - wp.dot(away, away) + reach * reach <= 0.0:
        return NO_HIT
    shape = bodies[frame, k].shape
    if shape == SPHERE_CODE:
        return enter_sphere(away, direction)
    local_origin = bodies[frame, k].turn @ away
    local_direction = bodies[frame, k].turn @ direction
    if shape == CUBE_CODE:
        return enter_cube(local_origin, local_direction)
    return enter_cylinder(local_origin, local_direction)


@wp.func
def excess(value: float, limit: float) -> float:
    """By how much a coordinate exceeds -limit or limit."""
    return value - wp.clamp(value, -limit, limit)


@wp.func
def normal(bodies: wp.array2d(dtype=BodyRow), frame: int, k: int, point: wp.vec3) -> wp.vec3:
    """The direction away from body k at a point of its surface; edges are rounded."""
    away = point - bodies[frame, k].center
    shape = bodies[frame, k].shape
    if shape == SPHERE_CODE:
        return wp.normalize(away)
    local = bodies[frame, k].turn @ away
    limit = CUBE_HALF_SIDE - BEVEL
    out = wp.vec3(excess(local[0], limit), excess(local[1], limit), excess(local[2], limit))
    if shape != CUBE_CODE:
        radius = wp.sqrt(local[0] * local[0] + local[1] * local[1])
        side = excess(radius, BODY_RADIUS - BEVEL) / wp.max(radius, 1.0e-9)
        out = wp.vec3(local[0] * side, local[1] * side, excess(local[2], CYLINDER_HALF_LENGTH - BEVEL))
    return wp.normalize(wp.transpose(bodies[frame, k].turn) @ out)
