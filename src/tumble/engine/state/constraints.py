"""A contact constraint: what the solver needs of one contact of an island."""

import warp as wp

from tumble.engine.state.contacts import Impulses
from tumble.engine.state.layout import (
    ARMS_1,
    ARMS_2,
    BLOCK_INVERSE,
    BLOCK_MATRIX,
    BODY_MASSES,
    CONTACT_FRAME,
    POINT_1,
    POINT_2,
    SHAPE_RADII,
    TOTAL_IMPULSES,
)
from tumble.engine.state.world import World, constraint_vec, set_constraint_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
