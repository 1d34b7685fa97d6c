"""Where two bodies touch, seen from above, and worlds in memory: bodies, their contacts, and what is recorded.

Cubes are squares, spheres and cylinders are discs of the same height. Only sums, products, quotients and square
roots, without fused operations, so that all machines give the same bits.
"""

import warp as wp

from tumble.comphy.catalogue.body import SHAPES
from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, RADIUS, STEPS_PER_SECOND

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ZERO, ONE = wp.constant(wp.float64(0.0)), wp.constant(wp.float64(1.0))
DISC_RADIUS = wp.constant(wp.float64(RADIUS))
HALF_SIZE = wp.constant(wp.float64(CUBE_HALF_SIZE))
CUBE = wp.constant(SHAPES.index("cube"))


@wp.struct
class Touch:
    """Up to two points in which two bodies touch."""

    count: int
    normal: wp.vec2d
    """From the first body to the second."""
    point_0: wp.vec2d
    point_1: wp.vec2d
    gap_0: wp.float64
    """Negative where the bodies overlap."""
    gap_1: wp.float64


@wp.func
def cross(a: wp.vec2d, b: wp.vec2d) -> wp.float64:
    return a[0] * b[1] - a[1] * b[0]


@wp.func
def turn(heading: wp.vec2d, v: wp.vec2d) -> wp.vec2d:
    """A vector turned by a heading, given as (cosine, sine)."""
    return wp.vec2d(heading[0] * v[0] - heading[1] * v[1], heading[1] * v[0] + heading[0] * v[1])


@wp.func
def turn_back(heading: wp.vec2d, v: wp.vec2d) -> wp.vec2d:
    return wp.vec2d(heading[0] * v[0] + heading[1] * v[1], heading[0] * v[1] - heading[1] * v[0])


@wp.func
def touch_discs(a: wp.vec2d, b: wp.vec2d) -> Touch:
    touch = Touch()
    offset = b - a
    distance = wp.sqrt(offset[0] * offset[0] + offset[1] * offset[1])
    touch.normal = wp.vec2d(ONE, ZERO)
    if distance > ZERO:
        touch.normal = wp.vec2d(offset[0] / distance, offset[1] / distance)
    touch.gap_0 = distance - DISC_RADIUS - DISC_RADIUS
    touch.point_0 = a + touch.normal * DISC_RADIUS
    if touch.gap_0 <= ZERO:
        touch.count = 1
    return touch


@wp.func
def touch_square_disc(square: wp.vec2d, heading: wp.vec2d, disc: wp.vec2d) -> Touch:
    """The square is the first body."""
    touch = Touch()
    local = turn_back(heading, disc - square)
    nearest = wp.vec2d(wp.clamp(local[0], -HALF_SIZE, HALF_SIZE), wp.clamp(local[1], -HALF_SIZE, HALF_SIZE))
    offset = local - nearest
    distance = wp.sqrt(offset[0] * offset[0] + offset[1] * offset[1])
    normal = wp.vec2d(ONE, ZERO)
    if distance > ZERO:
        normal = wp.vec2d(offset[0] / distance, offset[1] / distance)
        touch.gap_0 = distance - DISC_RADIUS
    else:  # the disc's centre is inside: out through the nearest side
        depth_x, depth_y = HALF_SIZE - wp.abs(local[0]), HALF_SIZE - wp.abs(local[1])
        if depth_x < depth_y:
            normal = wp.vec2d(wp.sign(local[0]), ZERO)
            touch.gap_0 = -depth_x - DISC_RADIUS
        else:
            normal = wp.vec2d(ZERO, wp.sign(local[1]))
            touch.gap_0 = -depth_y - DISC_RADIUS
    touch.normal = turn(heading, normal)
    touch.point_0 = square + turn(heading, nearest)
    if touch.gap_0 <= ZERO:
        touch.count = 1
    return touch


@wp.func
def axis_gap(normal: wp.vec2d, a: wp.vec2d, b: wp.vec2d, heading_b: wp.vec2d) -> wp.float64:
    """The distance of square b from the side of square a with this outward normal; negative where they overlap."""
    axis = turn_back(heading_b, normal)
    reach = HALF_SIZE * (wp.abs(axis[0]) + wp.abs(axis[1]))
    return wp.dot(normal, b - a) - HALF_SIZE - reach


@wp.func
def facing_side(heading: wp.vec2d, towards: wp.vec2d, side: int) -> wp.vec2d:
    """The normal of the side across axis 0 or 1 of a square that faces a direction."""
    axis = heading
    if side == 1:
        axis = wp.vec2d(-heading[1], heading[0])
    if wp.dot(axis, towards) < ZERO:
        axis = -axis
    return axis


@wp.func
def touch_squares(a: wp.vec2d, heading_a: wp.vec2d, b: wp.vec2d, heading_b: wp.vec2d) -> Touch:
    """By separating axes; the touching side of one square is clipped to the extent of the other's."""
    touch = Touch()
    best = wp.float64(-1.0e9)
    best_normal = wp.vec2d(ONE, ZERO)
    by_a = int(1)
    for side in range(2):
        normal = facing_side(heading_a, b - a, side)
        gap = axis_gap(normal, a, b, heading_b)
        if gap > best + wp.float64(1.0e-9):
            best, best_normal, by_a = gap, normal, 1
        normal = facing_side(heading_b, a - b, side)
        gap = axis_gap(normal, b, a, heading_a)
        if gap > best + wp.float64(1.0e-9):
            best, best_normal, by_a = gap, normal, 0
    if best > ZERO:
        return touch
    reference, incident, incident_heading = a, b, heading_b
    touch.normal = best_normal
    if by_a == 0:
        reference, incident, incident_heading = b, a, heading_a
        touch.normal = -best_normal
    # The side of the incident square that faces the reference most, from end to end.
    axis = turn_back(incident_heading, -best_normal)
    middle = wp.vec2d(wp.sign(axis[0]) * HALF_SIZE, ZERO)
    along = wp.vec2d(ZERO, HALF_SIZE)
    if wp.abs(axis[1]) > wp.abs(axis[0]):
        middle = wp.vec2d(ZERO, wp.sign(axis[1]) * HALF_SIZE)
        along = wp.vec2d(HALF_SIZE, ZERO)
    end_0 = incident + turn(incident_heading, middle - along)
    end_1 = incident + turn(incident_heading, middle + along)
    # Clipped to the width of the reference side.
    tangent = wp.vec2d(-best_normal[1], best_normal[0])
    u_0, u_1 = wp.dot(tangent, end_0 - reference), wp.dot(tangent, end_1 - reference)
    step = u_1 - u_0
    if wp.abs(step) > wp.float64(1.0e-12):
        low = wp.clamp((wp.clamp(u_0, -HALF_SIZE, HALF_SIZE) - u_0) / step, ZERO, ONE)
        high = wp.clamp((wp.clamp(u_1, -HALF_SIZE, HALF_SIZE) - u_0) / step, ZERO, ONE)
        span = end_1 - end_0
        end_1 = end_0 + span * high
        end_0 = end_0 + span * low
    gap_0 = wp.dot(best_normal, end_0 - reference) - HALF_SIZE
    gap_1 = wp.dot(best_normal, end_1 - reference) - HALF_SIZE
    if gap_0 > ZERO:
        end_0, gap_0 = end_1, gap_1
    else:
        touch.count = 1
    if gap_1 <= ZERO:
        touch.count += 1
    touch.point_0 = end_0
    touch.point_1 = end_1
    touch.gap_0 = gap_0
    touch.gap_1 = gap_1
    return touch


@wp.func
def touch_bodies(
    shape_a: int, a: wp.vec2d, heading_a: wp.vec2d, shape_b: int, b: wp.vec2d, heading_b: wp.vec2d
) -> Touch:
    """Where two bodies touch."""
    if shape_a == CUBE and shape_b == CUBE:
        return touch_squares(a, heading_a, b, heading_b)
    if shape_a == CUBE:
        return touch_square_disc(a, heading_a, b)
    if shape_b == CUBE:
        touch = touch_square_disc(b, heading_b, a)
        touch.normal = -touch.normal
        return touch
    return touch_discs(a, b)


CONTACTS_PER_PAIR = 2
"""Points in which two bodies touch at most."""
STEP = wp.constant(wp.float64(1.0 / STEPS_PER_SECOND))
BALL_RADIUS = wp.constant(wp.float64(RADIUS))
SPHERE = wp.constant(SHAPES.index("sphere"))
CUBE_INERTIA = wp.constant(wp.float64((2.0 * CUBE_HALF_SIZE) ** 2 / 6.0))
"""About the vertical axis, per mass."""
ROUND_INERTIA = wp.constant(wp.float64(RADIUS**2 / 2.0))


@wp.struct
class Worlds:
    """A batch of worlds: [world, body] unless another shape is given."""

    count: wp.array(dtype=int)
    """[world]: bodies."""
    is_charged: wp.array(dtype=int)
    """[world]: whether charges act between bodies."""
    shape: wp.array2d(dtype=int)
    """Index in SHAPES."""
    mass: wp.array2d(dtype=wp.float64)
    charge: wp.array2d(dtype=wp.float64)
    place: wp.array2d(dtype=wp.vec2d)
    rotation: wp.array2d(dtype=wp.vec4d)
    """Unit quaternion, the real part first."""
    velocity: wp.array2d(dtype=wp.vec2d)
    spin: wp.array2d(dtype=wp.vec3d)
    """Angular velocity in the world's axes."""
    last_touch: wp.array2d(dtype=int)
    """[world, first * bodies + second]: the last step in which a pair touched."""
    contact_bodies: wp.array2d(dtype=wp.vec2i)
    """[world, contact]: the bodies of each contact of the present step; the arrays below have the same shape."""
    contact_normal: wp.array2d(dtype=wp.vec2d)
    contact_arms: wp.array2d(dtype=wp.vec2d)
    """Lever arms of the two bodies."""
    contact_gap: wp.array2d(dtype=wp.float64)
    contact_target: wp.array2d(dtype=wp.float64)
    """Speed with which the bodies part."""
    contact_impulse: wp.array2d(dtype=wp.float64)


@wp.struct
class Recording:
    """What is recorded: [world, frame, body], and collisions."""

    place: wp.array3d(dtype=wp.vec2d)
    rotation: wp.array3d(dtype=wp.vec4d)
    velocity: wp.array3d(dtype=wp.vec2d)
    spin: wp.array3d(dtype=wp.vec3d)
    collisions: wp.array2d(dtype=wp.vec3i)
    """[world, collision]: step and the two bodies."""
    collision_count: wp.array(dtype=int)
    """[world]."""


@wp.struct
class Eye:
    """The camera, to tell which bodies are in view."""

    position: wp.vec3d
    right: wp.vec3d
    up: wp.vec3d
    forward: wp.vec3d
    half_width: wp.float64
    """Of the picture at depth 1."""
    half_height: wp.float64


@wp.func
def heading_of(q: wp.vec4d) -> wp.vec2d:
    """(cosine, sine) of the turn about the vertical axis of an upright body."""
    return wp.vec2d(q[0] * q[0] - q[3] * q[3], (q[0] * q[3]) + (q[0] * q[3]))


@wp.func
def is_in_view(eye: Eye, place: wp.vec2d) -> bool:
    offset = wp.vec3d(place[0], place[1], BALL_RADIUS) - eye.position
    depth = wp.dot(offset, eye.forward)
    across, up = wp.abs(wp.dot(offset, eye.right)), wp.abs(wp.dot(offset, eye.up))
    return depth > ZERO and across <= eye.half_width * depth and up <= eye.half_height * depth


@wp.func
def acts(worlds: Worlds, eye: Eye, only_in_view: int, w: int, i: int, j: int) -> bool:
    """Whether two bodies may act on each other: always, or only while both are in view."""
    if only_in_view == 0:
        return True
    return is_in_view(eye, worlds.place[w, i]) and is_in_view(eye, worlds.place[w, j])


@wp.func
def inverse_inertia(shape: int, mass: wp.float64) -> wp.float64:
    """About the vertical axis; discs are not turned by contacts, which push through their centre."""
    if shape == CUBE:
        return ONE / (CUBE_INERTIA * mass)
    return ZERO
