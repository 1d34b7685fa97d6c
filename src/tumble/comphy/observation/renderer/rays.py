"""Rays through the bodies of a frame. Sets of bodies are integers with one bit for each body."""

import warp as wp

from tumble.comphy.observation.renderer.body_row import CUBE, SPHERE, BodyRow
from tumble.comphy.observation.renderer.shapes import (
    MISS,
    cube_outward,
    cylinder_outward,
    intersect_cube,
    intersect_cylinder,
    intersect_sphere,
)

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
