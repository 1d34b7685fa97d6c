"""Contacts of one point between a static body A and body B, on a CPU: less to compute, and the same bits."""

import warp as wp

from tumble.engine.dynamics.impulses import apply_to_b
from tumble.engine.math.clamps import not_negative, within
from tumble.engine.math.vectors import cross
from tumble.engine.state.bodies import Velocity, set_velocity_of, velocity_of
from tumble.engine.state.constraints import (
    Arms,
    ContactFrame,
    PairMass,
    PointConstraint,
    arms_1,
    contact_frame,
    pair_mass,
    point_1,
    set_total_impulses,
    total_impulses,
)
from tumble.engine.state.contacts import Impulses
from tumble.engine.state.layout import CONSTRAINT_B, CONSTRAINT_POINTS
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
