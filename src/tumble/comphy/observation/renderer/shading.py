"""Shading of the table and of bodies: a lamp with soft shadows, a fill light, a dim sky, reflections on metal."""

import warp as wp

from tumble.comphy.observation.renderer.rays import BODY_RADIUS, NO_HIT, BodyRow, enter, normal

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LAMP = (5.4, -1.6, 7.4)
LAMP_RADIUS = 1.0
SHADOW_RAYS = 16

LAMP_AT = wp.constant(wp.vec3(*LAMP))
LAMP_SIZE = wp.constant(LAMP_RADIUS)
LAMP_RAYS = wp.constant(SHADOW_RAYS)
LAMP_LIGHT = wp.constant(1.08)
"""Light of the lamp on a white matt surface that faces it at the centre of the table."""
LAMP_SQUARE = wp.constant(float(sum(part * part for part in LAMP)))
FILL_FROM = wp.constant(wp.normalize(wp.vec3(-0.75, -0.55, 0.45)))
FILL_LIGHT = wp.constant(0.20)
SKY_LIGHT = wp.constant(0.30)
TABLE_COLOR = wp.constant(0.40)
OCCLUSION = wp.constant(0.85)
"""Share of the sky's light that a body blocks where it covers the whole sky."""
SHADE_REACH = 0.52
"""Distance from its centre up to which a body blocks light of the sky."""
SHADE_SQUARE = wp.constant(SHADE_REACH * SHADE_REACH)
OCCLUDER_SQUARE = wp.constant(1.25 * 0.2 * 0.2)
"""Squared radius of the sphere that stands for a body where it blocks the sky."""


ALL_BODIES = wp.constant(-1)
"""As a set of bodies, one bit for each: all of them."""


@wp.func
def in_set(bodies: int, k: int) -> bool:
    """Whether body k is in a set."""
    return (bodies & (1 << k)) != 0


@wp.func
def all_but(k: int) -> int:
    """The set of the other bodies."""
    return ~(1 << k)


@wp.func
def power(base: float, doublings: int) -> float:
    """base to the power of 2 ** doublings."""
    result = float(base)
    for _ in range(doublings):
        result = result * result
    return result


@wp.func
def lamp_visibility(
    bodies: wp.array2d(dtype=BodyRow), lamp: wp.array(dtype=wp.vec3), frame: int, subset: int, point: wp.vec3
) -> float:
    """The share of the lamp that is visible from a point, behind the bodies of a subset."""
    to_lamp = LAMP_AT - point
    far = wp.length(to_lamp)
    toward = to_lamp / far
    spread = LAMP_SIZE / far
    in_way = int(0)
    for k in range(bodies.shape[1]):
        if in_set(subset, k):
            away = bodies[frame, k].center - point
            along = wp.dot(away, toward)
            off = wp.dot(away, away) - along * along
            blur = wp.max(along, 0.0) * spread
            outer = bodies[frame, k].reach + blur + 0.01
            if along > -bodies[frame, k].reach and off < outer * outer:
                inner = BODY_RADIUS - blur
                if along > BODY_RADIUS and inner > 0.0 and off < inner * inner:
                    return 0.0
                in_way = in_way | (1 << k)
    if in_way == 0:
        return 1.0
    lit = int(0)
    for ray in range(LAMP_RAYS):
        direction = wp.normalize(lamp[ray] - point)
        free = int(1)
        for k in range(bodies.shape[1]):
            if free == 1 and in_set(in_way, k) and enter(bodies, frame, k, point, direction) < NO_HIT:
                free = int(0)
        lit += free
    return float(lit) / float(LAMP_RAYS)


@wp.func
def sky_visibility(
    bodies: wp.array2d(dtype=BodyRow), frame: int, subset: int, point: wp.vec3, facing: wp.vec3
) -> float:
    """The share of the sky's light that reaches a point past the bodies of a subset (ambient occlusion)."""
    left = float(1.0)
    for k in range(bodies.shape[1]):
        if in_set(subset, k):
            away = bodies[frame, k].center - point
            square = wp.dot(away, away)
            if square < SHADE_SQUARE:
                fade = 1.0 - square / SHADE_SQUARE
                upward = wp.dot(away, facing) / wp.sqrt(square)
                covered = wp.clamp(upward + 0.15, 0.0, 1.0) * wp.min(OCCLUDER_SQUARE / square, 1.0)
                left = left * (1.0 - OCCLUSION * covered * fade)
    return left


@wp.func
def lamp_light(point: wp.vec3, facing: wp.vec3) -> float:
    """The lamp's light on a surface, without shadows."""
    to_lamp = LAMP_AT - point
    square = wp.dot(to_lamp, to_lamp)
    return LAMP_LIGHT * wp.max(wp.dot(to_lamp, facing), 0.0) / wp.sqrt(square) * LAMP_SQUARE / square


@wp.func
def fill_light(facing: wp.vec3) -> float:
    return FILL_LIGHT * wp.max(wp.dot(FILL_FROM, facing), 0.0)


@wp.func
def bare_table(point: wp.vec3) -> float:
    """The table's brightness without bodies."""
    up = wp.vec3(0.0, 0.0, 1.0)
    return TABLE_COLOR * (lamp_light(point, up) + fill_light(up) + SKY_LIGHT)


@wp.func
def table(
    bodies: wp.array2d(dtype=BodyRow), lamp: wp.array(dtype=wp.vec3), frame: int, subset: int, point: wp.vec3
) -> float:
    """The table's brightness with the shadows of a subset of bodies."""
    up = wp.vec3(0.0, 0.0, 1.0)
    lit = lamp_light(point, up) * lamp_visibility(bodies, lamp, frame, subset, point)
    return TABLE_COLOR * (lit + (fill_light(up) + SKY_LIGHT) * sky_visibility(bodies, frame, subset, point, up))


@wp.func
def sky(direction: wp.vec3) -> float:
    """What a mirror shows of the room above: dim, brighter to the sides, with a wide window in it."""
    low = 1.0 - wp.clamp(direction[2], 0.0, 1.0)
    window = power(wp.max(wp.dot(direction, FILL_FROM), 0.0), 4)
    return 0.10 + 0.85 * low * low * low + 0.6 * window


@wp.func
def highlight(direction: wp.vec3, point: wp.vec3, doublings: int) -> float:
    """The lamp's highlight in the direction of reflection: the more doublings, the smaller."""
    return power(wp.max(wp.dot(direction, wp.normalize(LAMP_AT - point)), 0.0), doublings)


@wp.func
def diffuse_light(
    bodies: wp.array2d(dtype=BodyRow),
    frame: int,
    k: int,
    point: wp.vec3,
    facing: wp.vec3,
    lit: float,
) -> float:
    """The light that body k reflects diffusely at a point; `lit` is that of the lamp."""
    upward = 0.5 + 0.5 * facing[2]
    from_table = (1.0 - upward) * 0.42 * wp.clamp(point[2] * 4.0, 0.15, 1.0)
    around = (SKY_LIGHT * upward * 1.15 + fill_light(facing)) * sky_visibility(bodies, frame, all_but(k), point, facing)
    return lit + around + from_table


@wp.func
def shadowed_lamp_light(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    k: int,
    point: wp.vec3,
    facing: wp.vec3,
) -> float:
    """The lamp's light on body k, with shadows."""
    light = lamp_light(point, facing)
    if light > 0.0:
        light = light * lamp_visibility(bodies, lamp, frame, all_but(k), point)
    return light


@wp.func
def nearest(bodies: wp.array2d(dtype=BodyRow), frame: int, subset: int, origin: wp.vec3, direction: wp.vec3):  # type: ignore[no-untyped-def]
    """The nearest body of a subset that a ray hits, -1 for none, and the distance."""
    found = int(-1)
    distance = float(NO_HIT)
    for k in range(bodies.shape[1]):
        if in_set(subset, k):
            hit = enter(bodies, frame, k, origin, direction)
            if hit < distance:
                distance = hit
                found = k
    return found, distance


@wp.func
def reflection(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    k: int,
    point: wp.vec3,
    direction: wp.vec3,
) -> wp.vec3:
    """What body k reflects in a direction: another body, the table or the room above."""
    other, distance = nearest(bodies, frame, all_but(k), point, direction)
    if other >= 0:
        there = point + direction * distance
        facing = normal(bodies, frame, other, there)
        light = diffuse_light(
            bodies, frame, other, there, facing, shadowed_lamp_light(bodies, lamp, frame, other, there, facing)
        )
        return bodies[frame, other].color * light + bodies[frame, other].tint * 0.35
    if direction[2] < -1.0e-3:
        gray = table(bodies, lamp, frame, ALL_BODIES, point - direction * (point[2] / direction[2]))
        return wp.vec3(gray, gray, gray)
    gray = sky(direction)
    return wp.vec3(gray, gray, gray)


@wp.func
def body_color(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    k: int,
    point: wp.vec3,
    direction: wp.vec3,
) -> wp.vec3:
    """The colour of body k at a point, seen along a direction; linear."""
    facing = normal(bodies, frame, k, point)
    lit = shadowed_lamp_light(bodies, lamp, frame, k, point, facing)
    matt = bodies[frame, k].color * diffuse_light(bodies, frame, k, point, facing, lit)
    facing_eye = wp.clamp(-wp.dot(direction, facing), 0.0, 1.0)
    mirror = direction + facing * (2.0 * facing_eye)
    shine = lit / LAMP_LIGHT
    tint = bodies[frame, k].tint
    if tint[0] + tint[1] + tint[2] == 0.0:
        sheen = 0.05 * shine * highlight(mirror, point, 3)
        return matt + wp.vec3(sheen, sheen, sheen)
    grazing = 1.0 - facing_eye
    fresnel = 0.55 * grazing * power(grazing, 2)
    strength = tint + (wp.vec3(1.0, 1.0, 1.0) - tint) * fresnel
    seen = reflection(bodies, lamp, frame, k, point, mirror)
    light = shine * (1.6 * highlight(mirror, point, 8) + 0.22 * highlight(mirror, point, 4))
    spot = wp.vec3(light, light, light)
    return matt + wp.cw_mul(strength, seen) + wp.cw_mul(wp.vec3(0.35, 0.35, 0.35) + 0.65 * tint, spot)
