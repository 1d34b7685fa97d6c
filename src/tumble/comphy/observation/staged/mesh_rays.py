"""Rays through meshes: the first triangle that a ray meets, or whether it meets any."""

import warp as wp

from tumble.comphy.observation.renderer.rays import contains
from tumble.comphy.observation.renderer.shapes import MISS, divisor
from tumble.comphy.observation.staged.scene import Scene

NEAREST_HIT = wp.constant(1.0e-4)
"""Nearer hits are ignored: they are the surface that the ray starts on."""


@wp.func
def hit_triangle(scene: Scene, triangle: int, origin: wp.vec3, direction: wp.vec3) -> float:
    """Distance at which a ray meets a triangle, or MISS: Cramer's rule for the point origin + t direction."""
    edge, other = scene.corners[triangle, 1], scene.corners[triangle, 2]
    across = wp.cross(direction, other)
    determinant = wp.dot(edge, across)
    if wp.abs(determinant) < 1.0e-12:
        return MISS
    scale = 1.0 / determinant
    offset = origin - scene.corners[triangle, 0]
    u = wp.dot(offset, across) * scale
    if u < 0.0 or u > 1.0:
        return MISS
    along = wp.cross(offset, edge)
    v = wp.dot(direction, along) * scale
    if v < 0.0 or u + v > 1.0:
        return MISS
    distance = wp.dot(other, along) * scale
    return wp.where(distance > NEAREST_HIT, distance, MISS)


@wp.func
def hit_mesh(  # type: ignore[no-untyped-def]
    scene: Scene, mesh: int, origin: wp.vec3, direction: wp.vec3, limit: float, any_hit: int
):
    """The first triangle nearer than a limit that a ray meets, -1 for none, and its distance; or any such triangle."""
    scale = wp.vec3(1.0 / divisor(direction[0]), 1.0 / divisor(direction[1]), 1.0 / divisor(direction[2]))
    start = wp.cw_mul(origin, scale)
    first_triangle = scene.meshes[mesh].first_triangle
    first_node = scene.meshes[mesh].first_node
    node = int(first_node)
    end = scene.meshes[mesh].end_node
    nearest = int(-1)
    distance = float(limit)
    while node < end:
        one = wp.cw_mul(scene.lower[node], scale) - start
        two = wp.cw_mul(scene.upper[node], scale) - start
        low, high = wp.min(one, two), wp.max(one, two)
        enter = wp.max(wp.max(low[0], low[1]), wp.max(low[2], 0.0))
        leave = wp.min(wp.min(high[0], high[1]), wp.min(high[2], distance))
        links = scene.links[node]
        node += 1
        if enter > leave:
            node = first_node + links[0]
        elif links[2] > 0:
            for index in range(links[2]):
                triangle = first_triangle + links[1] + index
                at = hit_triangle(scene, triangle, origin, direction)
                if at < distance:
                    distance = at
                    nearest = triangle
            if any_hit == 1 and nearest >= 0:
                return nearest, distance
    return nearest, distance


@wp.func
def reaches(scene: Scene, frame: int, k: int, origin: wp.vec3, direction: wp.vec3, limit: float) -> bool:
    """Whether a ray goes through the bounding sphere of body k, before a limit."""
    offset = scene.bodies[frame, k].center - origin
    along = wp.dot(offset, direction)
    square = wp.dot(offset, offset)
    radius = scene.bodies[frame, k].radius
    if square <= radius * radius:
        return True
    return along > 0.0 and along - radius < limit and square - along * along < radius * radius


@wp.func
def nearest_body(  # type: ignore[no-untyped-def]
    scene: Scene, frame: int, candidates: int, origin: wp.vec3, direction: wp.vec3
):
    """The first of some bodies that a ray meets, -1 for none, the triangle, and the distance."""
    nearest = int(-1)
    triangle = int(-1)
    distance = float(MISS)
    for k in range(scene.bodies.shape[1]):
        if contains(candidates, k) and reaches(scene, frame, k, origin, direction, distance):
            turn = scene.bodies[frame, k].rotation
            local = turn @ (origin - scene.bodies[frame, k].origin)
            hit, at = hit_mesh(scene, scene.bodies[frame, k].mesh, local, turn @ direction, distance, 0)
            if hit >= 0:
                nearest = k
                triangle = hit
                distance = at
    return nearest, triangle, distance


@wp.func
def is_blocked(scene: Scene, frame: int, candidates: int, origin: wp.vec3, direction: wp.vec3) -> bool:
    """Whether a ray meets any of some bodies."""
    for k in range(scene.bodies.shape[1]):
        if contains(candidates, k) and reaches(scene, frame, k, origin, direction, MISS):
            turn = scene.bodies[frame, k].rotation
            local = turn @ (origin - scene.bodies[frame, k].origin)
            hit, _at = hit_mesh(scene, scene.bodies[frame, k].mesh, local, turn @ direction, MISS, 1)
            if hit >= 0:
                return True
    return False
