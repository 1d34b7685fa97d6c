"""The state of a body: its velocity, the pose of its centre of mass, and the transform that follows from it."""

import warp as wp

from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import Transform, rotate
from tumble.engine.state.definitions import body_mass
from tumble.engine.state.layout import (
    AWAKE,
    BODY_FLAGS,
    CENTRE_POSE,
    DYNAMIC,
    ROUND,
    START_CENTRE_POSE,
    START_TRANSFORM,
    TRANSFORM,
    VELOCITY,
)
from tumble.engine.state.world import World, body_int, body_vec, set_body_int, set_body_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

AWAKE_DYNAMIC = AWAKE | DYNAMIC


@wp.struct
class CentrePose:
    """Where a body is: its centre of mass and its angle."""

    position: wp.vec2
    angle: float
    sleep_time: float  # seconds for which it has been slow enough to sleep


@wp.struct
class StartPose:
    """Where a body was at the start of the step or, after an impact, of the rest of the step."""

    position: wp.vec2
    angle: float
    fraction: float  # of the step that had passed


@wp.struct
class Velocity:
    """How a body moves."""

    linear: wp.vec2
    angular: float
    scratch: float  # a number that the rule keeps with the body


@wp.func
def centre_pose(w: World, body: int) -> CentrePose:
    v = body_vec(w, body, CENTRE_POSE)
    return CentrePose(wp.vec2(v[0], v[1]), v[2], v[3])


@wp.func
def set_centre_pose(w: World, body: int, pose: CentrePose) -> None:
    set_body_vec(w, body, CENTRE_POSE, wp.vec4(pose.position[0], pose.position[1], pose.angle, pose.sleep_time))


@wp.func
def start_pose(w: World, body: int) -> StartPose:
    v = body_vec(w, body, START_CENTRE_POSE)
    return StartPose(wp.vec2(v[0], v[1]), v[2], v[3])


@wp.func
def set_start_pose(w: World, body: int, pose: StartPose) -> None:
    set_body_vec(w, body, START_CENTRE_POSE, wp.vec4(pose.position[0], pose.position[1], pose.angle, pose.fraction))


@wp.func
def velocity_of(w: World, body: int) -> Velocity:
    v = body_vec(w, body, VELOCITY)
    return Velocity(wp.vec2(v[0], v[1]), v[2], v[3])


@wp.func
def set_velocity_of(w: World, body: int, v: Velocity) -> None:
    set_body_vec(w, body, VELOCITY, wp.vec4(v.linear[0], v.linear[1], v.angular, v.scratch))


@wp.func
def transform_of(w: World, body: int) -> Transform:
    v = body_vec(w, body, TRANSFORM)
    return Transform(wp.vec2(v[0], v[1]), v[2], v[3])


@wp.func
def set_transform(w: World, body: int, t: Transform) -> None:
    set_body_vec(w, body, TRANSFORM, wp.vec4(t.position[0], t.position[1], t.sine, t.cosine))


@wp.func
def start_transform(w: World, body: int) -> Transform:
    v = body_vec(w, body, START_TRANSFORM)
    return Transform(wp.vec2(v[0], v[1]), v[2], v[3])


@wp.func
def set_start_transform(w: World, body: int, t: Transform) -> None:
    set_body_vec(w, body, START_TRANSFORM, wp.vec4(t.position[0], t.position[1], t.sine, t.cosine))


@wp.func
def transform_at(w: World, body: int, flags: int, centre: wp.vec2, angle: float) -> Transform:
    """The transform of a body whose centre of mass is at `centre`: origin = centre - R(angle) local centre."""
    if (flags & ROUND) != 0:
        return Transform(centre, 0.0, 1.0)
    sine, cosine = sine_cosine(angle)
    rotation = Transform(wp.vec2(0.0, 0.0), sine, cosine)
    return Transform(centre - rotate(rotation, body_mass(w, body).centre), sine, cosine)


@wp.func
def move_to(w: World, body: int, pose: CentrePose) -> None:
    """Sets a body's centre of mass and angle, and the transform with them."""
    set_centre_pose(w, body, pose)
    set_transform(w, body, transform_at(w, body, body_int(w, body, BODY_FLAGS), pose.position, pose.angle))


@wp.func
def is_active(flags: int) -> bool:
    """Whether a body with these flags is dynamic and awake."""
    return (flags & AWAKE_DYNAMIC) == AWAKE_DYNAMIC


@wp.func
def wake(w: World, body: int) -> None:
    """Wakes a sleeping body; one that is awake keeps its sleep time."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & AWAKE) == 0:
        set_body_int(w, body, BODY_FLAGS, flags | AWAKE)
        pose = centre_pose(w, body)
        pose.sleep_time = 0.0
        set_centre_pose(w, body, pose)
