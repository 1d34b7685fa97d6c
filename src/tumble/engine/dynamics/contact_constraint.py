"""The constraint of a contact: what the solver needs of it, computed once before the iterations.

For a contact point with arms ra, rb from the centres of mass, the effective mass along a direction d is

    1 / k,  k = 1/ma + 1/mb + (ra x d)²/Ia + (rb x d)²/Ib
"""

import warp as wp

from tumble.engine.collision.manifold_points import world_manifold
from tumble.engine.dynamics.impulses import relative_velocity
from tumble.engine.math.constants import MAX_CONDITION_NUMBER, VELOCITY_THRESHOLD
from tumble.engine.math.vectors import cross, right_normal
from tumble.engine.state.bodies import Velocity, centre_pose, transform_of, velocity_of
from tumble.engine.state.constraints import (
    Arms,
    BlockMatrix,
    ContactFrame,
    PairMass,
    PointConstraint,
    pair_mass,
    set_arms_1,
    set_arms_2,
    set_block,
    set_contact_frame,
    set_pair_mass,
    set_point_1,
    set_point_2,
    set_shape_radii,
    set_total_impulses,
    shape_radii,
)
from tumble.engine.state.contacts import Impulses, contact_radii, contact_surface, impulses_of, manifold_of
from tumble.engine.state.definitions import body_mass
from tumble.engine.state.layout import BODY_A, BODY_B, CONSTRAINT_A, CONSTRAINT_B, CONSTRAINT_CONTACT, CONSTRAINT_POINTS
from tumble.engine.state.world import World, constraint_int, contact_int, set_constraint_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def init_constraint(w: World, constraint: int, contact: int) -> None:
    """Makes a constraint of a contact and its two bodies."""
    body_a = contact_int(w, contact, BODY_A)
    body_b = contact_int(w, contact, BODY_B)
    a = body_mass(w, body_a)
    b = body_mass(w, body_b)
    set_constraint_int(w, constraint, CONSTRAINT_CONTACT, contact)
    set_constraint_int(w, constraint, CONSTRAINT_A, body_a)
    set_constraint_int(w, constraint, CONSTRAINT_B, body_b)
    masses = PairMass(a.inverse_mass, a.inverse_inertia, b.inverse_mass, b.inverse_inertia)
    set_pair_mass(w, constraint, masses)
    radius_a, radius_b = contact_radii(w, contact)
    set_shape_radii(w, constraint, radius_a, radius_b)


@wp.func
def inverse_effective_mass(m: PairMass, a1: float, b1: float, a2: float, b2: float) -> float:
    """k = 1/ma + 1/mb + a1 a2/Ia + b1 b2/Ib: how a unit impulse with levers a2, b2 changes the speed at levers a1, b1.

    A lever is ra x d or rb x d. With equal levers this is the inverse of the effective mass.
    """
    return m.inverse_mass_a + m.inverse_mass_b + m.inverse_inertia_a * a1 * a2 + m.inverse_inertia_b * b1 * b2


@wp.func
def effective_mass(m: PairMass, arms: Arms, direction: wp.vec2) -> float:
    """1 / k along a direction; 0 where neither body can move."""
    a = cross(arms.a, direction)
    b = cross(arms.b, direction)
    k = inverse_effective_mass(m, a, b, a, b)
    if k > 0.0:
        return 1.0 / k
    return 0.0


@wp.func
def prepare_point(
    m: PairMass, arms: Arms, n: wp.vec2, va: Velocity, vb: Velocity, restitution: float
) -> PointConstraint:
    """Effective masses of a point and its velocity bias, -e dot(n, dv) if it approaches faster than the threshold."""
    normal_mass = effective_mass(m, arms, n)
    tangent_mass = effective_mass(m, arms, right_normal(n))
    normal_speed = wp.dot(n, relative_velocity(va, vb, arms))
    bias = float(0.0)
    if normal_speed < -VELOCITY_THRESHOLD:
        bias = -restitution * normal_speed
    return PointConstraint(normal_mass, tangent_mass, bias)


@wp.func
def prepare_constraint(w: World, constraint: int, warm_start_ratio: float) -> None:
    """Computes all that stays the same during the iterations, from the contact and the bodies as they are.

    For two points the block solver needs the matrix K, which maps the two normal impulses to changes of the two
    normal speeds, and its inverse. If K is near singular (k11² >= limit * det K), only the first point is solved.
    """
    contact = constraint_int(w, constraint, CONSTRAINT_CONTACT)
    body_a = constraint_int(w, constraint, CONSTRAINT_A)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    m = pair_mass(w, constraint)
    radius_a, radius_b = shape_radii(w, constraint)
    manifold = manifold_of(w, contact)
    n, p1, p2 = world_manifold(manifold, transform_of(w, body_a), radius_a, transform_of(w, body_b), radius_b)
    ca = centre_pose(w, body_a).position
    cb = centre_pose(w, body_b).position
    va = velocity_of(w, body_a)
    vb = velocity_of(w, body_b)
    surface = contact_surface(w, contact)
    first_arms = Arms(p1 - ca, p1 - cb)
    points = manifold.count
    if points == 2:
        second_arms = Arms(p2 - ca, p2 - cb)
        a1 = cross(first_arms.a, n)
        b1 = cross(first_arms.b, n)
        a2 = cross(second_arms.a, n)
        b2 = cross(second_arms.b, n)
        k11 = inverse_effective_mass(m, a1, b1, a1, b1)
        k22 = inverse_effective_mass(m, a2, b2, a2, b2)
        k12 = inverse_effective_mass(m, a1, b1, a2, b2)
        determinant = k11 * k22 - k12 * k12
        if k11 * k11 < MAX_CONDITION_NUMBER * determinant:
            inverse = determinant
            if determinant != 0.0:
                inverse = 1.0 / determinant
            set_block(
                w,
                constraint,
                BlockMatrix(k11, k12, k22),
                BlockMatrix(inverse * k22, -inverse * k12, inverse * k11),
            )
            set_arms_2(w, constraint, second_arms)
            set_point_2(w, constraint, prepare_point(m, second_arms, n, va, vb, surface.restitution))
        else:
            points = int(1)
    old = impulses_of(w, contact)
    set_total_impulses(
        w,
        constraint,
        Impulses(
            warm_start_ratio * old.normal_1,
            warm_start_ratio * old.tangent_1,
            warm_start_ratio * old.normal_2,
            warm_start_ratio * old.tangent_2,
        ),
    )
    set_contact_frame(w, constraint, ContactFrame(n, surface.friction))
    set_arms_1(w, constraint, first_arms)
    set_point_1(w, constraint, prepare_point(m, first_arms, n, va, vb, surface.restitution))
    set_constraint_int(w, constraint, CONSTRAINT_POINTS, points)


@wp.func
def make_constraint(w: World, constraint: int, warm_start_ratio: float) -> None:
    """Does both for a constraint that knows its contact."""
    init_constraint(w, constraint, constraint_int(w, constraint, CONSTRAINT_CONTACT))
    prepare_constraint(w, constraint, warm_start_ratio)
