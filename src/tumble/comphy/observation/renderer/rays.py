"""Intersections of rays with spheres, cubes and cylinders.

Only sums, products, quotients and square roots, without fused operations, so that CPU and GPU give the same bits.
Bodies are convex and rays start outside, so only the entry point is computed.
"""

import numpy as np
import warp as wp

from tumble.comphy.tasks.constants import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ABSENT, SPHERE, CUBE, CYLINDER = -1, 0, 1, 2
SHAPE_CODES = {"sphere": SPHERE, "cube": CUBE, "cylinder": CYLINDER}
SPHERE_CODE = wp.constant(SPHERE)
CUBE_CODE = wp.constant(CUBE)
MISS = wp.constant(1.0e9)
"""Distance at which a ray enters what it misses."""
MIN_DISTANCE = wp.constant(1.0e-4)
"""Nearer entries are ignored: they are the surface that the ray starts on."""
BEVEL = wp.constant(0.018)
"""Width of the strip along an edge in which the normal turns from one side to the other."""

SPHERE_RADIUS = wp.constant(RADIUS)
CUBE_HALF = wp.constant(CUBE_HALF_SIZE)
CYLINDER_HALF = wp.constant(CYLINDER_HALF_HEIGHT)
BOUNDING_RADII = {
    "sphere": RADIUS,
    "cube": 3.0**0.5 * CUBE_HALF_SIZE,
    "cylinder": (RADIUS**2 + CYLINDER_HALF_HEIGHT**2) ** 0.5,
}


@wp.struct
class BodyRow:
    """One body in one frame."""

    center: wp.vec3
    rotation: wp.mat33
    """Its axes as rows."""
    diffuse: wp.vec3
    """Diffuse colour, linear."""
    specular: wp.vec3
    """Specular colour, linear; 0 for rubber."""
    shape: int
    bounding_radius: float


BODY_ROW: np.dtype[np.void] = BodyRow.numpy_dtype()  # type: ignore[attr-defined]


@wp.func
def intersect_sphere(origin: wp.vec3, direction: wp.vec3) -> float:
    along = wp.dot(origin, direction)
    discriminant = along * along - wp.dot(origin, origin) + SPHERE_RADIUS * SPHERE_RADIUS
    if discriminant <= 0.0:
        return MISS
    distance = -along - wp.sqrt(discriminant)
    return wp.where(distance > MIN_DISTANCE, distance, MISS)


@wp.func
def divisor(value: float) -> float:
    """The value, or a tiny number where it is 0."""
    return wp.where(wp.abs(value) < 1.0e-9, 1.0e-9, value)


@wp.func
def intersect_cube(origin: wp.vec3, direction: wp.vec3) -> float:
    """Slab method."""
    first = float(-MISS)
    last = float(MISS)
    for axis in range(3):
        scale = 1.0 / divisor(direction[axis])
        middle = -origin[axis] * scale
        half = CUBE_HALF * wp.abs(scale)
        first = wp.max(first, middle - half)
        last = wp.min(last, middle + half)
    return wp.where(first < last and first > MIN_DISTANCE, first, MISS)


@wp.func
def intersect_cylinder(origin: wp.vec3, direction: wp.vec3) -> float:
    """The slab between the two ends, cut with the infinite cylinder around the z axis."""
    scale = 1.0 / divisor(direction[2])
    middle = -origin[2] * scale
    half = CYLINDER_HALF * wp.abs(scale)
    square = wp.max(direction[0] * direction[0] + direction[1] * direction[1], 1.0e-12)
    along = (origin[0] * direction[0] + origin[1] * direction[1]) / square
    off = (origin[0] * origin[0] + origin[1] * origin[1] - SPHERE_RADIUS * SPHERE_RADIUS) / square
    discriminant = along * along - off
    if discriminant <= 0.0:
        return MISS
    root = wp.sqrt(discriminant)
    first = wp.max(middle - half, -along - root)
    last = wp.min(middle + half, -along + root)
    return wp.where(first < last and first > MIN_DISTANCE, first, MISS)


@wp.func
def intersect_body(bodies: wp.array2d(dtype=BodyRow), frame: int, k: int, origin: wp.vec3, direction: wp.vec3) -> float:
    """Distance at which a ray enters body k, or MISS."""
    offset = origin - bodies[frame, k].center
    along = wp.dot(offset, direction)
    radius = bodies[frame, k].bounding_radius
    if along > 0.0 or along * along - wp.dot(offset, offset) + radius * radius <= 0.0:
        return MISS
    shape = bodies[frame, k].shape
    if shape == SPHERE_CODE:
        return intersect_sphere(offset, direction)
    local_origin = bodies[frame, k].rotation @ offset
    local_direction = bodies[frame, k].rotation @ direction
    if shape == CUBE_CODE:
        return intersect_cube(local_origin, local_direction)
    return intersect_cylinder(local_origin, local_direction)


@wp.func
def excess(value: float, limit: float) -> float:
    """How far a coordinate lies outside of -limit to limit, with its sign."""
    return value - wp.clamp(value, -limit, limit)


@wp.func
def normal(bodies: wp.array2d(dtype=BodyRow), frame: int, k: int, point: wp.vec3) -> wp.vec3:
    """The outward normal of body k at a point of its surface; edges are bevelled."""
    offset = point - bodies[frame, k].center
    shape = bodies[frame, k].shape
    if shape == SPHERE_CODE:
        return wp.normalize(offset)
    local = bodies[frame, k].rotation @ offset
    limit = CUBE_HALF - BEVEL
    outward = wp.vec3(excess(local[0], limit), excess(local[1], limit), excess(local[2], limit))
    if shape != CUBE_CODE:
        radius = wp.sqrt(local[0] * local[0] + local[1] * local[1])
        side = excess(radius, SPHERE_RADIUS - BEVEL) / wp.max(radius, 1.0e-9)
        outward = wp.vec3(local[0] * side, local[1] * side, excess(local[2], CYLINDER_HALF - BEVEL))
    return wp.normalize(wp.transpose(bodies[frame, k].rotation) @ outward)
