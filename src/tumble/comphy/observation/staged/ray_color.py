"""The colour along a ray from the eye: the floor, an object, or metal, which mirrors the scene once."""

import warp as wp

from tumble.comphy.observation.renderer.environment import power, room, strip_lights
from tumble.comphy.observation.renderer.rays import all_except
from tumble.comphy.observation.renderer.view import View
from tumble.comphy.observation.staged.lighting import (
    ALL_RAYS,
    direct_light,
    light_on_floor,
    light_on_object,
    light_visibility,
    sky_beside,
    sky_on_floor,
)
from tumble.comphy.observation.staged.mesh_rays import nearest_body
from tumble.comphy.observation.staged.patterns import surface_color
from tumble.comphy.observation.staged.scene import Scene

ALL_BODIES = wp.constant(-1)
LIFT = wp.constant(0.004)
"""Shadow rays start this far above a surface, since interpolated normals do not fit the flat triangles."""
MIRRORED_SPECULAR = wp.constant(0.35)
"""Brightness of the specular colour of metal in mirrors, which show no second reflection."""


@wp.func
def corner_shares(scene: Scene, triangle: int, point: wp.vec3) -> wp.vec3:
    """Weights of a triangle's corners at a point of its plane."""
    edge, other = scene.corners[triangle, 1], scene.corners[triangle, 2]
    offset = point - scene.corners[triangle, 0]
    a, b, c = wp.dot(edge, edge), wp.dot(edge, other), wp.dot(other, other)
    d, e = wp.dot(offset, edge), wp.dot(offset, other)
    scale = 1.0 / wp.max(a * c - b * b, 1.0e-20)
    u = wp.clamp((c * d - b * e) * scale, 0.0, 1.0)
    v = wp.clamp((a * e - b * d) * scale, 0.0, 1.0 - u)
    return wp.vec3(1.0 - u - v, u, v)


@wp.func
def highlight(scene: Scene, stage: int, direction: wp.vec3, point: wp.vec3, doublings: int) -> float:
    """The light's highlight in a mirrored direction: the more doublings, the smaller."""
    towards = wp.normalize(scene.stages[stage].light - point)
    return power(wp.max(wp.dot(direction, towards), 0.0), doublings)


@wp.func
def floor_seen(scene: Scene, view: View, stage: int, point: wp.vec3) -> wp.vec3:
    """Colour of the floor at a point, from the pixel that shows it or the nearest one."""
    offset = point - view.eye
    depth = wp.max(wp.dot(offset, view.forward), 0.3)
    x = wp.dot(offset, view.across) / wp.dot(view.across, view.across) / depth + 0.5 * float(view.width)
    y = wp.dot(offset, view.down) / wp.dot(view.down, view.down) / depth + 0.5 * float(view.height)
    column = int(wp.clamp(x, 0.0, float(view.width - 1)))
    row = int(wp.clamp(y, 0.0, float(view.height - 1)))
    return scene.floors[stage, row, column]


@wp.func
def mirrored_color(
    scene: Scene, view: View, frame: int, stage: int, origin: wp.vec3, direction: wp.vec3
) -> wp.vec3:
    """What metal shows in a direction: another object, the floor, or the surroundings; with one shadow ray."""
    k, triangle, distance = nearest_body(scene, frame, ALL_BODIES, origin, direction)
    if k < 0 and direction[2] >= -1.0e-3:
        return (scene.stages[stage].sky * 1.4 + scene.stages[stage].light_color * 0.45) * room(origin, direction)
    facing = wp.vec3(0.0, 0.0, 1.0)
    if k < 0:
        distance = -origin[2] / direction[2]
    point = origin + direction * distance
    local = wp.vec3(0.0, 0.0, 0.0)
    shares = wp.vec3(0.0, 0.0, 0.0)
    if k >= 0:
        turn = scene.bodies[frame, k].rotation
        local = turn @ (point - scene.bodies[frame, k].origin)
        shares = corner_shares(scene, triangle, local)
        smooth = (
            scene.normals[triangle, 0] * shares[0]
            + scene.normals[triangle, 1] * shares[1]
            + scene.normals[triangle, 2] * shares[2]
        )
        facing = wp.normalize(wp.transpose(turn) @ smooth)
    visible = light_visibility(scene, frame, stage, ALL_BODIES, point + facing * LIFT, 0)
    if k < 0:
        color = floor_seen(scene, view, stage, point)
        sky = sky_on_floor(scene, frame, ALL_BODIES, point)
        reflected = scene.stages[stage].light_color * (0.5 * strip_lights(direction))
        return wp.cw_mul(color, light_on_floor(scene, stage, point, visible, sky)) * 0.75 + reflected * sky
    open_sky = wp.dot(scene.open_sky[triangle], shares)
    direct = direct_light(scene, stage, point, facing) * visible
    look = scene.looks[scene.bodies[frame, k].look]
    color = surface_color(look, local, scene.tints[triangle])
    light = light_on_object(scene, stage, point, facing, direct, open_sky, 1.0)
    return wp.cw_mul(color, light) + look.specular * (MIRRORED_SPECULAR * open_sky)


@wp.func
def ray_color(  # type: ignore[no-untyped-def]
    scene: Scene,
    view: View,
    frame: int,
    visible_bodies: int,
    shadowing: int,
    row: int,
    column: int,
    direction: wp.vec3,
    ray: int,
):
    """Linear colour along a ray from the eye, the body that it meets (-1: none, the floor), and the distance.

    Only bodies of the set `visible_bodies` can be seen, and only those of `shadowing` cast shadows on the floor. The
    floor's colour is that of the pixel (row, column). A single shadow ray can be chosen, or ALL_RAYS.
    """
    stage = scene.frame_stages[frame]
    k, triangle, distance = nearest_body(scene, frame, visible_bodies, view.eye, direction)
    if k < 0:
        distance = -view.eye[2] / direction[2]
    point = view.eye + direction * distance
    facing = wp.vec3(0.0, 0.0, 1.0)
    occluders = int(shadowing)
    local = wp.vec3(0.0, 0.0, 0.0)
    shares = wp.vec3(0.0, 0.0, 0.0)
    if k >= 0:
        occluders = ALL_BODIES
        turn = scene.bodies[frame, k].rotation
        local = turn @ (point - scene.bodies[frame, k].origin)
        shares = corner_shares(scene, triangle, local)
        smooth = (
            scene.normals[triangle, 0] * shares[0]
            + scene.normals[triangle, 1] * shares[1]
            + scene.normals[triangle, 2] * shares[2]
        )
        facing = wp.normalize(wp.transpose(turn) @ smooth)
    start = point + facing * LIFT
    direct = direct_light(scene, stage, point, facing)
    visible = float(0.0)
    if direct > 0.0:
        visible = light_visibility(scene, frame, stage, occluders, start, ray)
    if k < 0:
        sky = sky_on_floor(scene, frame, occluders, point)
        light = light_on_floor(scene, stage, point, visible, sky)
        return wp.cw_mul(scene.floors[stage, row, column], light), k, distance
    open_sky = wp.dot(scene.open_sky[triangle], shares)
    beside = sky_beside(scene, frame, all_except(k), point, facing)
    look = scene.looks[scene.bodies[frame, k].look]
    lit = light_on_object(scene, stage, point, facing, direct * visible, open_sky, beside)
    color = wp.cw_mul(surface_color(look, local, scene.tints[triangle]), lit)
    facing_eye = wp.clamp(-wp.dot(direction, facing), 0.0, 1.0)
    mirrored = direction + facing * (2.0 * facing_eye)
    grazing = 1.0 - facing_eye
    shine = scene.stages[stage].light_color * (direct * visible)
    if look.specular[0] + look.specular[1] + look.specular[2] > 0.0:
        strength = look.specular + (wp.vec3(1.0, 1.0, 1.0) - look.specular) * (0.55 * grazing * power(grazing, 2))
        seen = mirrored_color(scene, view, frame, stage, start, mirrored)
        spot = 1.6 * highlight(scene, stage, mirrored, point, 8) + 0.22 * highlight(scene, stage, mirrored, point, 4)
        color = color + wp.cw_mul(strength, seen)
        color = color + wp.cw_mul(wp.vec3(0.35, 0.35, 0.35) + 0.65 * look.specular, shine) * spot
    elif look.gloss > 0.0:
        coat = look.gloss * (0.10 + 0.75 * grazing * power(grazing, 2))
        around = scene.stages[stage].sky + scene.stages[stage].light_color * 0.4
        if mirrored[2] > 0.0:
            color = color + around * (coat * room(point, mirrored) * open_sky * beside)
        color = color + shine * (look.gloss * (0.9 * highlight(scene, stage, mirrored, point, 7)))
    else:
        color = color + shine * (0.05 * highlight(scene, stage, mirrored, point, 3))
    return color, k, distance
