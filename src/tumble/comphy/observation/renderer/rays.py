"""Rays through the bodies of a frame: where they enter spheres, cubes and cylinders, and the normals there.

Only sums, products, quotients and square roots, without fused operations, so that CPU and GPU give the same bits.
Shapes are convex and rays start outside, so only the entry point is computed. Sets of bodies are integers with one
bit for each body.
"""

import warp as wp

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, CYLINDER_HALF_HEIGHT, RADIUS
from tumble.comphy.observation.renderer.scene import CUBE, SPHERE, BodyRow

MISS = wp.constant(1.0e9)
"""Distance at which a ray enters what it misses."""
MIN_DISTANCE = wp.constant(1.0e-4)
"""Nearer entries are ignored: they are the surface that the ray starts on."""
BEVEL = wp.constant(0.018)
"""Width of the strip along an edge in which the normal turns from one side to the other."""

SPHERE_RADIUS = wp.constant(RADIUS)
CUBE_HALF = wp.constant(CUBE_HALF_SIZE)
CYLINDER_HALF = wp.constant(CYLINDER_HALF_HEIGHT)


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
def excess(value: float, limit: float) -> float:
    """How far a coordinate lies outside of -limit to limit, with its sign."""
    return value - wp.clamp(value, -limit, limit)


@wp.func
def cube_outward(point: wp.vec3) -> wp.vec3:
    """Outward direction at a point of a cube's surface, of any length; edges are bevelled."""
    limit = CUBE_HALF - BEVEL
    return wp.vec3(excess(point[0], limit), excess(point[1], limit), excess(point[2], limit))


@wp.func
def cylinder_outward(point: wp.vec3) -> wp.vec3:
    """Outward direction at a point of a cylinder's surface, of any length; edges are bevelled."""
    radius = wp.sqrt(point[0] * point[0] + point[1] * point[1])
    side = excess(radius, SPHERE_RADIUS - BEVEL) / wp.max(radius, 1.0e-9)
    return wp.vec3(point[0] * side, point[1] * side, excess(point[2], CYLINDER_HALF - BEVEL))


SPHERE_CODE = wp.constant(SPHERE)
CUBE_CODE = wp.constant(CUBE)


@wp.func
def contains(bodies: int, k: int) -> bool:
    """Whether body k is in a set."""
    return (bodies & (1 << k)) != 0


@wp.func
def all_except(k: int) -> int:
    """The set of all bodies but k."""
    return ~(1 << k)


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
def nearest_body(  # type: ignore[no-untyped-def]
    bodies: wp.array2d(dtype=BodyRow), frame: int, candidates: int, origin: wp.vec3, direction: wp.vec3
):
    """The first of some bodies that a ray enters, -1 for none, and the distance."""
    nearest = int(-1)
    distance = float(MISS)
    for k in range(bodies.shape[1]):
        if contains(candidates, k):
            entry = intersect_body(bodies, frame, k, origin, direction)
            if entry < distance:
                distance = entry
                nearest = k
    return nearest, distance


@wp.func
def normal(bodies: wp.array2d(dtype=BodyRow), frame: int, k: int, point: wp.vec3) -> wp.vec3:
    """The outward normal of body k at a point of its surface."""
    offset = point - bodies[frame, k].center
    shape = bodies[frame, k].shape
    if shape == SPHERE_CODE:
        return wp.normalize(offset)
    local = bodies[frame, k].rotation @ offset
    outward = cube_outward(local)
    if shape != CUBE_CODE:
        outward = cylinder_outward(local)
    return wp.normalize(wp.transpose(bodies[frame, k].rotation) @ outward)
