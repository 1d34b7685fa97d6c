"""The constraint of a contact: what is computed before the iterations, what impulses do, position correction.

For a contact point with normal n (from A to B), tangent t = (n.y, -n.x), arms ra, rb from the centres of mass, and a
direction d:

    relative velocity   dv = (vb + wb x rb) - (va + wa x ra)
    effective mass      1 / k,  k = 1/ma + 1/mb + (ra x d)²/Ia + (rb x d)²/Ib
    impulse P on B      vb += P/mb,  wb += (rb x P)/Ib;  va -= P/ma,  wa -= (ra x P)/Ia

Bodies that overlap are moved apart by nonlinear Gauss-Seidel.
"""

import warp as wp

from tumble.engine.collision.manifold import point_separation, world_manifold
from tumble.engine.state.bodies import (
    CentrePose,
    Velocity,
    body_mass,
    centre_pose,
    set_centre_pose,
    set_transform,
    transform_at,
    transform_of,
    velocity_of,
)
from tumble.engine.state.constants import LINEAR_SLOP, MAX_CONDITION_NUMBER, MAX_LINEAR_CORRECTION, VELOCITY_THRESHOLD
from tumble.engine.state.contacts import (
    Arms,
    BlockMatrix,
    ContactFrame,
    Impulses,
    PairMass,
    PointConstraint,
    contact_radii,
    contact_surface,
    impulses_of,
    manifold_of,
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
from tumble.engine.state.geometry import Transform, cross, right_normal
from tumble.engine.state.layout import (
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONSTRAINT_A,
    CONSTRAINT_B,
    CONSTRAINT_CONTACT,
    CONSTRAINT_POINTS,
    DYNAMIC,
)
from tumble.engine.state.world import World, body_int, constraint_int, contact_int, set_constraint_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def relative_velocity(va: Velocity, vb: Velocity, arms: Arms) -> wp.vec2:
    """dv = (vb + wb x rb) - (va + wa x ra), where w x r = (-w r.y, w r.x)."""
    x = (vb.linear[0] - vb.angular * arms.b[1]) - va.linear[0] + va.angular * arms.a[1]
    y = (vb.linear[1] + vb.angular * arms.b[0]) - va.linear[1] - va.angular * arms.a[0]
    return wp.vec2(x, y)


@wp.func
def apply_to_a(va: Velocity, m: PairMass, arms: Arms, p: wp.vec2) -> Velocity:
    """A's velocity after the impulse P on B: va - P/ma, wa - (ra x P)/Ia."""
    turn = m.inverse_inertia_a * cross(arms.a, p)
    va.linear = wp.vec2(va.linear[0] - m.inverse_mass_a * p[0], va.linear[1] - m.inverse_mass_a * p[1])
    va.angular = va.angular - turn
    return va


@wp.func
def apply_to_b(vb: Velocity, m: PairMass, arms: Arms, p: wp.vec2) -> Velocity:
    """B's velocity after the impulse P on it: vb + P/mb, wb + (rb x P)/Ib."""
    turn = m.inverse_inertia_b * cross(arms.b, p)
    vb.linear = wp.vec2(vb.linear[0] + m.inverse_mass_b * p[0], vb.linear[1] + m.inverse_mass_b * p[1])
    vb.angular = vb.angular + turn
    return vb


@wp.func
def apply_change(
    va: Velocity, vb: Velocity, m: PairMass, arms: Arms, direction: wp.vec2, new: float, old: float
) -> tuple[Velocity, Velocity]:
    """Both velocities after the total impulse along a direction changed from `old` to `new`, which may be equal."""
    if new == old:
        return va, vb
    d = new - old
    p = wp.vec2(d * direction[0], d * direction[1])
    return apply_to_a(va, m, arms, p), apply_to_b(vb, m, arms, p)


@wp.func
def point_impulse(n: wp.vec2, normal: float, tangent: float) -> wp.vec2:
    """P = normal n + tangent t, with t = (n.y, -n.x)."""
    return wp.vec2(normal * n[0] + tangent * n[1], normal * n[1] - tangent * n[0])


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


@wp.struct
class PairPose:
    """Where the two bodies of a constraint are while its points are corrected."""

    pose_a: CentrePose
    pose_b: CentrePose
    transform_a: Transform
    transform_b: Transform
    moved: int  # 1 once a point was corrected


@wp.func
def pair_pose(w: World, body_a: int, body_b: int) -> PairPose:
    pose_a, pose_b = centre_pose(w, body_a), centre_pose(w, body_b)
    return PairPose(pose_a, pose_b, transform_of(w, body_a), transform_of(w, body_b), 0)


@wp.func
def movable_masses(m: PairMass, body_a: int, body_b: int, body_1: int, body_2: int) -> PairMass:
    """The masses where only two bodies may move, or all where `body_1` is -1."""
    if body_1 < 0:
        return m
    if body_a != body_1 and body_a != body_2:
        m.inverse_mass_a = 0.0
        m.inverse_inertia_a = 0.0
    if body_b != body_1 and body_b != body_2:
        m.inverse_mass_b = 0.0
        m.inverse_inertia_b = 0.0
    return m


@wp.func
def correction_impulse(c: float, inverse_mass: float) -> float:
    """-C / k, or 0 where neither body can move."""
    if inverse_mass > 0.0:
        return -c / inverse_mass
    return 0.0


@wp.func
def correct_position(w: World, constraint: int, baumgarte: float, body_1: int, body_2: int) -> float:
    """Moves the two bodies apart where they overlap, by a share of the overlap; returns the smallest separation met.

    With the separation s of a point where the bodies are now,

        C = clamp(baumgarte (s + slop), -max correction, 0),   P = -C / k n

    and P changes the poses as an impulse would change the velocities. Only `body_1` and `body_2` may move, or all where
    `body_1` is -1.
    """
    contact = constraint_int(w, constraint, CONSTRAINT_CONTACT)
    body_a = constraint_int(w, constraint, CONSTRAINT_A)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    m = movable_masses(pair_mass(w, constraint), body_a, body_b, body_1, body_2)
    radius_a, radius_b = shape_radii(w, constraint)
    manifold = manifold_of(w, contact)
    at = pair_pose(w, body_a, body_b)
    smallest = float(0.0)
    for k in range(manifold.count):
        point = wp.where(k == 0, manifold.point_1, manifold.point_2)
        n, p, s = point_separation(manifold, point, at.transform_a, radius_a, at.transform_b, radius_b)
        if s < smallest:
            smallest = s
        c = wp.max(baumgarte * (s + LINEAR_SLOP), -MAX_LINEAR_CORRECTION)
        if c < 0.0:
            ra = p - at.pose_a.position
            rb = p - at.pose_b.position
            lever_a = cross(ra, n)
            lever_b = cross(rb, n)
            impulse = correction_impulse(c, inverse_effective_mass(m, lever_a, lever_b, lever_a, lever_b))
            push = wp.vec2(impulse * n[0], impulse * n[1])
            flags_a = body_int(w, body_a, BODY_FLAGS)
            flags_b = body_int(w, body_b, BODY_FLAGS)
            at.moved = 1
            if (flags_a & DYNAMIC) != 0:
                x_a = at.pose_a.position[0] - m.inverse_mass_a * push[0]
                y_a = at.pose_a.position[1] - m.inverse_mass_a * push[1]
                angle_a = at.pose_a.angle - m.inverse_inertia_a * cross(ra, push)
                at.pose_a = CentrePose(wp.vec2(x_a, y_a), angle_a, at.pose_a.sleep_time)
                at.transform_a = transform_at(w, body_a, flags_a, wp.vec2(x_a, y_a), angle_a)
            if (flags_b & DYNAMIC) != 0:
                x_b = at.pose_b.position[0] + m.inverse_mass_b * push[0]
                y_b = at.pose_b.position[1] + m.inverse_mass_b * push[1]
                angle_b = at.pose_b.angle + m.inverse_inertia_b * cross(rb, push)
                at.pose_b = CentrePose(wp.vec2(x_b, y_b), angle_b, at.pose_b.sleep_time)
                at.transform_b = transform_at(w, body_b, flags_b, wp.vec2(x_b, y_b), angle_b)
    if at.moved == 1:
        set_centre_pose(w, body_a, at.pose_a)
        set_centre_pose(w, body_b, at.pose_b)
        set_transform(w, body_a, at.transform_a)
        set_transform(w, body_b, at.transform_b)
    return smallest
