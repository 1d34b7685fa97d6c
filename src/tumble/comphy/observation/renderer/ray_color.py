"""The colour along a ray from the eye: the table, rubber, or metal, which mirrors the scene once.

The ray and its mirror image go through one loop, and so do bodies and table: the lanes of a GPU that take different
paths wait for each other, and most of the time goes into shadow rays, which all of them need.
"""

import warp as wp

from tumble.comphy.observation.renderer.body_row import BodyRow
from tumble.comphy.observation.renderer.environment import mirrored_table, power, room
from tumble.comphy.observation.renderer.rays import all_except, nearest_body, normal
from tumble.comphy.observation.renderer.shading import (
    LAMP_LIGHT,
    diffuse_light,
    highlight,
    lamp_light,
    lamp_visibility,
    sky_visibility,
    table_color,
)

ALL_BODIES = wp.constant(-1)
MIRROR_RAY_STEP = wp.constant(2)
"""Only every second shadow ray is traced for the table in mirrors."""
MIRRORED_SPECULAR = wp.constant(0.35)
"""Brightness of the specular colour of metal in mirrors, which show no second reflection."""


@wp.func
def gray(value: float) -> wp.vec3:
    return wp.vec3(value, value, value)


@wp.func
def mirror_strength(specular: wp.vec3, facing_eye: float) -> wp.vec3:
    """Share of the mirrored light that metal reflects; more at grazing angles."""
    grazing = 1.0 - facing_eye
    fresnel = 0.55 * grazing * power(grazing, 2)
    return specular + (wp.vec3(1.0, 1.0, 1.0) - specular) * fresnel


@wp.func
def ray_color(  # type: ignore[no-untyped-def]
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    visible: int,
    shadowing: int,
    eye: wp.vec3,
    towards: wp.vec3,
):
    """Linear colour along a ray from the eye, the body that it enters (-1: none, the table), and the distance.

    Only bodies of the set `visible` can be seen, and only those of `shadowing` cast shadows on the table.
    """
    origin = wp.vec3(eye[0], eye[1], eye[2])
    direction = wp.vec3(towards[0], towards[1], towards[2])
    candidates = int(visible)
    table_occluders = int(shadowing)
    table_ray_step = int(1)
    seen_body = int(-1)
    seen_distance = float(0.0)
    color = wp.vec3(0.0, 0.0, 0.0)
    seen_facing = float(0.0)
    shine = float(0.0)
    is_mirrored = int(0)
    goes_on = int(1)
    while goes_on == 1:
        goes_on = int(0)
        k, distance = nearest_body(bodies, frame, candidates, origin, direction)
        light = wp.vec3(0.0, 0.0, 0.0)
        if k < 0 and is_mirrored == 1 and direction[2] >= -1.0e-3:
            light = gray(room(origin, direction))
        else:
            facing = wp.vec3(0.0, 0.0, 1.0)
            occluders = int(table_occluders)
            ray_step = int(table_ray_step)
            if k < 0:
                distance = -origin[2] / direction[2]
            point = origin + direction * distance
            if k >= 0:
                facing = normal(bodies, frame, k, point)
                occluders = all_except(k)
                ray_step = int(1)
            direct = lamp_light(point, facing)
            if direct > 0.0:
                direct = direct * lamp_visibility(bodies, lamp, frame, occluders, point, ray_step)
            sky = sky_visibility(bodies, frame, occluders, point, facing)
            if k < 0:
                table = table_color(direct, sky)
                if is_mirrored == 1:
                    table = mirrored_table(table, direction, distance)
                light = gray(table)
            else:
                light = bodies[frame, k].diffuse * diffuse_light(point, facing, direct, sky)
                specular = bodies[frame, k].specular
                if is_mirrored == 1:
                    light = light + specular * MIRRORED_SPECULAR
                else:
                    seen_body = k
                    seen_distance = distance
                    facing_eye = wp.clamp(-wp.dot(direction, facing), 0.0, 1.0)
                    mirrored = direction + facing * (2.0 * facing_eye)
                    lamp_share = direct / LAMP_LIGHT
                    if specular[0] + specular[1] + specular[2] == 0.0:
                        light = light + gray(0.05 * lamp_share * highlight(mirrored, point, 3))
                    else:
                        seen_facing = facing_eye
                        shine = lamp_share * (
                            1.6 * highlight(mirrored, point, 8) + 0.22 * highlight(mirrored, point, 4)
                        )
                        origin = point
                        direction = mirrored
                        candidates = all_except(k)
                        table_occluders = ALL_BODIES
                        table_ray_step = MIRROR_RAY_STEP
                        goes_on = int(1)
        if is_mirrored == 1:
            own = bodies[frame, seen_body].specular
            spot = wp.cw_mul(gray(0.35) + 0.65 * own, gray(shine))
            color = color + wp.cw_mul(mirror_strength(own, seen_facing), light) + spot
        else:
            color = light
        is_mirrored = int(1)
    return color, seen_body, seen_distance
