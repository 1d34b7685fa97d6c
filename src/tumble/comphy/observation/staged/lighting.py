"""The light on a point of the floor or of an object: a lamp with soft shadows, a fill light, and the sky."""

import warp as wp

from tumble.comphy.observation.renderer.rays import contains
from tumble.comphy.observation.staged.mesh_rays import is_blocked
from tumble.comphy.observation.staged.scene import LIGHT_RAYS, MAP_SIDE, Scene

RAYS = wp.constant(LIGHT_RAYS)
PROBES = wp.constant(4)
"""Shadow rays that are traced first, to points all over the light; if all are free or all blocked, no others are."""
SIDE = wp.constant(MAP_SIDE)
ALL_RAYS = wp.constant(-1)


@wp.func
def direct_light(scene: Scene, stage: int, point: wp.vec3, facing: wp.vec3) -> float:
    """Share of the light's colour that falls on a surface, without shadows."""
    towards = scene.stages[stage].light - point
    square = wp.dot(towards, towards)
    return wp.max(wp.dot(towards, facing), 0.0) / wp.sqrt(square) * scene.stages[stage].light_square / square


@wp.func
def light_visibility(scene: Scene, frame: int, stage: int, occluders: int, point: wp.vec3, ray: int) -> float:
    """Share of the light that is visible from a point, where only some bodies block it; by one ray or by ALL_RAYS.

    Rays are traced only where a body's bounding sphere reaches into the cone from the point to the light.
    """
    towards = scene.stages[stage].light - point
    distance = wp.length(towards)
    axis = towards / distance
    spread = scene.stages[stage].light_radius / distance
    candidates = int(0)
    for k in range(scene.bodies.shape[1]):
        if contains(occluders, k):
            offset = scene.bodies[frame, k].center - point
            along = wp.dot(offset, axis)
            radius = scene.bodies[frame, k].radius
            outer = radius + wp.max(along, 0.0) * spread + 0.01
            if along > -radius and wp.dot(offset, offset) - along * along < outer * outer:
                candidates = candidates | (1 << k)
    if candidates == 0:
        return 1.0
    if ray >= 0:
        direction = wp.normalize(scene.light_points[stage, ray] - point)
        return wp.where(is_blocked(scene, frame, candidates, point, direction), 0.0, 1.0)
    free = int(0)
    traced = int(0)
    while traced < RAYS:
        direction = wp.normalize(scene.light_points[stage, traced] - point)
        if not is_blocked(scene, frame, candidates, point, direction):
            free += 1
        traced += 1
        if traced == PROBES and (free == 0 or free == PROBES):
            return float(free) / float(PROBES)
    return float(free) / float(RAYS)


@wp.func
def map_value(scene: Scene, first: int, row: int, column: int) -> float:
    return scene.maps[first + row * SIDE + column]


@wp.func
def sky_on_floor(scene: Scene, frame: int, occluders: int, point: wp.vec3) -> float:
    """Share of the sky's light that some bodies leave to a point of the floor: their maps, multiplied."""
    share = float(1.0)
    for k in range(scene.bodies.shape[1]):
        if contains(occluders, k):
            mesh = scene.bodies[frame, k].mesh
            half = scene.meshes[mesh].map_half
            local = scene.bodies[frame, k].rotation @ (point - scene.bodies[frame, k].origin)
            if wp.abs(local[0]) < half and wp.abs(local[1]) < half:
                x = (0.5 + 0.5 * local[0] / half) * float(SIDE - 1)
                y = (0.5 + 0.5 * local[1] / half) * float(SIDE - 1)
                column, row = wp.min(int(x), SIDE - 2), wp.min(int(y), SIDE - 2)
                u, v = x - float(column), y - float(row)
                first = scene.meshes[mesh].first_texel
                upper = map_value(scene, first, row, column) * (1.0 - u) + map_value(scene, first, row, column + 1) * u
                row += 1
                lower = map_value(scene, first, row, column) * (1.0 - u) + map_value(scene, first, row, column + 1) * u
                share = share * (upper * (1.0 - v) + lower * v)
    return share


@wp.func
def sky_beside(scene: Scene, frame: int, occluders: int, point: wp.vec3, facing: wp.vec3) -> float:
    """Share of the sky's light that other bodies, taken as spheres, leave to a point of a body."""
    share = float(1.0)
    for k in range(scene.bodies.shape[1]):
        if contains(occluders, k):
            offset = scene.bodies[frame, k].center - point
            square = wp.dot(offset, offset)
            size = 0.5 * scene.bodies[frame, k].radius * scene.bodies[frame, k].radius
            if square < 8.0 * size:
                upward = wp.dot(offset, facing) / wp.sqrt(square)
                covered = wp.clamp(upward + 0.15, 0.0, 1.0) * wp.min(size / square, 1.0)
                share = share * (1.0 - 0.8 * covered * (1.0 - 0.125 * square / size))
    return share


@wp.func
def fill_light(scene: Scene, stage: int, facing: wp.vec3) -> wp.vec3:
    return scene.stages[stage].fill * wp.max(wp.dot(scene.stages[stage].fill_direction, facing), 0.0)


@wp.func
def light_on_floor(scene: Scene, stage: int, point: wp.vec3, visible: float, sky: float) -> wp.vec3:
    """All light on a point of the floor."""
    up = wp.vec3(0.0, 0.0, 1.0)
    ambient = (scene.stages[stage].sky + fill_light(scene, stage, up)) * sky
    return scene.stages[stage].light_color * (direct_light(scene, stage, point, up) * visible) + ambient


@wp.func
def light_on_object(
    scene: Scene, stage: int, point: wp.vec3, facing: wp.vec3, direct: float, open_sky: float, beside: float
) -> wp.vec3:
    """All light on a point of an object: the given direct light, and the sky, the fill light and the floor."""
    upward = 0.5 + 0.5 * facing[2]
    near_floor = wp.clamp(point[2] * 4.0, 0.2, 1.0)
    ambient = (scene.stages[stage].sky * (1.15 * upward) + fill_light(scene, stage, facing)) * (open_sky * beside)
    bounced = scene.stages[stage].bounce * ((1.0 - upward) * near_floor * (0.4 + 0.6 * open_sky))
    return scene.stages[stage].light_color * direct + ambient + bounced
