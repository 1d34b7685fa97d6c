"""The colour along a ray from the eye: the light on table and bodies, and metal, which mirrors the scene once.

The ray and its mirror image go through one loop, and so do bodies and table: the lanes of a GPU that take different
paths wait for each other, and most of the time goes into shadow rays, which all of them need.

A lamp with soft shadows, a fill light, and a dim sky with ambient occlusion light a point. Metal mirrors besides
bodies the table, a dark wall at the horizon, softboxes, and two upright strip lights, which are seen only in
mirrors. The softboxes hang low, so that across the flat top of one body a mirror shows bright and dark at any place
on the table.
"""

import warp as wp

from tumble.comphy.observation.renderer.rays import (
    MISS,
    SPHERE_RADIUS,
    all_except,
    contains,
    intersect_body,
    nearest_body,
    normal,
)
from tumble.comphy.observation.renderer.scene import BodyRow

WALL_LIGHT = wp.constant(0.06)
SOFTBOX_HEIGHT = wp.constant(1.0)
"""Of the softboxes above the table."""
SOFTBOX_SPACING = 0.8
"""Distance between the middles of two rows."""
SOFTBOX_LIGHT = wp.constant(1.1)
GAP_LIGHT = wp.constant(0.14)
"""Between two rows."""
ACROSS_ROWS = wp.constant(wp.vec3(-0.10 / SOFTBOX_SPACING, 0.995 / SOFTBOX_SPACING, 0.0))
"""Across the rows, divided by their spacing. The rows are almost perpendicular to the view."""
AWAY = wp.constant(wp.normalize(wp.vec3(-0.38, 1.0, 0.0)))
"""From the camera to the table. Only on this side, which flat tops mirror, are there gaps between the rows. Above and
towards the camera there is one large softbox: spheres mirror all sides, and would have many stripes otherwise."""
KEY_STRIP = wp.constant(wp.normalize(wp.vec3(0.96, -0.28, 0.0)))
"""Towards the brighter strip light: below the lamp."""
RIM_STRIP = wp.constant(wp.normalize(wp.vec3(-0.81, -0.59, 0.0)))
"""Towards the dimmer strip light: below the fill light."""
KEY_LIGHT, RIM_LIGHT = wp.constant(1.1), wp.constant(0.5)
MIRRORED_TABLE = wp.constant(0.6)
"""Brightness of the table in mirrors, relative to the table itself: some of the light is lost."""
CONTACT_SQUARE = wp.constant(0.1)
"""Square of the distance at which the mirrored table has half its brightness: it is dark where a body stands."""
CONTACT_LIGHT = wp.constant(0.06)
"""Brightness of the mirrored table where a body touches it, relative to the brightness far away."""


@wp.func
def power(base: float, doublings: int) -> float:
    """base ** (2 ** doublings)."""
    result = float(base)
    for _ in range(doublings):
        result = result * result
    return result


@wp.func
def room(point: wp.vec3, direction: wp.vec3) -> float:
    """Brightness that a mirror at a point shows in an upward direction: the softboxes, above a dark wall."""
    reach = (SOFTBOX_HEIGHT - point[2]) / wp.max(direction[2], 1.0e-3)
    row = wp.dot(point + direction * reach, ACROSS_ROWS)
    from_gap = wp.abs(2.0 * (row - wp.floor(row)) - 1.0)
    behind = wp.clamp(3.0 * wp.dot(direction, AWAY) - 0.6, 0.0, 1.0)
    from_gap = 1.0 - behind * (1.0 - from_gap)
    softbox = GAP_LIGHT + SOFTBOX_LIGHT * from_gap * from_gap * (3.0 - 2.0 * from_gap)
    above_wall = wp.clamp(direction[2] * 4.0 - 0.6, 0.0, 1.0)
    return WALL_LIGHT + softbox * above_wall


@wp.func
def strip_lights(direction: wp.vec3) -> float:
    """Brightness of the two upright strip lights, smeared vertically as by brushed metal."""
    across = wp.sqrt(direction[0] * direction[0] + direction[1] * direction[1])
    scale = 1.0 / wp.max(across, 1.0e-6)
    key = power(wp.max(wp.dot(direction, KEY_STRIP) * scale, 0.0), 4)
    rim = power(wp.max(wp.dot(direction, RIM_STRIP) * scale, 0.0), 4)
    return across * (KEY_LIGHT * key + RIM_LIGHT * rim)


@wp.func
def mirrored_table(table: float, direction: wp.vec3, distance: float) -> float:
    """Brightness of the table and the strip lights in a mirror, from the table's own brightness at a distance."""
    square = distance * distance
    from_contact = CONTACT_LIGHT + (1.0 - CONTACT_LIGHT) * square / (square + CONTACT_SQUARE)
    return (MIRRORED_TABLE * table + strip_lights(direction)) * from_contact


LAMP = (5.4, -1.6, 7.4)
"""Its position."""
LAMP_RADIUS = 1.0
SHADOW_RAYS = 16

LAMP_POSITION = wp.constant(wp.vec3(*LAMP))
LAMP_SIZE = wp.constant(LAMP_RADIUS)
LAMP_RAYS = wp.constant(SHADOW_RAYS)
LAMP_LIGHT = wp.constant(1.08)
"""Light of the lamp on a white diffuse surface that faces it at the table's centre."""
LAMP_SQUARE = wp.constant(float(sum(part * part for part in LAMP)))
"""Square of the lamp's distance from the table's centre."""
FILL_DIRECTION = wp.constant(wp.normalize(wp.vec3(-0.75, -0.55, 0.45)))
"""Towards the fill light."""
FILL_LIGHT = wp.constant(0.20)
SKY_LIGHT = wp.constant(0.30)
TABLE_COLOR = wp.constant(0.40)
OCCLUSION_STRENGTH = wp.constant(0.85)
"""Share of the sky's light that a body takes away where it covers the whole sky."""
OCCLUSION_RADIUS = 0.52
"""Distance from a body's centre beyond which it takes no light of the sky away."""
OCCLUSION_SQUARE = wp.constant(OCCLUSION_RADIUS * OCCLUSION_RADIUS)
OCCLUDER_SQUARE = wp.constant(1.25 * 0.2 * 0.2)
"""Square of the radius of the sphere that stands for a body in ambient occlusion."""


@wp.func
def lamp_visibility(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    occluders: int,
    point: wp.vec3,
    step: int,
) -> float:
    """Share of the lamp that is visible from a point, where only some bodies occlude it; by every step-th shadow ray.

    Shadow rays are traced only where a body's bounding sphere reaches into the cone from the point to the lamp, and not
    where a body's inner sphere fills that cone.
    """
    to_lamp = LAMP_POSITION - point
    distance = wp.length(to_lamp)
    axis = to_lamp / distance
    spread = LAMP_SIZE / distance
    candidates = int(0)
    for k in range(bodies.shape[1]):
        if contains(occluders, k):
            offset = bodies[frame, k].center - point
            along = wp.dot(offset, axis)
            off = wp.dot(offset, offset) - along * along
            cone_radius = wp.max(along, 0.0) * spread
            outer = bodies[frame, k].bounding_radius + cone_radius + 0.01
            if along > -bodies[frame, k].bounding_radius and off < outer * outer:
                inner = SPHERE_RADIUS - cone_radius
                if along > SPHERE_RADIUS and inner > 0.0 and off < inner * inner:
                    return 0.0
                candidates = candidates | (1 << k)
    if candidates == 0:
        return 1.0
    unblocked = int(0)
    for ray in range(0, LAMP_RAYS, step):
        direction = wp.normalize(lamp[ray] - point)
        is_free = int(1)
        for k in range(bodies.shape[1]):
            if is_free == 1 and contains(candidates, k) and intersect_body(bodies, frame, k, point, direction) < MISS:
                is_free = int(0)
        unblocked += is_free
    return float(unblocked * step) / float(LAMP_RAYS)


@wp.func
def sky_visibility(
    bodies: wp.array2d(dtype=BodyRow), frame: int, occluders: int, point: wp.vec3, facing: wp.vec3
) -> float:
    """Ambient occlusion: the share of the sky's light that some bodies leave to a point with a normal."""
    visible = float(1.0)
    for k in range(bodies.shape[1]):
        if contains(occluders, k):
            offset = bodies[frame, k].center - point
            square = wp.dot(offset, offset)
            if square < OCCLUSION_SQUARE:
                fade = 1.0 - square / OCCLUSION_SQUARE
                upward = wp.dot(offset, facing) / wp.sqrt(square)
                covered = wp.clamp(upward + 0.15, 0.0, 1.0) * wp.min(OCCLUDER_SQUARE / square, 1.0)
                visible = visible * (1.0 - OCCLUSION_STRENGTH * covered * fade)
    return visible


@wp.func
def lamp_light(point: wp.vec3, facing: wp.vec3) -> float:
    """The lamp's light on a surface, without shadows."""
    to_lamp = LAMP_POSITION - point
    square = wp.dot(to_lamp, to_lamp)
    return LAMP_LIGHT * wp.max(wp.dot(to_lamp, facing), 0.0) / wp.sqrt(square) * LAMP_SQUARE / square


@wp.func
def fill_light(facing: wp.vec3) -> float:
    return FILL_LIGHT * wp.max(wp.dot(FILL_DIRECTION, facing), 0.0)


@wp.func
def empty_table(point: wp.vec3) -> float:
    """The table's brightness without bodies."""
    up = wp.vec3(0.0, 0.0, 1.0)
    return TABLE_COLOR * (lamp_light(point, up) + fill_light(up) + SKY_LIGHT)


@wp.func
def table_color(direct: float, sky: float) -> float:
    """The table's brightness from the direct light of the lamp and the visible share of sky and fill light."""
    return TABLE_COLOR * (direct + (fill_light(wp.vec3(0.0, 0.0, 1.0)) + SKY_LIGHT) * sky)


@wp.func
def highlight(direction: wp.vec3, point: wp.vec3, doublings: int) -> float:
    """The lamp's highlight in a mirrored direction: the more doublings, the smaller."""
    return power(wp.max(wp.dot(direction, wp.normalize(LAMP_POSITION - point)), 0.0), doublings)


@wp.func
def diffuse_light(point: wp.vec3, facing: wp.vec3, direct: float, sky: float) -> float:
    """All light on a point of a body: the given direct light of the lamp, and the sky, fill light and table."""
    upward = 0.5 + 0.5 * facing[2]
    from_table = (1.0 - upward) * 0.42 * wp.clamp(point[2] * 4.0, 0.15, 1.0)
    ambient = (SKY_LIGHT * upward * 1.15 + fill_light(facing)) * sky
    return direct + ambient + from_table


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
