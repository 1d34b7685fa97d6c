"""Bodies and their shapes: poses, velocities, boxes; and what never changes: masses, outlines, surfaces.

The state lies in a world's lane; the definitions are read from the pack, which all worlds share.
"""

import warp as wp

from tumble.engine.state.geometry import AABB, Transform, rotate, sine_cosine
from tumble.engine.state.layout import (
    AWAKE,
    BODY_DEF,
    BODY_FLAGS,
    CENTRE_POSE,
    DEF_CENTROID,
    DEF_FIRST_VERTEX,
    DEF_MASS,
    DEF_MOTION,
    DEF_SURFACE,
    DEF_VERTICES,
    DYNAMIC,
    FAT_AABB,
    ROUND,
    START_CENTRE_POSE,
    START_TRANSFORM,
    SWEPT_AABB,
    TRANSFORM,
    VELOCITY,
)
from tumble.engine.state.native import constant_vec
from tumble.engine.state.world import (
    World,
    body_def_vec,
    body_int,
    body_vec,
    set_body_int,
    set_body_vec,
    set_shape_vec,
    shape_def_int,
    shape_def_vec,
    shape_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class BodyMass:
    """The mass of a body; inverse mass and inertia are 0 for a static one."""

    inverse_mass: float
    inverse_inertia: float
    centre: wp.vec2  # of mass, in body coordinates


@wp.struct
class MotionFactors:
    """How gravity and damping act on a body."""

    gravity_scale: float
    linear_damping: float  # factor on the velocity in each step
    angular_damping: float


@wp.struct
class Surface:
    """The surface of a shape."""

    radius: float  # of a circle, or the skin of a polygon
    friction: float
    restitution: float
    reach: float  # greatest distance of its vertices from the body's centre of mass


@wp.struct
class Vertex:
    """A vertex of a polygon with the outward normal of the edge that begins there, or the centre of a circle."""

    position: wp.vec2
    normal: wp.vec2


@wp.struct
class Outline:
    """The vertices of a shape: `count` of them in the pack, from `first` on."""

    first: int
    count: int  # 0 for a circle, whose centre is at `first`


@wp.func
def body_mass(w: World, body: int) -> BodyMass:
    v = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MASS)
    return BodyMass(v[0], v[1], wp.vec2(v[2], v[3]))


@wp.func
def motion_factors(w: World, body: int) -> MotionFactors:
    v = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MOTION)
    return MotionFactors(v[0], v[1], v[2])


@wp.func
def surface_of(w: World, shape_def: int) -> Surface:
    v = shape_def_vec(w, shape_def, DEF_SURFACE)
    return Surface(v[0], v[1], v[2], v[3])


@wp.func
def centroid_of(w: World, shape_def: int) -> wp.vec2:
    v = shape_def_vec(w, shape_def, DEF_CENTROID)
    return wp.vec2(v[0], v[1])


@wp.func
def outline_of(w: World, shape_def: int) -> Outline:
    return Outline(shape_def_int(w, shape_def, DEF_FIRST_VERTEX), shape_def_int(w, shape_def, DEF_VERTICES))


@wp.func
def is_circle(w: World, shape_def: int) -> bool:
    return shape_def_int(w, shape_def, DEF_VERTICES) == 0


@wp.func
def vertex_at(pack_vecs: wp.uint64, index: int) -> Vertex:
    v = constant_vec(pack_vecs, index, 0)
    return Vertex(wp.vec2(v[0], v[1]), wp.vec2(v[2], v[3]))


@wp.func
def vertex_position(pack_vecs: wp.uint64, index: int) -> wp.vec2:
    v = constant_vec(pack_vecs, index, 0)
    return wp.vec2(v[0], v[1])


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


@wp.func
def aabb_from(v: wp.vec4) -> AABB:
    """A box as it is stored: low x, low y, high x, high y."""
    return AABB(wp.vec2(v[0], v[1]), wp.vec2(v[2], v[3]))


@wp.func
def fat_aabb(w: World, shape: int) -> AABB:
    return aabb_from(shape_vec(w, shape, FAT_AABB))


@wp.func
def set_fat_aabb(w: World, shape: int, box: AABB) -> None:
    set_shape_vec(w, shape, FAT_AABB, wp.vec4(box.low[0], box.low[1], box.high[0], box.high[1]))


@wp.func
def swept_aabb(w: World, shape: int) -> AABB:
    return aabb_from(shape_vec(w, shape, SWEPT_AABB))


@wp.func
def set_swept_aabb(w: World, shape: int, box: AABB) -> None:
    set_shape_vec(w, shape, SWEPT_AABB, wp.vec4(box.low[0], box.low[1], box.high[0], box.high[1]))
