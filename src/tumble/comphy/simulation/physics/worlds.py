"""A batch of worlds in memory: bodies, their contacts in the present step, and what is recorded."""

import warp as wp

from tumble.comphy.simulation.physics.contacts import CUBE, ONE, ZERO
from tumble.comphy.tasks.body import SHAPES
from tumble.comphy.tasks.constants import CUBE_HALF_SIZE, RADIUS, STEPS_PER_SECOND

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

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
