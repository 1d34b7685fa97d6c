"""Impulses at a contact point and what they do to the velocities of its bodies; formulas as in `contact_solver`."""

import warp as wp

from tumble.engine.math.vectors import cross
from tumble.engine.state.bodies import Velocity
from tumble.engine.state.constraints import Arms, PairMass

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
