"""The state of a contact: its manifold, its impulses and its surface."""

import warp as wp

from tumble.engine.state.definitions import surface_of
from tumble.engine.state.layout import (
    CONTACT_FLAGS,
    CONTACT_SURFACE,
    IMPULSES,
    MANIFOLD_AXIS,
    MANIFOLD_MASK,
    MANIFOLD_POINTS,
    MANIFOLD_SHIFT,
    POINT_COUNT,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
)
from tumble.engine.state.world import World, contact_int, contact_vec, set_contact_vec, shape_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Manifold:
    """Where two shapes touch: up to two points with a common normal.

    Normal and reference point are in the coordinates of the reference body (A for CIRCLES and FACE_A, B for FACE_B),
    the points in those of the other body.
    """

    count: int  # of points; 0 where the shapes do not touch
    kind: int  # CIRCLES, FACE_A or FACE_B
    normal: wp.vec2
    reference: wp.vec2
    point_1: wp.vec2
    point_2: wp.vec2
    features_1: int  # key of the features that made point 1, by which its impulses are carried over to the next step
    features_2: int


@wp.struct
class Impulses:
    """Impulses at the points of a contact, along the normal and along the tangent, in kg m/s."""

    normal_1: float
    tangent_1: float
    normal_2: float
    tangent_2: float


@wp.struct
class ContactSurface:
    """The mixed surfaces of a contact's shapes, and what happened there in this step."""

    friction: float
    restitution: float
    step_impulse: float  # sum of the normal impulses of this step
    hit_speed: float  # speed of a hit in this step, 0 for none; negative where B was the faster body


@wp.func
def manifold_of(w: World, contact: int) -> Manifold:
    """The stored manifold, without the keys of its features."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    axis = contact_vec(w, contact, MANIFOLD_AXIS)
    points = contact_vec(w, contact, MANIFOLD_POINTS)
    return Manifold(
        flags & POINT_COUNT,
        (flags >> MANIFOLD_SHIFT) & MANIFOLD_MASK,
        wp.vec2(axis[0], axis[1]),
        wp.vec2(axis[2], axis[3]),
        wp.vec2(points[0], points[1]),
        wp.vec2(points[2], points[3]),
        0,
        0,
    )


@wp.func
def set_manifold_geometry(w: World, contact: int, m: Manifold) -> None:
    """Stores normal, reference and points; count, kind and keys are ints of the contact."""
    set_contact_vec(w, contact, MANIFOLD_AXIS, wp.vec4(m.normal[0], m.normal[1], m.reference[0], m.reference[1]))
    set_contact_vec(w, contact, MANIFOLD_POINTS, wp.vec4(m.point_1[0], m.point_1[1], m.point_2[0], m.point_2[1]))


@wp.func
def impulses_of(w: World, contact: int) -> Impulses:
    v = contact_vec(w, contact, IMPULSES)
    return Impulses(v[0], v[1], v[2], v[3])


@wp.func
def set_impulses(w: World, contact: int, p: Impulses) -> None:
    set_contact_vec(w, contact, IMPULSES, wp.vec4(p.normal_1, p.tangent_1, p.normal_2, p.tangent_2))


@wp.func
def contact_surface(w: World, contact: int) -> ContactSurface:
    v = contact_vec(w, contact, CONTACT_SURFACE)
    return ContactSurface(v[0], v[1], v[2], v[3])


@wp.func
def set_contact_surface(w: World, contact: int, s: ContactSurface) -> None:
    set_contact_vec(w, contact, CONTACT_SURFACE, wp.vec4(s.friction, s.restitution, s.step_impulse, s.hit_speed))


@wp.func
def contact_radii(w: World, contact: int) -> tuple[float, float]:
    """The radii of a contact's shapes."""
    radius_a = surface_of(w, shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)).radius
    radius_b = surface_of(w, shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)).radius
    return radius_a, radius_b
