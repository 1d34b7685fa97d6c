"""The kernel that computes, once for each object, how much of the sky its shape leaves to points of and around it."""

import warp as wp

from tumble.comphy.observation.staged.mesh_rays import hit_mesh
from tumble.comphy.observation.staged.scene import Geometry
from tumble.comphy.observation.staged.warp_module import KERNELS

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
