"""Impulses at contacts: sequential, accumulated and clamped, with a two-point block solver and warm starting.

A row holds what the solver needs of one contact of an island. Rows are solved in the order in which the island's
search met them; that order, and the order of the operations, decides the bits of the result.
"""

import warp as wp

from tumble.engine.collision.events import impulse_passed
from tumble.engine.collision.manifold import separation, world_manifold
from tumble.engine.math.constants import LINEAR_SLOP, MAX_CONDITION_NUMBER, MAX_LINEAR_CORRECTION, VELOCITY_THRESHOLD
from tumble.engine.math.vectors import cross, right_normal
from tumble.engine.state.bodies import transform
from tumble.engine.state.layout import (
    AXIS,
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FLAGS,
    CONTACT_FLAGS,
    DEF_MASS,
    DEF_SURFACE,
    DYNAMIC,
    IMPULSES,
    KIND_MASK,
    KIND_SHIFT,
    PLACE,
    POINT_COUNT,
    POINTS,
    ROW_A,
    ROW_ARMS_1,
    ROW_ARMS_2,
    ROW_B,
    ROW_BLOCK,
    ROW_BODIES,
    ROW_CONTACT,
    ROW_IMPULSES,
    ROW_INVERSE,
    ROW_MASS_1,
    ROW_MASS_2,
    ROW_NORMAL,
    ROW_POINTS,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    SURFACE,
    SWEEP,
    VELOCITY,
    World,
    body_def_vec,
    body_int,
    body_vec,
    contact_int,
    contact_vec,
    put_body_vec,
    put_contact_vec,
    put_row_int,
    put_row_vec,
    row_int,
    row_vec,
    shape_def_vec,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def link_row(w: World, row: int, contact: int) -> None:
    """Makes a row stand for a contact and its two bodies."""
    body_a = contact_int(w, contact, BODY_A)
    body_b = contact_int(w, contact, BODY_B)
    a = body_def_vec(w, body_int(w, body_a, BODY_DEF), DEF_MASS)
    b = body_def_vec(w, body_int(w, body_b, BODY_DEF), DEF_MASS)
    put_row_int(w, row, ROW_CONTACT, contact)
    put_row_int(w, row, ROW_A, body_a)
    put_row_int(w, row, ROW_B, body_b)
    put_row_vec(w, row, ROW_BODIES, wp.vec4(a[0], a[1], b[0], b[1]))


@wp.func
def contact_radii(w: World, contact: int) -> tuple[float, float]:
    radius_a = shape_def_vec(w, shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF), DEF_SURFACE)[0]
    radius_b = shape_def_vec(w, shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF), DEF_SURFACE)[0]
    return radius_a, radius_b


@wp.func
def velocity_between(va: wp.vec4, vb: wp.vec4, arms: wp.vec4) -> wp.vec2:
    """The velocity of B against A at a contact point."""
    x = (vb[0] - vb[2] * arms[3]) - va[0] + va[2] * arms[1]
    y = (vb[1] + vb[2] * arms[2]) - va[1] - va[2] * arms[0]
    return wp.vec2(x, y)


@wp.func
def effective_mass(masses: wp.vec4, lever_a: float, lever_b: float) -> float:
    k = masses[0] + masses[2] + masses[1] * lever_a * lever_a + masses[3] * lever_b * lever_b
    if k > 0.0:
        return 1.0 / k
    return 0.0


@wp.func
def point_masses(masses: wp.vec4, arms: wp.vec4, n: wp.vec2, va: wp.vec4, vb: wp.vec4, restitution: float) -> wp.vec4:
    """Normal mass, tangent mass and the speed to bounce off with, at one point."""
    ra = wp.vec2(arms[0], arms[1])
    rb = wp.vec2(arms[2], arms[3])
    tangent = right_normal(n)
    normal_mass = effective_mass(masses, cross(ra, n), cross(rb, n))
    tangent_mass = effective_mass(masses, cross(ra, tangent), cross(rb, tangent))
    approach = wp.dot(n, velocity_between(va, vb, arms))
    bias = float(0.0)
    if approach < -VELOCITY_THRESHOLD:
        bias = -restitution * approach
    return wp.vec4(normal_mass, tangent_mass, bias, 0.0)


@wp.func
def prepare_row(w: World, row: int, warm: float) -> None:
    """Fills a row from its contact and the bodies as they are; `warm` scales the impulses of the last step."""
    contact = row_int(w, row, ROW_CONTACT)
    flags = contact_int(w, contact, CONTACT_FLAGS)
    body_a = row_int(w, row, ROW_A)
    body_b = row_int(w, row, ROW_B)
    masses = row_vec(w, row, ROW_BODIES)
    radius_a, radius_b = contact_radii(w, contact)
    n, p1, p2 = world_manifold(
        (flags >> KIND_SHIFT) & KIND_MASK,
        contact_vec(w, contact, AXIS),
        contact_vec(w, contact, POINTS),
        body_vec(w, body_a, PLACE),
        radius_a,
        body_vec(w, body_b, PLACE),
        radius_b,
    )
    ca = body_vec(w, body_a, SWEEP)
    cb = body_vec(w, body_b, SWEEP)
    va = body_vec(w, body_a, VELOCITY)
    vb = body_vec(w, body_b, VELOCITY)
    surface = contact_vec(w, contact, SURFACE)
    arms_1 = wp.vec4(p1[0] - ca[0], p1[1] - ca[1], p1[0] - cb[0], p1[1] - cb[1])
    points = flags & POINT_COUNT
    if points == 2:
        arms_2 = wp.vec4(p2[0] - ca[0], p2[1] - ca[1], p2[0] - cb[0], p2[1] - cb[1])
        a1 = cross(wp.vec2(arms_1[0], arms_1[1]), n)
        b1 = cross(wp.vec2(arms_1[2], arms_1[3]), n)
        a2 = cross(wp.vec2(arms_2[0], arms_2[1]), n)
        b2 = cross(wp.vec2(arms_2[2], arms_2[3]), n)
        k11 = masses[0] + masses[2] + masses[1] * a1 * a1 + masses[3] * b1 * b1
        k22 = masses[0] + masses[2] + masses[1] * a2 * a2 + masses[3] * b2 * b2
        k12 = masses[0] + masses[2] + masses[1] * a1 * a2 + masses[3] * b1 * b2
        if k11 * k11 < MAX_CONDITION_NUMBER * (k11 * k22 - k12 * k12):
            determinant = k11 * k22 - k12 * k12
            if determinant != 0.0:
                determinant = 1.0 / determinant
            put_row_vec(w, row, ROW_BLOCK, wp.vec4(k11, k12, k22, 0.0))
            put_row_vec(w, row, ROW_INVERSE, wp.vec4(determinant * k22, -determinant * k12, determinant * k11, 0.0))
            put_row_vec(w, row, ROW_ARMS_2, arms_2)
            put_row_vec(w, row, ROW_MASS_2, point_masses(masses, arms_2, n, va, vb, surface[1]))
        else:
            points = int(1)
    old = contact_vec(w, contact, IMPULSES)
    put_row_vec(w, row, ROW_IMPULSES, wp.vec4(warm * old[0], warm * old[1], warm * old[2], warm * old[3]))
    put_row_vec(w, row, ROW_NORMAL, wp.vec4(n[0], n[1], surface[0], 0.0))
    put_row_vec(w, row, ROW_ARMS_1, arms_1)
    put_row_vec(w, row, ROW_MASS_1, point_masses(masses, arms_1, n, va, vb, surface[1]))
    put_row_int(w, row, ROW_POINTS, points)


@wp.func
def pushed_a(va: wp.vec4, masses: wp.vec4, arms: wp.vec4, px: float, py: float) -> wp.vec4:
    """A's velocity after the impulse (px, py) on B."""
    turn = masses[1] * (arms[0] * py - arms[1] * px)
    return wp.vec4(va[0] - masses[0] * px, va[1] - masses[0] * py, va[2] - turn, va[3])


@wp.func
def pushed_b(vb: wp.vec4, masses: wp.vec4, arms: wp.vec4, px: float, py: float) -> wp.vec4:
    turn = masses[3] * (arms[2] * py - arms[3] * px)
    return wp.vec4(vb[0] + masses[2] * px, vb[1] + masses[2] * py, vb[2] + turn, vb[3])


@wp.func
def warm_start(w: World, row: int) -> None:
    """Applies the impulses carried over from the last step."""
    n = row_vec(w, row, ROW_NORMAL)
    impulses = row_vec(w, row, ROW_IMPULSES)
    masses = row_vec(w, row, ROW_BODIES)
    body_a = row_int(w, row, ROW_A)
    body_b = row_int(w, row, ROW_B)
    arms = row_vec(w, row, ROW_ARMS_1)
    va = body_vec(w, body_a, VELOCITY)
    vb = body_vec(w, body_b, VELOCITY)
    px = impulses[0] * n[0] + impulses[1] * n[1]
    py = impulses[0] * n[1] - impulses[1] * n[0]
    va = pushed_a(va, masses, arms, px, py)
    vb = pushed_b(vb, masses, arms, px, py)
    if row_int(w, row, ROW_POINTS) == 2:
        arms_2 = row_vec(w, row, ROW_ARMS_2)
        qx = impulses[2] * n[0] + impulses[3] * n[1]
        qy = impulses[2] * n[1] - impulses[3] * n[0]
        va = pushed_a(va, masses, arms_2, qx, qy)
        vb = pushed_b(vb, masses, arms_2, qx, qy)
    put_body_vec(w, body_a, VELOCITY, va)
    put_body_vec(w, body_b, VELOCITY, vb)


@wp.func
def friction_change(
    va: wp.vec4, vb: wp.vec4, arms: wp.vec4, n: wp.vec4, mass: float, normal: float, old: float
) -> float:
    """The new tangent impulse at a point, within what friction allows under the `normal` impulse."""
    dv = velocity_between(va, vb, arms)
    slip = dv[0] * n[1] - dv[1] * n[0]
    limit = n[2] * normal
    new = old - mass * slip
    if new > limit:
        new = limit
    if new < -limit:
        new = -limit
    return new


@wp.func
def solve_row(w: World, row: int) -> int:
    """One sweep over a contact: friction first, then the normal impulses. Returns 1 if it changed anything."""
    n = row_vec(w, row, ROW_NORMAL)
    old = row_vec(w, row, ROW_IMPULSES)
    masses = row_vec(w, row, ROW_BODIES)
    body_a = row_int(w, row, ROW_A)
    body_b = row_int(w, row, ROW_B)
    points = row_int(w, row, ROW_POINTS)
    arms_1 = row_vec(w, row, ROW_ARMS_1)
    mass_1 = row_vec(w, row, ROW_MASS_1)
    va = body_vec(w, body_a, VELOCITY)
    vb = body_vec(w, body_b, VELOCITY)
    n1 = old[0]
    n2 = old[2]
    t2 = old[3]
    changed = int(0)

    t1 = friction_change(va, vb, arms_1, n, mass_1[1], n1, old[1])
    if t1 != old[1]:
        changed = int(1)
        d = t1 - old[1]
        va = pushed_a(va, masses, arms_1, d * n[1], -d * n[0])
        vb = pushed_b(vb, masses, arms_1, d * n[1], -d * n[0])

    if points == 1:
        dv = velocity_between(va, vb, arms_1)
        n1 = n1 - mass_1[0] * ((dv[0] * n[0] + dv[1] * n[1]) - mass_1[2])
        if n1 < 0.0:
            n1 = float(0.0)
        if n1 != old[0]:
            changed = int(1)
            g = n1 - old[0]
            va = pushed_a(va, masses, arms_1, g * n[0], g * n[1])
            vb = pushed_b(vb, masses, arms_1, g * n[0], g * n[1])
    else:
        arms_2 = row_vec(w, row, ROW_ARMS_2)
        mass_2 = row_vec(w, row, ROW_MASS_2)
        t2 = friction_change(va, vb, arms_2, n, mass_2[1], n2, old[3])
        if t2 != old[3]:
            changed = int(1)
            e = t2 - old[3]
            va = pushed_a(va, masses, arms_2, e * n[1], -e * n[0])
            vb = pushed_b(vb, masses, arms_2, e * n[1], -e * n[0])
        n1, n2 = solve_block(
            row_vec(w, row, ROW_BLOCK),
            row_vec(w, row, ROW_INVERSE),
            n,
            va,
            vb,
            arms_1,
            arms_2,
            mass_1,
            mass_2,
            n1,
            n2,
        )
        if n1 != old[0] or n2 != old[2]:
            changed = int(1)
            d1 = n1 - old[0]
            d2 = n2 - old[2]
            p1x = d1 * n[0]
            p1y = d1 * n[1]
            p2x = d2 * n[0]
            p2y = d2 * n[1]
            px = p1x + p2x
            py = p1y + p2y
            turn_a = masses[1] * ((arms_1[0] * p1y - arms_1[1] * p1x) + (arms_2[0] * p2y - arms_2[1] * p2x))
            turn_b = masses[3] * ((arms_1[2] * p1y - arms_1[3] * p1x) + (arms_2[2] * p2y - arms_2[3] * p2x))
            va = wp.vec4(va[0] - masses[0] * px, va[1] - masses[0] * py, va[2] - turn_a, va[3])
            vb = wp.vec4(vb[0] + masses[2] * px, vb[1] + masses[2] * py, vb[2] + turn_b, vb[3])

    if changed == 1:
        put_row_vec(w, row, ROW_IMPULSES, wp.vec4(n1, t1, n2, t2))
        put_body_vec(w, body_a, VELOCITY, va)
        put_body_vec(w, body_b, VELOCITY, vb)
    return changed


@wp.func
def solve_block(
    block: wp.vec4,
    inverse: wp.vec4,
    n: wp.vec4,
    va: wp.vec4,
    vb: wp.vec4,
    arms_1: wp.vec4,
    arms_2: wp.vec4,
    mass_1: wp.vec4,
    mass_2: wp.vec4,
    old_1: float,
    old_2: float,
) -> tuple[float, float]:
    """Both normal impulses at once: the pair, neither pulling, after which no point approaches faster than it may.

    Tried in turn: both points press; only the first; only the second; neither. If none fits, nothing changes.
    """
    dv1 = velocity_between(va, vb, arms_1)
    dv2 = velocity_between(va, vb, arms_2)
    b1 = (dv1[0] * n[0] + dv1[1] * n[1]) - mass_1[2]
    b2 = (dv2[0] * n[0] + dv2[1] * n[1]) - mass_2[2]
    b1 = b1 - (block[0] * old_1 + block[1] * old_2)
    b2 = b2 - (block[1] * old_1 + block[2] * old_2)
    x1 = -(inverse[0] * b1 + inverse[1] * b2)
    x2 = -(inverse[1] * b1 + inverse[2] * b2)
    if x1 >= 0.0 and x2 >= 0.0:
        return x1, x2
    x1 = -mass_1[0] * b1
    if x1 >= 0.0 and block[1] * x1 + b2 >= 0.0:
        return x1, float(0.0)
    x2 = -mass_2[0] * b2
    if x2 >= 0.0 and block[1] * x2 + b1 >= 0.0:
        return float(0.0), x2
    if b1 >= 0.0 and b2 >= 0.0:
        return float(0.0), float(0.0)
    return old_1, old_2


@wp.func
def store_impulses(w: World, row: int) -> None:
    """Keeps a row's impulses with its contact, for the next step to start from."""
    contact = row_int(w, row, ROW_CONTACT)
    new = row_vec(w, row, ROW_IMPULSES)
    if row_int(w, row, ROW_POINTS) == 1:
        # a second point that was left unsolved keeps what it had
        old = contact_vec(w, contact, IMPULSES)
        new = wp.vec4(new[0], new[1], old[2], old[3])
    put_contact_vec(w, contact, IMPULSES, new)


@wp.func
def report_impulses(w: World, row: int) -> None:
    """Tells events and rules what normal impulse the contact of a row passed on."""
    if w.track != 0:
        impulses = row_vec(w, row, ROW_IMPULSES)
        total = impulses[0]
        if row_int(w, row, ROW_POINTS) == 2:
            total = total + impulses[2]
        impulse_passed(w, row_int(w, row, ROW_CONTACT), total)


@wp.func
def push_apart(w: World, row: int, factor: float, body_1: int, body_2: int) -> float:
    """Moves the bodies of a row apart where they overlap, by part of the overlap; returns the smallest gap it met.

    Only `body_1` and `body_2` may move, or all where `body_1` is -1.
    """
    contact = row_int(w, row, ROW_CONTACT)
    flags = contact_int(w, contact, CONTACT_FLAGS)
    kind = (flags >> KIND_SHIFT) & KIND_MASK
    body_a = row_int(w, row, ROW_A)
    body_b = row_int(w, row, ROW_B)
    masses = row_vec(w, row, ROW_BODIES)
    if body_1 >= 0:
        if body_a != body_1 and body_a != body_2:
            masses = wp.vec4(0.0, 0.0, masses[2], masses[3])
        if body_b != body_1 and body_b != body_2:
            masses = wp.vec4(masses[0], masses[1], 0.0, 0.0)
    radius_a, radius_b = contact_radii(w, contact)
    axis = contact_vec(w, contact, AXIS)
    points = contact_vec(w, contact, POINTS)
    place_a = body_vec(w, body_a, PLACE)
    place_b = body_vec(w, body_b, PLACE)
    ca = body_vec(w, body_a, SWEEP)
    cb = body_vec(w, body_b, SWEEP)
    smallest = float(0.0)
    moved = int(0)
    local = wp.vec2(points[0], points[1])
    for k in range(flags & POINT_COUNT):
        if k == 1:
            local = wp.vec2(points[2], points[3])
        n, p, gap = separation(kind, axis, local, place_a, radius_a, place_b, radius_b)
        if gap < smallest:
            smallest = gap
        excess = factor * (gap + LINEAR_SLOP)
        if excess < -MAX_LINEAR_CORRECTION:
            excess = float(-MAX_LINEAR_CORRECTION)
        if excess < 0.0:
            ra = wp.vec2(p[0] - ca[0], p[1] - ca[1])
            rb = wp.vec2(p[0] - cb[0], p[1] - cb[1])
            la = cross(ra, n)
            lb = cross(rb, n)
            stiffness = masses[0] + masses[2] + masses[1] * la * la + masses[3] * lb * lb
            impulse = float(0.0)
            if stiffness > 0.0:
                impulse = -excess / stiffness
            px = impulse * n[0]
            py = impulse * n[1]
            moved = int(1)
            turn_a = masses[1] * (ra[0] * py - ra[1] * px)
            turn_b = masses[3] * (rb[0] * py - rb[1] * px)
            flags_a = body_int(w, body_a, BODY_FLAGS)
            flags_b = body_int(w, body_b, BODY_FLAGS)
            if (flags_a & DYNAMIC) != 0:
                ca = wp.vec4(ca[0] - masses[0] * px, ca[1] - masses[0] * py, ca[2] - turn_a, ca[3])
                place_a = transform(w, body_a, flags_a, ca[0], ca[1], ca[2])
            if (flags_b & DYNAMIC) != 0:
                cb = wp.vec4(cb[0] + masses[2] * px, cb[1] + masses[2] * py, cb[2] + turn_b, cb[3])
                place_b = transform(w, body_b, flags_b, cb[0], cb[1], cb[2])
    if moved == 1:
        put_body_vec(w, body_a, SWEEP, ca)
        put_body_vec(w, body_b, SWEEP, cb)
        put_body_vec(w, body_a, PLACE, place_a)
        put_body_vec(w, body_b, PLACE, place_b)
    return smallest
