"""The colour along a ray from the eye: the floor, an object, or metal, which mirrors the scene once."""

import warp as wp

from tumble.comphy.observation.renderer.environment import power, room, strip_lights
from tumble.comphy.observation.renderer.rays import all_except
from tumble.comphy.observation.renderer.shapes import MISS
from tumble.comphy.observation.renderer.view import View
from tumble.comphy.observation.staged.floor_light import floor_light_at
from tumble.comphy.observation.staged.lighting import (
    OBJECT_RAYS,
    OPEN_SKY,
    direct_light,
    light_on_object,
    light_visibility,
    shadow_candidates,
    sky_beside,
    sky_on_floor,
)
from tumble.comphy.observation.staged.mesh_rays import nearest_body
from tumble.comphy.observation.staged.patterns import surface_color
from tumble.comphy.observation.staged.scene import BodyPose, Geometry, StageRow, Surfaces

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
