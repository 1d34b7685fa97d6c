"""Rays through meshes: the first triangle that a ray meets, or whether it meets any.

A kernel computes, once for each object, how much of the sky its shape leaves to points of and around it.
"""

import warp as wp

from tumble.comphy.observation.renderer.rays import MISS, contains, divisor
from tumble.comphy.observation.staged.scene import KERNELS, BodyPose, Geometry, MeshRow

SMALLEST = wp.constant(1.0e-14)
"""Determinant of a triangle that a ray can meet."""
NEAREST_HIT = wp.constant(1.0e-4)
"""Nearer hits are ignored: they are the surface that the ray starts on."""


@wp.func
def hit_triangle(corner: wp.vec3, edge: wp.vec3, other: wp.vec3, origin: wp.vec3, direction: wp.vec3) -> float:
    """Distance at which a ray meets the front of a triangle, or MISS: Cramer's rule for origin + t direction.

    Meshes are closed and rays start outside, so that a front is always met before a back.
    """
    across = wp.cross(direction, other)
    determinant = wp.dot(edge, across)
    if determinant < SMALLEST:
        return MISS
    offset = origin - corner
    u = wp.dot(offset, across)
    if u < 0.0 or u > determinant:
        return MISS
    along = wp.cross(offset, edge)
    v = wp.dot(direction, along)
    if v < 0.0 or u + v > determinant:
        return MISS
    distance = wp.dot(other, along) / determinant
    return wp.where(distance > NEAREST_HIT, distance, MISS)


@wp.func
def box_entry(
    boxes: wp.array(dtype=float), box: int, near: wp.vec3i, start: wp.vec3, scale: wp.vec3, limit: float
) -> float:
    """Distance at which a ray enters a box, or MISS if it does so after a limit or not at all; by slabs.

    `near` says for each axis which of the box's six numbers the ray meets first.
    """
    near_x = boxes[box + near[0]] * scale[0] - start[0]
    near_y = boxes[box + near[1]] * scale[1] - start[1]
    near_z = boxes[box + near[2]] * scale[2] - start[2]
    far_x = boxes[box + 3 - near[0]] * scale[0] - start[0]
    far_y = boxes[box + 5 - near[1]] * scale[1] - start[1]
    far_z = boxes[box + 7 - near[2]] * scale[2] - start[2]
    enter = wp.max(wp.max(near_x, near_y), wp.max(near_z, 0.0))
    leave = wp.min(wp.min(far_x, far_y), wp.min(far_z, limit))
    return wp.where(enter <= leave, enter, MISS)


@wp.func
def hit_mesh(  # type: ignore[no-untyped-def]
    geometry: Geometry, row: MeshRow, origin: wp.vec3, direction: wp.vec3, limit: float, any_hit: int
):
    """The first triangle nearer than a limit that a ray meets, -1 for none, and its distance; or any such triangle.

    The nearer child of a node is visited first. The other one may follow: `pending` has a bit for each level of the
    tree below the root, the lowest one for the level of the present node, which says whether its sibling must follow.
    """
    scale = wp.vec3(1.0 / divisor(direction[0]), 1.0 / divisor(direction[1]), 1.0 / divisor(direction[2]))
    start = wp.cw_mul(origin, scale)
    near = wp.vec3i(wp.where(scale[0] < 0.0, 3, 0), wp.where(scale[1] < 0.0, 4, 1), wp.where(scale[2] < 0.0, 5, 2))
    first_box = 6 * (row.first_node - 1)
    node = int(1)
    pending = int(0)
    nearest = int(-1)
    distance = float(limit)
    goes_on = int(1)
    while goes_on == 1:
        descends = int(0)
        if node >= row.leaves:
            leaf = row.first_leaf + node - row.leaves
            end = row.first_triangle + geometry.starts[leaf + 1]
            for triangle in range(row.first_triangle + geometry.starts[leaf], end):
                edge, other = geometry.corners[3 * triangle + 1], geometry.corners[3 * triangle + 2]
                at = hit_triangle(geometry.corners[3 * triangle], edge, other, origin, direction)
                if at < distance:
                    distance = at
                    nearest = triangle
            if any_hit == 1 and nearest >= 0:
                return nearest, distance
        else:
            box = first_box + 12 * node
            left = box_entry(geometry.boxes, box, near, start, scale, distance)
            right = box_entry(geometry.boxes, box + 6, near, start, scale, distance)
            if wp.min(left, right) < MISS:
                descends = int(1)
                pending = 2 * pending
                if wp.max(left, right) < MISS:
                    pending += 1
                node = 2 * node
                if right < left:
                    node += 1
        if descends == 0:
            if pending == 0:
                goes_on = int(0)
            else:
                while (pending & 1) == 0:
                    pending = pending >> 1
                    node = node >> 1
                node = node ^ 1
                pending -= 1
    return nearest, distance


@wp.func
def reaches(center: wp.vec3, radius: float, origin: wp.vec3, direction: wp.vec3, limit: float) -> bool:
    """Whether a ray goes through a sphere before a limit."""
    offset = center - origin
    along = wp.dot(offset, direction)
    square = wp.dot(offset, offset)
    if square <= radius * radius:
        return True
    return along > 0.0 and along - radius < limit and square - along * along < radius * radius


@wp.func
def nearest_body(  # type: ignore[no-untyped-def]
    geometry: Geometry,
    bodies: wp.array2d(dtype=BodyPose),
    frame: int,
    candidates: int,
    origin: wp.vec3,
    direction: wp.vec3,
    limit: float,
    any_hit: int,
):
    """The first of some bodies that a ray meets before a limit, -1 for none, the triangle, and the distance.

    With `any_hit` it is any of them, which is faster.
    """
    nearest = int(-1)
    triangle = int(-1)
    distance = float(limit)
    for k in range(bodies.shape[1]):
        if contains(candidates, k) and (any_hit == 0 or nearest < 0):
            if reaches(bodies[frame, k].center, bodies[frame, k].radius, origin, direction, distance):
                turn = bodies[frame, k].rotation
                local = turn @ (origin - bodies[frame, k].origin)
                row = geometry.meshes[bodies[frame, k].mesh]
                hit, at = hit_mesh(geometry, row, local, turn @ direction, distance, any_hit)
                if hit >= 0:
                    nearest = k
                    triangle = hit
                    distance = at
    return nearest, triangle, distance


REACH = wp.constant(0.7)
"""Rays end here: what is farther away takes no light of the sky."""


@wp.kernel(module=KERNELS)
def bake_sky(
    geometry: Geometry,
    points: wp.array(dtype=wp.vec3),
    normals: wp.array(dtype=wp.vec3),
    directions: wp.array(dtype=wp.vec3),
    share: wp.array(dtype=float),
) -> None:
    """The share of rays from a point, in directions about its normal, that do not meet mesh 0."""
    index = wp.tid()
    normal = normals[index]
    aside = wp.vec3(1.0, 0.0, 0.0)
    if wp.abs(normal[0]) > 0.7:
        aside = wp.vec3(0.0, 1.0, 0.0)
    side = wp.normalize(wp.cross(normal, aside))
    other = wp.cross(normal, side)
    free = float(0.0)
    for ray in range(directions.shape[0]):
        about = directions[ray]
        direction = side * about[0] + other * about[1] + normal * about[2]
        hit, distance = hit_mesh(geometry, geometry.meshes[0], points[index], direction, REACH, 0)
        if hit < 0:
            free += 1.0
        else:
            free += 0.5 * distance * distance / (REACH * REACH)
    share[index] = free / float(directions.shape[0])
