"""The contact solver: sequential impulses with warm starting and a two-point block solver.

For a contact point with normal n (from A to B), tangent t = (n.y, -n.x) and arms ra, rb from the centres of mass:

    relative velocity   dv = (vb + wb x rb) - (va + wa x ra)
    effective mass      1 / k, see `contact_constraint.py`
    impulse P on B      vb += P/mb,  wb += (rb x P)/Ib;  va -= P/ma,  wa -= (ra x P)/Ia

Each iteration goes over the constraints of an island in the order in which the island's search found them. What is
clamped is the total impulse of a step, not that of an iteration, so that later iterations can take back what earlier
ones gave too much. That order, and the order of the operations, decides the bits of the result.

On a CPU, contacts of one point between a static body A and body B have functions of their own: less to compute, and
the same bits.
"""

import warp as wp

from tumble.engine.collision.contacts import add_impulse
from tumble.engine.dynamics.contact_constraint import (
    apply_change,
    apply_to_a,
    apply_to_b,
    point_impulse,
    relative_velocity,
)
from tumble.engine.state.bodies import Velocity, set_velocity_of, velocity_of
from tumble.engine.state.contacts import (
    Arms,
    BlockMatrix,
    ContactFrame,
    Impulses,
    PairMass,
    PointConstraint,
    arms_1,
    arms_2,
    block_inverse,
    block_matrix,
    contact_frame,
    impulses_of,
    pair_mass,
    point_1,
    point_2,
    set_impulses,
    set_total_impulses,
    total_impulses,
)
from tumble.engine.state.geometry import cross, right_normal
from tumble.engine.state.layout import CONSTRAINT_A, CONSTRAINT_B, CONSTRAINT_CONTACT, CONSTRAINT_POINTS
from tumble.engine.state.native import not_negative, on_cpu, within
from tumble.engine.state.world import World, constraint_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def velocity_on_static(vb: Velocity, arms: Arms) -> wp.vec2:
    """The relative velocity where A is static; its zeros are added as they would be otherwise, since -0 + 0 is 0."""
    x = (vb.linear[0] - vb.angular * arms.b[1]) + 0.0 * arms.a[1]
    y = (vb.linear[1] + vb.angular * arms.b[0]) - 0.0 * arms.a[0]
    return wp.vec2(x, y)


@wp.func
def iterate_on_static(
    frame: ContactFrame,
    m: PairMass,
    arms: Arms,
    point: PointConstraint,
    vb: Velocity,
    old_normal: float,
    old_tangent: float,
) -> tuple[int, Velocity, float, float]:
    """One iteration on one point between a static body A, whose velocity stays 0, and body B.

    Returns 1 if it changed anything, B's velocity, and the total normal and tangent impulses.
    """
    n = frame.normal
    changed = int(0)
    slip = cross(velocity_on_static(vb, arms), n)
    tangent = within(old_tangent - point.tangent_mass * slip, frame.friction * old_normal)
    if tangent != old_tangent:
        changed = int(1)
        d = tangent - old_tangent
        vb = apply_to_b(vb, m, arms, wp.vec2(d * n[1], -d * n[0]))
    dv = velocity_on_static(vb, arms)
    normal = not_negative(old_normal - point.normal_mass * ((dv[0] * n[0] + dv[1] * n[1]) - point.bias))
    if normal != old_normal:
        changed = int(1)
        g = normal - old_normal
        vb = apply_to_b(vb, m, arms, wp.vec2(g * n[0], g * n[1]))
    return changed, vb, normal, tangent


@wp.func
def same_bits(a: float, b: float) -> bool:
    return wp.cast(a, wp.int32) == wp.cast(b, wp.int32)


@wp.func
def is_point_on_static(w: World, constraint: int) -> bool:
    """Whether a constraint is of one point between a static body A and body B."""
    return constraint_int(w, constraint, CONSTRAINT_POINTS) == 1 and pair_mass(w, constraint).inverse_mass_a == 0.0


@wp.func
def solve_alone_on_static(w: World, constraint: int, iterations: int) -> None:
    """All iterations on the only constraint of an island, of one point between a static body A and body B.

    It ends as soon as an iteration changed nothing, or undid what the one before did: from then on every second
    iteration would end in the same state.
    """
    frame = contact_frame(w, constraint)
    m = pair_mass(w, constraint)
    arms = arms_1(w, constraint)
    point = point_1(w, constraint)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    total = total_impulses(w, constraint)
    vb = velocity_of(w, body_b)
    normal = float(total.normal_1)
    tangent = float(total.tangent_1)
    last_vb = vb  # the state before the last iteration
    last_normal = float(normal)
    last_tangent = float(tangent)
    remaining = int(iterations)
    while remaining > 0:
        remaining = remaining - 1
        changed, new_vb, new_normal, new_tangent = iterate_on_static(frame, m, arms, point, vb, normal, tangent)
        if changed == 0:
            break
        undone = same_bits(new_normal, last_normal) and same_bits(new_tangent, last_tangent)
        if undone:
            undone = (
                same_bits(new_vb.angular, last_vb.angular)
                and same_bits(new_vb.linear[0], last_vb.linear[0])
                and same_bits(new_vb.linear[1], last_vb.linear[1])
            )
        if undone and (remaining & 1) == 1:
            break  # the last iteration of all would end in the state that this one began with
        last_vb = vb
        last_normal = normal
        last_tangent = tangent
        vb = new_vb
        normal = new_normal
        tangent = new_tangent
        if undone:
            break
    set_total_impulses(w, constraint, Impulses(normal, tangent, total.normal_2, total.tangent_2))
    set_velocity_of(w, body_b, vb)


@wp.func
def solve_on_static(w: World, constraint: int, frame: ContactFrame, m: PairMass, old: Impulses) -> int:
    """As `solve_constraint`, for a contact of one point with a static body A."""
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    changed, vb, normal, tangent = iterate_on_static(
        frame,
        m,
        arms_1(w, constraint),
        point_1(w, constraint),
        velocity_of(w, body_b),
        old.normal_1,
        old.tangent_1,
    )
    if changed == 1:
        set_total_impulses(w, constraint, Impulses(normal, tangent, old.normal_2, old.tangent_2))
        set_velocity_of(w, body_b, vb)
    return changed


@wp.func
def warm_start(w: World, constraint: int) -> None:
    """Applies the total impulses of the last step, from which the iterations of this step start."""
    n = contact_frame(w, constraint).normal
    impulses = total_impulses(w, constraint)
    m = pair_mass(w, constraint)
    body_a = constraint_int(w, constraint, CONSTRAINT_A)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    arms = arms_1(w, constraint)
    va = velocity_of(w, body_a)
    vb = velocity_of(w, body_b)
    p = point_impulse(n, impulses.normal_1, impulses.tangent_1)
    va = apply_to_a(va, m, arms, p)
    vb = apply_to_b(vb, m, arms, p)
    if constraint_int(w, constraint, CONSTRAINT_POINTS) == 2:
        second_arms = arms_2(w, constraint)
        q = point_impulse(n, impulses.normal_2, impulses.tangent_2)
        va = apply_to_a(va, m, second_arms, q)
        vb = apply_to_b(vb, m, second_arms, q)
    set_velocity_of(w, body_a, va)
    set_velocity_of(w, body_b, vb)


@wp.func
def friction_impulse(
    va: Velocity, vb: Velocity, arms: Arms, frame: ContactFrame, tangent_mass: float, normal: float, old: float
) -> float:
    """The new total tangent impulse: clamp(old - mass dot(dv, t), -mu normal, mu normal), Coulomb's law."""
    slip = cross(relative_velocity(va, vb, arms), frame.normal)  # dot(dv, t)
    return within(old - tangent_mass * slip, frame.friction * normal)


@wp.func
def solve_block(
    matrix: BlockMatrix,
    inverse: BlockMatrix,
    n: wp.vec2,
    va: Velocity,
    vb: Velocity,
    first_arms: Arms,
    second_arms: Arms,
    first: PointConstraint,
    second: PointConstraint,
    old_1: float,
    old_2: float,
) -> tuple[float, float]:
    """The total normal impulses x of both points at once, a linear complementarity problem (LCP).

    With total impulses x the normal speeds, less their bias, become

        s = K x + b,   b = dot(n, dv) - bias - K old

    and we want x >= 0, s >= 0 and x_i s_i = 0: a point either presses or separates. The four cases are tried in turn;
    if none fits, nothing changes.
    """
    dv1 = relative_velocity(va, vb, first_arms)
    dv2 = relative_velocity(va, vb, second_arms)
    b1 = (dv1[0] * n[0] + dv1[1] * n[1]) - first.bias
    b2 = (dv2[0] * n[0] + dv2[1] * n[1]) - second.bias
    b1 = b1 - (matrix.k11 * old_1 + matrix.k12 * old_2)
    b2 = b2 - (matrix.k12 * old_1 + matrix.k22 * old_2)
    # 1. both press: s = 0, x = -K⁻¹ b
    x1 = -(inverse.k11 * b1 + inverse.k12 * b2)
    x2 = -(inverse.k12 * b1 + inverse.k22 * b2)
    if x1 >= 0.0 and x2 >= 0.0:
        return x1, x2
    # 2. only point 1 presses: x2 = 0, s1 = 0, so x1 = -b1 / k11 and s2 = k12 x1 + b2
    x1 = -first.normal_mass * b1
    if x1 >= 0.0 and matrix.k12 * x1 + b2 >= 0.0:
        return x1, float(0.0)
    # 3. only point 2 presses: x1 = 0, s2 = 0, so x2 = -b2 / k22 and s1 = k12 x2 + b1
    x2 = -second.normal_mass * b2
    if x2 >= 0.0 and matrix.k12 * x2 + b1 >= 0.0:
        return float(0.0), x2
    # 4. both separate: x = 0, s = b
    if b1 >= 0.0 and b2 >= 0.0:
        return float(0.0), float(0.0)
    return old_1, old_2


@wp.func
def apply_both_changes(
    va: Velocity,
    vb: Velocity,
    m: PairMass,
    n: wp.vec2,
    first_arms: Arms,
    second_arms: Arms,
    new_1: float,
    old_1: float,
    new_2: float,
    old_2: float,
) -> tuple[Velocity, Velocity]:
    """Both velocities after the total normal impulses of two points changed from old to new, which may be equal."""
    if new_1 == old_1 and new_2 == old_2:
        return va, vb
    d1 = new_1 - old_1
    d2 = new_2 - old_2
    p1 = wp.vec2(d1 * n[0], d1 * n[1])
    p2 = wp.vec2(d2 * n[0], d2 * n[1])
    p = p1 + p2
    turn_a = m.inverse_inertia_a * (cross(first_arms.a, p1) + cross(second_arms.a, p2))
    turn_b = m.inverse_inertia_b * (cross(first_arms.b, p1) + cross(second_arms.b, p2))
    va.linear = wp.vec2(va.linear[0] - m.inverse_mass_a * p[0], va.linear[1] - m.inverse_mass_a * p[1])
    va.angular = va.angular - turn_a
    vb.linear = wp.vec2(vb.linear[0] + m.inverse_mass_b * p[0], vb.linear[1] + m.inverse_mass_b * p[1])
    vb.angular = vb.angular + turn_b
    return va, vb


@wp.func
def solve_points(
    w: World,
    constraint: int,
    points: int,
    frame: ContactFrame,
    m: PairMass,
    va: Velocity,
    vb: Velocity,
    old: Impulses,
) -> tuple[Velocity, Velocity, Impulses]:
    """One iteration on the points of a contact: the velocities and total impulses after it."""
    n = frame.normal
    tangent = right_normal(n)
    arms = arms_1(w, constraint)
    first = point_1(w, constraint)
    t1 = friction_impulse(va, vb, arms, frame, first.tangent_mass, old.normal_1, old.tangent_1)
    va1, vb1 = apply_change(va, vb, m, arms, tangent, t1, old.tangent_1)
    if points == 1:
        # new total normal impulse: max(0, old - mass (dot(n, dv) - bias))
        dv = relative_velocity(va1, vb1, arms)
        n1 = not_negative(old.normal_1 - first.normal_mass * ((dv[0] * n[0] + dv[1] * n[1]) - first.bias))
        va2, vb2 = apply_change(va1, vb1, m, arms, n, n1, old.normal_1)
        return va2, vb2, Impulses(n1, t1, old.normal_2, old.tangent_2)
    second_arms = arms_2(w, constraint)
    second = point_2(w, constraint)
    t2 = friction_impulse(va1, vb1, second_arms, frame, second.tangent_mass, old.normal_2, old.tangent_2)
    va3, vb3 = apply_change(va1, vb1, m, second_arms, tangent, t2, old.tangent_2)
    matrix = block_matrix(w, constraint)
    inverse = block_inverse(w, constraint)
    x1, x2 = solve_block(matrix, inverse, n, va3, vb3, arms, second_arms, first, second, old.normal_1, old.normal_2)
    va4, vb4 = apply_both_changes(va3, vb3, m, n, arms, second_arms, x1, old.normal_1, x2, old.normal_2)
    return va4, vb4, Impulses(x1, t1, x2, t2)


@wp.func
def solve_constraint(w: World, constraint: int) -> int:
    """One iteration on a contact: friction first, then the normal impulses. Returns 1 if it changed anything."""
    frame = contact_frame(w, constraint)
    old = total_impulses(w, constraint)
    m = pair_mass(w, constraint)
    points = constraint_int(w, constraint, CONSTRAINT_POINTS)
    if on_cpu() and m.inverse_mass_a == 0.0 and points == 1:
        return solve_on_static(w, constraint, frame, m, old)
    body_a = constraint_int(w, constraint, CONSTRAINT_A)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    before_a = velocity_of(w, body_a)
    before_b = velocity_of(w, body_b)
    va, vb, new = solve_points(w, constraint, points, frame, m, before_a, before_b, old)
    if (
        new.normal_1 == old.normal_1
        and new.tangent_1 == old.tangent_1
        and new.normal_2 == old.normal_2
        and new.tangent_2 == old.tangent_2
    ):
        return 0
    set_total_impulses(w, constraint, new)
    set_velocity_of(w, body_a, va)
    set_velocity_of(w, body_b, vb)
    return 1


@wp.func
def store_impulses(w: World, constraint: int) -> None:
    """Stores the total impulses with the contact, for the next step to start from."""
    contact = constraint_int(w, constraint, CONSTRAINT_CONTACT)
    new = total_impulses(w, constraint)
    if constraint_int(w, constraint, CONSTRAINT_POINTS) == 1:
        # a second point that was not solved keeps its impulses
        old = impulses_of(w, contact)
        new.normal_2 = old.normal_2
        new.tangent_2 = old.tangent_2
    set_impulses(w, contact, new)


@wp.func(inline=False)
def report_impulses(w: World, first: int, count: int) -> None:
    """Adds the normal impulses of some constraints to what events and rules see of their contacts."""
    for constraint in range(first, first + count):
        impulses = total_impulses(w, constraint)
        total = impulses.normal_1
        if constraint_int(w, constraint, CONSTRAINT_POINTS) == 2:
            total = total + impulses.normal_2
        add_impulse(w, constraint_int(w, constraint, CONSTRAINT_CONTACT), total)
