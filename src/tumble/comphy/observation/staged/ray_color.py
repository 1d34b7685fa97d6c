"""The colour along a ray from the eye: the light on floor and objects, and metal, which mirrors the scene once.

A lamp with soft shadows, a fill light, and the sky light a point. How much light objects leave to the floor is
computed for blocks of 2 x 2 pixels: shadows are soft, so the pixels between the middles of blocks take what lies
between.
"""

import warp as wp

from tumble.comphy.observation.renderer.kernels import TILE, shadowing_in
from tumble.comphy.observation.renderer.ray_color import power, room, strip_lights
from tumble.comphy.observation.renderer.rays import MISS, all_except, contains
from tumble.comphy.observation.renderer.scene import RAY_KERNEL, View, ray
from tumble.comphy.observation.staged.rays import nearest_body
from tumble.comphy.observation.staged.scene import (
    KERNELS,
    LIGHT_RAYS,
    MAP_SIDE,
    BodyPose,
    Geometry,
    MeshRow,
    StageRow,
    Surfaces,
)
from tumble.comphy.observation.staged.textures import surface_color

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


BLOCKS = TILE // 2
"""Along each side of a tile."""
BLOCK_SIDE = wp.constant(BLOCKS)
TILE_BLOCKS = wp.constant(BLOCKS * BLOCKS)
FLOOR_LIFT = wp.constant(0.002)


@wp.kernel(module=KERNELS, **RAY_KERNEL)
def light_floor(
    view: View,
    geometry: Geometry,
    surfaces: Surfaces,
    bodies: wp.array2d(dtype=BodyPose),
    tiles: wp.array3d(dtype=int),
    lanes: int,
    floor_light: wp.array3d(dtype=wp.vec2),
) -> None:
    """The visible share of the light and of the sky in the middle of each block [frame, row, column]."""
    frame, row, column, lane = wp.tid()
    shadowing = shadowing_in(tiles[frame, row, column])
    number = surfaces.frame_stages[frame]
    for block in range(lane, TILE_BLOCKS, lanes):
        y, x = row * BLOCK_SIDE + block // BLOCK_SIDE, column * BLOCK_SIDE + block % BLOCK_SIDE
        share = wp.vec2(1.0, 1.0)
        if shadowing != 0:
            direction = ray(view, 2.0 * float(x) + 1.0, 2.0 * float(y) + 1.0)
            point = view.eye + direction * (-view.eye[2] / direction[2])
            start = point + wp.vec3(0.0, 0.0, FLOOR_LIFT)
            light, radius = surfaces.stages[number].light, surfaces.stages[number].light_radius
            candidates = shadow_candidates(bodies, frame, shadowing, light, radius, start)
            visible = light_visibility(
                geometry, bodies, surfaces.light_points, frame, number, candidates, start, 0, FLOOR_RAYS
            )
            share = wp.vec2(visible, sky_on_floor(geometry.meshes, surfaces.maps, bodies, frame, shadowing, point))
        floor_light[frame, y, x] = share


@wp.func
def floor_light_at(floor_light: wp.array3d(dtype=wp.vec2), frame: int, row: int, column: int) -> wp.vec2:
    """The shares in the middle of a pixel, between those of the four nearest blocks."""
    x = wp.max(0.5 * float(column) - 0.25, 0.0)
    y = wp.max(0.5 * float(row) - 0.25, 0.0)
    left, top = int(x), int(y)
    right, below = wp.min(left + 1, floor_light.shape[2] - 1), wp.min(top + 1, floor_light.shape[1] - 1)
    u, v = x - float(left), y - float(top)
    upper = floor_light[frame, top, left] * (1.0 - u) + floor_light[frame, top, right] * u
    lower = floor_light[frame, below, left] * (1.0 - u) + floor_light[frame, below, right] * u
    return upper * (1.0 - v) + lower * v


ALL_BODIES = wp.constant(-1)
ALL_RAYS = wp.constant(-1)
LIFT = wp.constant(0.004)
"""Shadow rays start this far above a surface, since interpolated normals do not fit the flat triangles."""
MIRRORED_SPECULAR = wp.constant(0.35)
"""Brightness of the specular colour of metal in mirrors, which show no second reflection."""


@wp.func
def corner_shares(corner: wp.vec3, edge: wp.vec3, other: wp.vec3, point: wp.vec3) -> wp.vec3:
    """Weights of a triangle's corners at a point of its plane."""
    offset = point - corner
    a, b, c = wp.dot(edge, edge), wp.dot(edge, other), wp.dot(other, other)
    d, e = wp.dot(offset, edge), wp.dot(offset, other)
    scale = 1.0 / wp.max(a * c - b * b, 1.0e-20)
    u = wp.clamp((c * d - b * e) * scale, 0.0, 1.0)
    v = wp.clamp((a * e - b * d) * scale, 0.0, 1.0 - u)
    return wp.vec3(1.0 - u - v, u, v)


@wp.func
def highlight(light: wp.vec3, direction: wp.vec3, point: wp.vec3, doublings: int) -> float:
    """The light's highlight in a mirrored direction: the more doublings, the smaller."""
    return power(wp.max(wp.dot(direction, wp.normalize(light - point)), 0.0), doublings)


@wp.func
def pixel_of(view: View, point: wp.vec3) -> wp.vec2i:
    """Row and column of the pixel that shows a point of the floor, or the nearest one."""
    offset = point - view.eye
    depth = wp.max(wp.dot(offset, view.forward), 0.3)
    x = wp.dot(offset, view.across) / wp.dot(view.across, view.across) / depth + 0.5 * float(view.width)
    y = wp.dot(offset, view.down) / wp.dot(view.down, view.down) / depth + 0.5 * float(view.height)
    column = int(wp.clamp(x, 0.0, float(view.width - 1)))
    return wp.vec2i(int(wp.clamp(y, 0.0, float(view.height - 1))), column)


@wp.func
def surroundings(stage: StageRow, point: wp.vec3, direction: wp.vec3) -> wp.vec3:
    """What a mirror shows in an upward direction."""
    return (stage.sky * 1.4 + stage.light_color * 0.45) * room(point, direction)


@wp.func
def ray_color(  # type: ignore[no-untyped-def]
    geometry: Geometry,
    surfaces: Surfaces,
    bodies: wp.array2d(dtype=BodyPose),
    view: View,
    frame: int,
    visible_bodies: int,
    floor_light: wp.array3d(dtype=wp.vec2),
    row: int,
    column: int,
    towards: wp.vec3,
    ray: int,
):
    """Linear colour along a ray from the eye, the body that it meets (-1: none, the floor), and the distance.

    Only bodies of the set `visible_bodies` can be seen. The floor's colour and light are those of the pixel (row,
    column). A single shadow ray can be chosen, or ALL_RAYS. The ray and its image in metal go through one loop: what
    they have in common is compiled once.
    """
    number = surfaces.frame_stages[frame]
    stage = surfaces.stages[number]
    origin = wp.vec3(view.eye[0], view.eye[1], view.eye[2])
    direction = wp.vec3(towards[0], towards[1], towards[2])
    candidates = int(visible_bodies)
    first_ray = int(0)
    last_ray = int(OBJECT_RAYS)
    if ray >= 0:
        first_ray = int(ray)
        last_ray = ray + 1
    seen_body = int(-1)
    seen_distance = float(0.0)
    color = wp.vec3(0.0, 0.0, 0.0)
    strength = wp.vec3(1.0, 1.0, 1.0)
    is_mirrored = int(0)
    goes_on = int(1)
    while goes_on == 1:
        goes_on = int(0)
        k, triangle, distance = nearest_body(geometry, bodies, frame, candidates, origin, direction, MISS, 0)
        if k < 0 and direction[2] >= -1.0e-3:
            color += wp.cw_mul(strength, surroundings(stage, origin, direction))
        else:
            if k < 0:
                distance = -origin[2] / direction[2]
            point = origin + direction * distance
            facing = wp.vec3(0.0, 0.0, 1.0)
            occluders = ALL_BODIES
            open_sky = float(1.0)
            local = wp.vec3(0.0, 0.0, 0.0)
            if k >= 0:
                turn = bodies[frame, k].rotation
                local = turn @ (point - bodies[frame, k].origin)
                edge, other = geometry.corners[3 * triangle + 1], geometry.corners[3 * triangle + 2]
                weights = corner_shares(geometry.corners[3 * triangle], edge, other, local)
                smooth = (
                    surfaces.normals[triangle, 0] * weights[0]
                    + surfaces.normals[triangle, 1] * weights[1]
                    + surfaces.normals[triangle, 2] * weights[2]
                )
                facing = wp.normalize(wp.transpose(turn) @ smooth)
                open_sky = wp.dot(surfaces.open_sky[triangle], weights)
                if open_sky > OPEN_SKY:
                    occluders = all_except(k)
            start = point + facing * LIFT
            direct = float(1.0)
            if k >= 0:
                direct = direct_light(stage, point, facing)
            if direct > 0.0 and (k >= 0 or is_mirrored == 1):
                near_light = shadow_candidates(bodies, frame, occluders, stage.light, stage.light_radius, start)
                direct = direct * light_visibility(
                    geometry, bodies, surfaces.light_points, frame, number, near_light, start, first_ray, last_ray
                )
            if is_mirrored == 0:
                seen_body = k
                seen_distance = distance
            if k < 0:
                at = wp.vec2i(row, column)
                shares = wp.vec2(0.0, 0.0)
                if is_mirrored == 0:
                    shares = floor_light_at(floor_light, frame, row, column)
                else:
                    at = pixel_of(view, point)
                    sky = sky_on_floor(geometry.meshes, surfaces.maps, bodies, frame, ALL_BODIES, point)
                    shares = wp.vec2(0.75 * direct, 0.75 * sky)
                    color += wp.cw_mul(strength, stage.light_color) * (0.5 * strip_lights(direction) * sky)
                light = surfaces.floor_direct[number, at[0], at[1]] * shares[0]
                light += surfaces.floor_ambient[number, at[0], at[1]] * shares[1]
                color += wp.cw_mul(strength, light)
            else:
                open_sky = open_sky * sky_beside(bodies, frame, all_except(k), point, facing)
                look = surfaces.looks[bodies[frame, k].look]
                lit = light_on_object(stage, point, facing, direct, open_sky)
                own = wp.cw_mul(surface_color(look, local, surfaces.tints[triangle]), lit)
                is_metal = look.specular[0] + look.specular[1] + look.specular[2] > 0.0
                if is_mirrored == 1:
                    color += wp.cw_mul(strength, own + look.specular * (MIRRORED_SPECULAR * open_sky))
                else:
                    facing_eye = wp.clamp(-wp.dot(direction, facing), 0.0, 1.0)
                    mirrored = direction + facing * (2.0 * facing_eye)
                    grazing = 1.0 - facing_eye
                    fresnel = grazing * power(grazing, 2)
                    shine = stage.light_color * direct
                    if is_metal:
                        spot = 1.6 * highlight(stage.light, mirrored, point, 8)
                        spot += 0.22 * highlight(stage.light, mirrored, point, 4)
                        own += wp.cw_mul(wp.vec3(0.35, 0.35, 0.35) + 0.65 * look.specular, shine) * spot
                        strength = look.specular + (wp.vec3(1.0, 1.0, 1.0) - look.specular) * (0.55 * fresnel)
                        origin = start
                        direction = mirrored
                        candidates = ALL_BODIES
                        last_ray = first_ray + 1
                        goes_on = int(1)
                    elif look.gloss > 0.0:
                        if mirrored[2] > 0.0:
                            coat = look.gloss * (0.10 + 0.75 * fresnel) * open_sky
                            own += surroundings(stage, point, mirrored) * coat
                        own += shine * (look.gloss * highlight(stage.light, mirrored, point, 7))
                    else:
                        own += shine * (0.05 * highlight(stage.light, mirrored, point, 3))
                    color = own
        is_mirrored = int(1)
    return color, seen_body, seen_distance
