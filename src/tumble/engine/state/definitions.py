"""What never changes: masses, shapes and surfaces, read from the pack."""

import warp as wp

from tumble.engine.state.layout import (
    BODY_DEF,
    DEF_CENTROID,
    DEF_FIRST_VERTEX,
    DEF_MASS,
    DEF_MOTION,
    DEF_SURFACE,
    DEF_VERTICES,
)
from tumble.engine.state.memory import constant_vec
from tumble.engine.state.world import World, body_def_vec, body_int, shape_def_int, shape_def_vec

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
