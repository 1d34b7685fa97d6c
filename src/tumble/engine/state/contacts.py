"""A contact's state: manifold, impulses, surface; and its constraint: what the solver needs of it in an island."""

import warp as wp

from tumble.engine.state.bodies import surface_of
from tumble.engine.state.layout import (
    ARMS_1,
    ARMS_2,
    BLOCK_INVERSE,
    BLOCK_MATRIX,
    BODY_MASSES,
    CONTACT_FLAGS,
    CONTACT_FRAME,
    CONTACT_SURFACE,
    IMPULSES,
    MANIFOLD_AXIS,
    MANIFOLD_MASK,
    MANIFOLD_POINTS,
    MANIFOLD_SHIFT,
    POINT_1,
    POINT_2,
    POINT_COUNT,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    SHAPE_RADII,
    TOTAL_IMPULSES,
)
from tumble.engine.state.world import (
    World,
    constraint_vec,
    contact_int,
    contact_vec,
    set_constraint_vec,
    set_contact_vec,
    shape_int,
)

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


@wp.struct
class ContactFrame:
    """The normal from A to B and the friction of a contact."""

    normal: wp.vec2
    friction: float


@wp.struct
class Arms:
    """A contact point relative to the centres of mass of A and of B: the arms of its impulses."""

    a: wp.vec2
    b: wp.vec2


@wp.struct
class PointConstraint:
    """What is computed once for each point of a contact."""

    normal_mass: float
    tangent_mass: float
    bias: float  # speed at which the bodies shall separate


@wp.struct
class BlockMatrix:
    """A symmetric 2 x 2 matrix."""

    k11: float
    k12: float
    k22: float


@wp.struct
class PairMass:
    """Inverse masses and inertias of two bodies."""

    inverse_mass_a: float
    inverse_inertia_a: float
    inverse_mass_b: float
    inverse_inertia_b: float


@wp.func
def contact_frame(w: World, constraint: int) -> ContactFrame:
    v = constraint_vec(w, constraint, CONTACT_FRAME)
    return ContactFrame(wp.vec2(v[0], v[1]), v[2])


@wp.func
def set_contact_frame(w: World, constraint: int, frame: ContactFrame) -> None:
    set_constraint_vec(w, constraint, CONTACT_FRAME, wp.vec4(frame.normal[0], frame.normal[1], frame.friction, 0.0))


@wp.func
def arms_from(v: wp.vec4) -> Arms:
    return Arms(wp.vec2(v[0], v[1]), wp.vec2(v[2], v[3]))


@wp.func
def arms_1(w: World, constraint: int) -> Arms:
    return arms_from(constraint_vec(w, constraint, ARMS_1))


@wp.func
def arms_2(w: World, constraint: int) -> Arms:
    return arms_from(constraint_vec(w, constraint, ARMS_2))


@wp.func
def set_arms_1(w: World, constraint: int, arms: Arms) -> None:
    set_constraint_vec(w, constraint, ARMS_1, wp.vec4(arms.a[0], arms.a[1], arms.b[0], arms.b[1]))


@wp.func
def set_arms_2(w: World, constraint: int, arms: Arms) -> None:
    set_constraint_vec(w, constraint, ARMS_2, wp.vec4(arms.a[0], arms.a[1], arms.b[0], arms.b[1]))


@wp.func
def point_1(w: World, constraint: int) -> PointConstraint:
    v = constraint_vec(w, constraint, POINT_1)
    return PointConstraint(v[0], v[1], v[2])


@wp.func
def point_2(w: World, constraint: int) -> PointConstraint:
    v = constraint_vec(w, constraint, POINT_2)
    return PointConstraint(v[0], v[1], v[2])


@wp.func
def set_point_1(w: World, constraint: int, point: PointConstraint) -> None:
    set_constraint_vec(w, constraint, POINT_1, wp.vec4(point.normal_mass, point.tangent_mass, point.bias, 0.0))


@wp.func
def set_point_2(w: World, constraint: int, point: PointConstraint) -> None:
    set_constraint_vec(w, constraint, POINT_2, wp.vec4(point.normal_mass, point.tangent_mass, point.bias, 0.0))


@wp.func
def total_impulses(w: World, constraint: int) -> Impulses:
    v = constraint_vec(w, constraint, TOTAL_IMPULSES)
    return Impulses(v[0], v[1], v[2], v[3])


@wp.func
def set_total_impulses(w: World, constraint: int, p: Impulses) -> None:
    set_constraint_vec(w, constraint, TOTAL_IMPULSES, wp.vec4(p.normal_1, p.tangent_1, p.normal_2, p.tangent_2))


@wp.func
def block_matrix(w: World, constraint: int) -> BlockMatrix:
    v = constraint_vec(w, constraint, BLOCK_MATRIX)
    return BlockMatrix(v[0], v[1], v[2])


@wp.func
def block_inverse(w: World, constraint: int) -> BlockMatrix:
    v = constraint_vec(w, constraint, BLOCK_INVERSE)
    return BlockMatrix(v[0], v[1], v[2])


@wp.func
def set_block(w: World, constraint: int, matrix: BlockMatrix, inverse: BlockMatrix) -> None:
    set_constraint_vec(w, constraint, BLOCK_MATRIX, wp.vec4(matrix.k11, matrix.k12, matrix.k22, 0.0))
    set_constraint_vec(w, constraint, BLOCK_INVERSE, wp.vec4(inverse.k11, inverse.k12, inverse.k22, 0.0))


@wp.func
def pair_mass(w: World, constraint: int) -> PairMass:
    v = constraint_vec(w, constraint, BODY_MASSES)
    return PairMass(v[0], v[1], v[2], v[3])


@wp.func
def set_pair_mass(w: World, constraint: int, m: PairMass) -> None:
    set_constraint_vec(
        w,
        constraint,
        BODY_MASSES,
        wp.vec4(m.inverse_mass_a, m.inverse_inertia_a, m.inverse_mass_b, m.inverse_inertia_b),
    )


@wp.func
def shape_radii(w: World, constraint: int) -> tuple[float, float]:
    """The radii of the two shapes, which are looked up once and needed in every iteration."""
    v = constraint_vec(w, constraint, SHAPE_RADII)
    return v[0], v[1]


@wp.func
def set_shape_radii(w: World, constraint: int, radius_a: float, radius_b: float) -> None:
    set_constraint_vec(w, constraint, SHAPE_RADII, wp.vec4(radius_a, radius_b, 0.0, 0.0))
