"""The light on a point of the table or of a body: a lamp with soft shadows, a fill light, and a dim sky with ambient
occlusion. Sets of bodies are integers with one bit for each body."""

import warp as wp

from tumble.comphy.observation.renderer.body_row import BodyRow
from tumble.comphy.observation.renderer.environment import power
from tumble.comphy.observation.renderer.rays import contains, intersect_body
from tumble.comphy.observation.renderer.shapes import MISS, SPHERE_RADIUS

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
