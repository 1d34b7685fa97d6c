"""How a point of the table or of a body looks: a lamp with soft shadows, a fill light, a dim sky, mirrors on metal."""

import warp as wp

from tumble.comphy.observation.renderer.rays import BALL, NEVER, BodyRow, enter, normal

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LAMP = (5.4, -1.6, 7.4)
LAMP_RADIUS = 1.0
SHADOW_RAYS = 16

LAMP_AT = wp.constant(wp.vec3(*LAMP))
LAMP_SIZE = wp.constant(LAMP_RADIUS)
LAMP_RAYS = wp.constant(SHADOW_RAYS)
LAMP_LIGHT = wp.constant(1.08)
"""Its light on a white matt surface that faces it at the table's middle."""
LAMP_SQUARE = wp.constant(float(sum(part * part for part in LAMP)))
FILL_FROM = wp.constant(wp.normalize(wp.vec3(-0.75, -0.55, 0.45)))
FILL_LIGHT = wp.constant(0.20)
SKY_LIGHT = wp.constant(0.30)
TABLE_COLOR = wp.constant(0.40)
CONTACT = wp.constant(0.85)
"""How much of the sky's light a body takes away where it covers the whole sky."""
SHADE_REACH = 0.52
"""A body takes no light of the sky away further off from its middle than this."""
SHADE_SQUARE = wp.constant(SHADE_REACH * SHADE_REACH)
COVER = wp.constant(1.25 * 0.2 * 0.2)
"""Square of the radius of the ball that stands for a body where it covers the sky."""


EVERY = wp.constant(-1)
"""A set of bodies, one bit for each: all of them."""


@wp.func
def has(bodies: int, k: int) -> bool:
    """Whether body k is of a set."""
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
def lit_part(
    bodies: wp.array2d(dtype=BodyRow), lamp: wp.array(dtype=wp.vec3), frame: int, among: int, point: wp.vec3
) -> float:
    """How much of the lamp is seen from a point, from 0 to 1, with only some bodies in the way."""
    to_lamp = LAMP_AT - point
    far = wp.length(to_lamp)
    toward = to_lamp / far
    spread = LAMP_SIZE / far
    in_way = int(0)
    for k in range(bodies.shape[1]):
        if has(among, k):
            away = bodies[frame, k].center - point
            along = wp.dot(away, toward)
            off = wp.dot(away, away) - along * along
            blur = wp.max(along, 0.0) * spread
            outer = bodies[frame, k].reach + blur + 0.01
            if along > -bodies[frame, k].reach and off < outer * outer:
                inner = BALL - blur
                if along > BALL and inner > 0.0 and off < inner * inner:
                    return 0.0
                in_way = in_way | (1 << k)
    if in_way == 0:
        return 1.0
    lit = int(0)
    for ray in range(LAMP_RAYS):
        direction = wp.normalize(lamp[ray] - point)
        free = int(1)
        for k in range(bodies.shape[1]):
            if free == 1 and has(in_way, k) and enter(bodies, frame, k, point, direction) < NEVER:
                free = int(0)
        lit += free
    return float(lit) / float(LAMP_RAYS)


@wp.func
def open_sky(bodies: wp.array2d(dtype=BodyRow), frame: int, among: int, point: wp.vec3, facing: wp.vec3) -> float:
    """How much of the sky's light some bodies leave to a point."""
    left = float(1.0)
    for k in range(bodies.shape[1]):
        if has(among, k):
            away = bodies[frame, k].center - point
            square = wp.dot(away, away)
            if square < SHADE_SQUARE:
                fade = 1.0 - square / SHADE_SQUARE
                upward = wp.dot(away, facing) / wp.sqrt(square)
                covered = wp.clamp(upward + 0.15, 0.0, 1.0) * wp.min(COVER / square, 1.0)
                left = left * (1.0 - CONTACT * covered * fade)
    return left


@wp.func
def lamp_on(point: wp.vec3, facing: wp.vec3) -> float:
    """The lamp's light on a surface, were nothing between."""
    to_lamp = LAMP_AT - point
    square = wp.dot(to_lamp, to_lamp)
    return LAMP_LIGHT * wp.max(wp.dot(to_lamp, facing), 0.0) / wp.sqrt(square) * LAMP_SQUARE / square


@wp.func
def fill_on(facing: wp.vec3) -> float:
    return FILL_LIGHT * wp.max(wp.dot(FILL_FROM, facing), 0.0)


@wp.func
def bare_table(point: wp.vec3) -> float:
    """The table's brightness where nothing is near."""
    up = wp.vec3(0.0, 0.0, 1.0)
    return TABLE_COLOR * (lamp_on(point, up) + fill_on(up) + SKY_LIGHT)


@wp.func
def table(
    bodies: wp.array2d(dtype=BodyRow), lamp: wp.array(dtype=wp.vec3), frame: int, among: int, point: wp.vec3
) -> float:
    """The table's brightness, with shadows of some bodies."""
    up = wp.vec3(0.0, 0.0, 1.0)
    lit = lamp_on(point, up) * lit_part(bodies, lamp, frame, among, point)
    return TABLE_COLOR * (lit + (fill_on(up) + SKY_LIGHT) * open_sky(bodies, frame, among, point, up))


@wp.func
def sky(direction: wp.vec3) -> float:
    """What a mirror shows of the room above: dim, brighter to the sides, with the lamp and a wide window in it."""
    low = 1.0 - wp.clamp(direction[2], 0.0, 1.0)
    window = power(wp.max(wp.dot(direction, FILL_FROM), 0.0), 4)
    return 0.10 + 0.85 * low * low * low + 0.6 * window


@wp.func
def glint(direction: wp.vec3, point: wp.vec3, doublings: int) -> float:
    """The lamp's highlight in a mirrored direction: the more doublings, the smaller."""
    return power(wp.max(wp.dot(direction, wp.normalize(LAMP_AT - point)), 0.0), doublings)


@wp.func
def soft_light(
    bodies: wp.array2d(dtype=BodyRow),
    frame: int,
    k: int,
    point: wp.vec3,
    facing: wp.vec3,
    lit: float,
) -> float:
    """All light that body k scatters at a point, with the lamp's already known."""
    upward = 0.5 + 0.5 * facing[2]
    from_table = (1.0 - upward) * 0.42 * wp.clamp(point[2] * 4.0, 0.15, 1.0)
    around = (SKY_LIGHT * upward * 1.15 + fill_on(facing)) * open_sky(bodies, frame, all_but(k), point, facing)
    return lit + around + from_table


@wp.func
def lamp_lit(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    k: int,
    point: wp.vec3,
    facing: wp.vec3,
) -> float:
    """The lamp's light on body k, shadows included."""
    light = lamp_on(point, facing)
    if light > 0.0:
        light = light * lit_part(bodies, lamp, frame, all_but(k), point)
    return light


@wp.func
def nearest(bodies: wp.array2d(dtype=BodyRow), frame: int, among: int, origin: wp.vec3, direction: wp.vec3):  # type: ignore[no-untyped-def]
    """The first of some bodies that a ray enters, -1 for none, and the distance."""
    found = int(-1)
    distance = float(NEVER)
    for k in range(bodies.shape[1]):
        if has(among, k):
            own = enter(bodies, frame, k, origin, direction)
            if own < distance:
                distance = own
                found = k
    return found, distance


@wp.func
def mirrored(
    bodies: wp.array2d(dtype=BodyRow),
    lamp: wp.array(dtype=wp.vec3),
    frame: int,
    k: int,
    point: wp.vec3,
    direction: wp.vec3,
) -> wp.vec3:
    """What a mirror on body k shows: another body, the table or the room above."""
    other, distance = nearest(bodies, frame, all_but(k), point, direction)
    if other >= 0:
        there = point + direction * distance
        facing = normal(bodies, frame, other, there)
        light = soft_light(bodies, frame, other, there, facing, lamp_lit(bodies, lamp, frame, other, there, facing))
        return bodies[frame, other].color * light + bodies[frame, other].tint * 0.35
    if direction[2] < -1.0e-3:
        gray = table(bodies, lamp, frame, EVERY, point - direction * (point[2] / direction[2]))
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
    """How body k looks at a point, seen along a direction; linear."""
    facing = normal(bodies, frame, k, point)
    lit = lamp_lit(bodies, lamp, frame, k, point, facing)
    matt = bodies[frame, k].color * soft_light(bodies, frame, k, point, facing, lit)
    facing_eye = wp.clamp(-wp.dot(direction, facing), 0.0, 1.0)
    mirror = direction + facing * (2.0 * facing_eye)
    shine = lit / LAMP_LIGHT
    tint = bodies[frame, k].tint
    if tint[0] + tint[1] + tint[2] == 0.0:
        sheen = 0.05 * shine * glint(mirror, point, 3)
        return matt + wp.vec3(sheen, sheen, sheen)
    grazing = 1.0 - facing_eye
    fresnel = 0.55 * grazing * power(grazing, 2)
    strength = tint + (wp.vec3(1.0, 1.0, 1.0) - tint) * fresnel
    seen = mirrored(bodies, lamp, frame, k, point, mirror)
    light = shine * (1.6 * glint(mirror, point, 8) + 0.22 * glint(mirror, point, 4))
    spot = wp.vec3(light, light, light)
    return matt + wp.cw_mul(strength, seen) + wp.cw_mul(wp.vec3(0.35, 0.35, 0.35) + 0.65 * tint, spot)
