"""The light on a point of the floor or of an object: a lamp with soft shadows, a fill light, and the sky."""

import warp as wp

from tumble.comphy.observation.renderer.rays import contains
from tumble.comphy.observation.renderer.shapes import MISS
from tumble.comphy.observation.staged.mesh_rays import nearest_body
from tumble.comphy.observation.staged.scene import LIGHT_RAYS, MAP_SIDE, BodyPose, Geometry, MeshRow, StageRow

FLOOR_RAYS = wp.constant(LIGHT_RAYS)
"""Shadow rays from the floor, at most."""
OBJECT_RAYS = wp.constant(8)
"""Shadow rays from an object, at most."""
PROBES = wp.constant(5)
"""Shadow rays that are traced first, to the rim of the light; if all are free or all blocked, no others are."""
SIDE = wp.constant(MAP_SIDE)
OPEN_SKY = wp.constant(0.995)
"""Where an object leaves as much of the sky free, it casts no shadow on itself."""


@wp.func
def direct_light(stage: StageRow, point: wp.vec3, facing: wp.vec3) -> float:
    """Share of the light's colour that falls on a surface, without shadows."""
    towards = stage.light - point
    square = wp.dot(towards, towards)
    return wp.max(wp.dot(towards, facing), 0.0) / wp.sqrt(square) * stage.light_square / square


@wp.func
def is_free(
    geometry: Geometry,
    bodies: wp.array2d(dtype=BodyPose),
    frame: int,
    occluders: int,
    point: wp.vec3,
    light_point: wp.vec3,
) -> int:
    """1 if nothing is between two points, 0 otherwise."""
    direction = wp.normalize(light_point - point)
    k, _triangle, _distance = nearest_body(geometry, bodies, frame, occluders, point, direction, MISS, 1)
    return wp.where(k < 0, 1, 0)


@wp.func
def shadow_candidates(
    bodies: wp.array2d(dtype=BodyPose), frame: int, occluders: int, light: wp.vec3, light_radius: float, point: wp.vec3
) -> int:
    """Those of some bodies whose bounding sphere reaches into the cone from a point to the light."""
    towards = light - point
    distance = wp.length(towards)
    axis = towards / distance
    spread = light_radius / distance
    candidates = int(0)
    for k in range(bodies.shape[1]):
        if contains(occluders, k):
            offset = bodies[frame, k].center - point
            along = wp.dot(offset, axis)
            radius = bodies[frame, k].radius
            outer = radius + wp.max(along, 0.0) * spread + 0.01
            if along > -radius and wp.dot(offset, offset) - along * along < outer * outer:
                candidates = candidates | (1 << k)
    return candidates


@wp.func
def light_visibility(
    geometry: Geometry,
    bodies: wp.array2d(dtype=BodyPose),
    light_points: wp.array2d(dtype=wp.vec3),
    frame: int,
    stage: int,
    candidates: int,
    point: wp.vec3,
    first: int,
    most: int,
) -> float:
    """Share of the light that is visible from a point, where only some bodies block it.

    Rays go to the light's points from number `first` to `most`, and no farther if the first of them all agree.
    """
    if candidates == 0:
        return 1.0
    free = int(0)
    traced = int(0)
    while first + traced < most:
        free += is_free(geometry, bodies, frame, candidates, point, light_points[stage, first + traced])
        traced += 1
        if traced == PROBES and (free == 0 or free == PROBES):
            return float(free) / float(PROBES)
    return float(free) / float(traced)


@wp.func
def map_value(maps: wp.array(dtype=float), first: int, row: int, column: int) -> float:
    return maps[first + row * SIDE + column]


@wp.func
def sky_on_floor(
    meshes: wp.array(dtype=MeshRow),
    maps: wp.array(dtype=float),
    bodies: wp.array2d(dtype=BodyPose),
    frame: int,
    occluders: int,
    point: wp.vec3,
) -> float:
    """Share of the sky's light that some bodies leave to a point of the floor: their maps, multiplied."""
    share = float(1.0)
    for k in range(bodies.shape[1]):
        if contains(occluders, k):
            mesh = bodies[frame, k].mesh
            half = meshes[mesh].map_half
            local = bodies[frame, k].rotation @ (point - bodies[frame, k].origin)
            if wp.abs(local[0]) < half and wp.abs(local[1]) < half:
                x = (0.5 + 0.5 * local[0] / half) * float(SIDE - 1)
                y = (0.5 + 0.5 * local[1] / half) * float(SIDE - 1)
                column, row = wp.min(int(x), SIDE - 2), wp.min(int(y), SIDE - 2)
                u, v = x - float(column), y - float(row)
                first = meshes[mesh].first_texel
                upper = map_value(maps, first, row, column) * (1.0 - u) + map_value(maps, first, row, column + 1) * u
                row += 1
                lower = map_value(maps, first, row, column) * (1.0 - u) + map_value(maps, first, row, column + 1) * u
                share = share * (upper * (1.0 - v) + lower * v)
    return share


@wp.func
def sky_beside(
    bodies: wp.array2d(dtype=BodyPose), frame: int, occluders: int, point: wp.vec3, facing: wp.vec3
) -> float:
    """Share of the sky's light that other bodies, taken as spheres, leave to a point of a body."""
    share = float(1.0)
    for k in range(bodies.shape[1]):
        if contains(occluders, k):
            offset = bodies[frame, k].center - point
            square = wp.dot(offset, offset)
            size = 0.5 * bodies[frame, k].radius * bodies[frame, k].radius
            if square < 8.0 * size:
                upward = wp.dot(offset, facing) / wp.sqrt(square)
                covered = wp.clamp(upward + 0.15, 0.0, 1.0) * wp.min(size / square, 1.0)
                share = share * (1.0 - 0.8 * covered * (1.0 - 0.125 * square / size))
    return share


@wp.func
def fill_light(stage: StageRow, facing: wp.vec3) -> wp.vec3:
    return stage.fill * wp.max(wp.dot(stage.fill_direction, facing), 0.0)


@wp.func
def light_on_object(stage: StageRow, point: wp.vec3, facing: wp.vec3, direct: float, open_sky: float) -> wp.vec3:
    """All light on a point of an object: the given direct light, and the sky, the fill light and the floor."""
    upward = 0.5 + 0.5 * facing[2]
    near_floor = wp.clamp(point[2] * 4.0, 0.2, 1.0)
    ambient = (stage.sky * (1.15 * upward) + fill_light(stage, facing)) * open_sky
    bounced = stage.bounce * ((1.0 - upward) * near_floor * (0.4 + 0.6 * open_sky))
    return stage.light_color * direct + ambient + bounced
