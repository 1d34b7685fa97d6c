"""Continuous collision: nothing passes through a static body, nor a bullet through anything.

Where only bullets are to be kept from it, other bodies may sink into static ones until the next step pushes them out.

After the step, the earliest impact is sought among contacts with a static body or a bullet; its bodies are taken back
to that moment, pushed apart and solved for the rest of the step; then the next impact is sought. Static bodies never
move, so that bodies that don't meet stay independent of each other.
"""

import warp as wp

from tumble.engine.collision.broad_phase import refresh_boxes
from tumble.engine.collision.contacts import is_active, make_contacts, refresh
from tumble.engine.collision.time_of_impact import Motion, time_of_impact
from tumble.engine.dynamics.contact_solver import link_row, prepare_row, push_apart, report_impulses
from tumble.engine.dynamics.islands import integrate, solve_velocities
from tumble.engine.math.constants import (
    LINEAR_SLOP,
    MAX_SUB_STEPS,
    MAX_TOI_CONTACTS,
    TOI_BAUMGARTE,
    TOI_LATEST,
    TOI_POSITION_ITERATIONS,
    TOI_POSITION_OKAY,
    TOI_SLOP,
    TOI_TOLERANCE,
)
from tumble.engine.math.vectors import rotate, to_local, to_world
from tumble.engine.state.bodies import transform, wake
from tumble.engine.state.layout import (
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FLAGS,
    BULLET,
    CONTACT_FLAGS,
    CONTACTS,
    DEF_FIRST_VERTEX,
    DEF_MASS,
    DEF_SURFACE,
    DEF_VERTICES,
    DYNAMIC,
    ENABLED,
    IMPACTS,
    PLACE,
    PLACE0,
    ROUND,
    ROW_CONTACT,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    STEP,
    SWEEP,
    SWEEP0,
    World,
    body_def_vec,
    body_int,
    body_vec,
    contact_int,
    get,
    put,
    put_body_vec,
    put_contact_int,
    row_int,
    shape_def_int,
    shape_def_vec,
    shape_int,
)
from tumble.engine.state.memory import constant_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FILTER_MARGIN = 1.0e-4
"""How much farther than an impact needs a pair must stay apart for the exact search to be skipped, in metres."""


@wp.func
def swept_to(from_: wp.vec4, to: wp.vec4, alpha: float) -> wp.vec4:
    """Where a body is at a fraction of the step, given where it is at an earlier one and at the end."""
    beta = (alpha - from_[3]) / (1.0 - from_[3])
    return wp.vec4(
        (1.0 - beta) * from_[0] + beta * to[0],
        (1.0 - beta) * from_[1] + beta * to[1],
        (1.0 - beta) * from_[2] + beta * to[2],
        alpha,
    )


@wp.func
def advance(w: World, body: int, alpha: float) -> None:
    """Takes a dynamic body back to where it was at a fraction of the step."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & DYNAMIC) != 0:
        sweep = body_vec(w, body, SWEEP)
        c = swept_to(body_vec(w, body, SWEEP0), sweep, alpha)
        place = transform(w, body, flags, c[0], c[1], c[2])
        put_body_vec(w, body, SWEEP0, c)
        put_body_vec(w, body, SWEEP, wp.vec4(c[0], c[1], c[2], sweep[3]))
        put_body_vec(w, body, PLACE0, place)
        put_body_vec(w, body, PLACE, place)


@wp.func
def restore(w: World, body: int, sweep0: wp.vec4, sweep: wp.vec4, place0: wp.vec4, place: wp.vec4) -> None:
    """Undoes an advance; a body woken meanwhile keeps its new sleep clock."""
    put_body_vec(w, body, SWEEP0, sweep0)
    put_body_vec(w, body, SWEEP, wp.vec4(sweep[0], sweep[1], sweep[2], body_vec(w, body, SWEEP)[3]))
    put_body_vec(w, body, PLACE0, place0)
    put_body_vec(w, body, PLACE, place)


@wp.func
def stays_outside(w: World, wall_def: int, wall_place: wp.vec4, body: int, shape_def: int, limit: float) -> bool:
    """Whether a moving shape surely stays farther than `limit` from a static one through the whole step.

    It does if it is beyond one face of a static polygon at both ends of its way; in between, a turning corner comes
    nearer than the straight line by at most its arm times the angle squared over 8.
    """
    before = body_vec(w, body, PLACE0)
    after = body_vec(w, body, PLACE)
    first = shape_def_int(w, shape_def, DEF_FIRST_VERTEX)
    corners = shape_def_int(w, shape_def, DEF_VERTICES)
    surface = shape_def_vec(w, shape_def, DEF_SURFACE)
    start = body_vec(w, body, SWEEP0)
    end = body_vec(w, body, SWEEP)
    angle = end[2] - start[2]
    bulge = float(0.0)
    if (body_int(w, body, BODY_FLAGS) & ROUND) == 0:
        bulge = surface[3] * angle * angle * 0.125
    wall_first = shape_def_int(w, wall_def, DEF_FIRST_VERTEX)
    wall_corners = shape_def_int(w, wall_def, DEF_VERTICES)
    if wall_corners == 0:
        wall_centre = constant_vec(w.pack_v, wall_first)
        c = to_world(wall_place, wp.vec2(wall_centre[0], wall_centre[1]))
        x = start[0] - c[0]
        y = start[1] - c[1]
        dx = end[0] - start[0]
        dy = end[1] - start[1]
        t = float(0.0)
        along = -(x * dx + y * dy)
        way = dx * dx + dy * dy
        if along > 0.0:
            t = float(1.0)
            if along < way:
                t = along / way
        x = x + t * dx
        y = y + t * dy
        reach = limit + surface[3]
        return x * x + y * y > reach * reach
    if corners == 0:
        p = constant_vec(w.pack_v, first)
        p0 = to_local(wall_place, to_world(before, wp.vec2(p[0], p[1])))
        p1 = to_local(wall_place, to_world(after, wp.vec2(p[0], p[1])))
        for k in range(wall_corners):
            face = constant_vec(w.pack_v, wall_first + k)
            s0 = face[2] * (p0[0] - face[0]) + face[3] * (p0[1] - face[1])
            s1 = face[2] * (p1[0] - face[0]) + face[3] * (p1[1] - face[1])
            if s0 > limit + bulge and s1 > limit + bulge:
                return True
        return False
    for k in range(wall_corners):
        side = constant_vec(w.pack_v, wall_first + k)
        n = rotate(wall_place, wp.vec2(side[2], side[3]))
        v = to_world(wall_place, wp.vec2(side[0], side[1]))
        behind = n[0] * v[0] + n[1] * v[1] + limit + bulge
        beyond = int(1)
        for j in range(corners):
            q = constant_vec(w.pack_v, first + j)
            q0 = to_world(before, wp.vec2(q[0], q[1]))
            q1 = to_world(after, wp.vec2(q[0], q[1]))
            if n[0] * q0[0] + n[1] * q0[1] <= behind or n[0] * q1[0] + n[1] * q1[1] <= behind:
                beyond = int(0)
                break
        if beyond == 1:
            return True
    return False


@wp.func
def motion_of(w: World, body: int, shape_def: int, alpha: float) -> Motion:
    """The way of a shape through the rest of the step, from a fraction of it on."""
    m = Motion()
    m.first = shape_def_int(w, shape_def, DEF_FIRST_VERTEX)
    m.count = shape_def_int(w, shape_def, DEF_VERTICES)
    if m.count == 0:
        m.count = 1
    flags = body_int(w, body, BODY_FLAGS)
    mass = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MASS)
    start = body_vec(w, body, SWEEP0)
    end = body_vec(w, body, SWEEP)
    if (flags & DYNAMIC) != 0 and start[3] < alpha:
        start = swept_to(start, end, alpha)
    m.start = wp.vec3(start[0], start[1], start[2])
    m.end = wp.vec3(end[0], end[1], end[2])
    m.arm = wp.vec2(mass[2], mass[3])
    if (flags & ROUND) != 0:
        m.is_round = 1
    return m


@wp.func
def impact_time(w: World, contact: int, only_bullets: int) -> float:
    """The fraction of the step at which the bodies of a contact first meet from now on; 1 where they don't."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    impacts = contact_int(w, contact, IMPACTS)
    if (flags & ENABLED) == 0 or (impacts // 16 == get(w, STEP) and impacts % 16 > MAX_SUB_STEPS):
        return 1.0
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    flags_a = body_int(w, a, BODY_FLAGS)
    flags_b = body_int(w, b, BODY_FLAGS)
    if not (is_active(flags_a) or is_active(flags_b)):
        return 1.0
    a_dynamic = (flags_a & DYNAMIC) != 0
    b_dynamic = (flags_b & DYNAMIC) != 0
    if ((flags_a | flags_b) & BULLET) == 0:
        if only_bullets != 0 or (a_dynamic and b_dynamic):
            return 1.0
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius = shape_def_vec(w, def_a, DEF_SURFACE)[0] + shape_def_vec(w, def_b, DEF_SURFACE)[0]
    target = radius - TOI_SLOP
    if target < LINEAR_SLOP:
        target = float(LINEAR_SLOP)
    limit = target + TOI_TOLERANCE + FILTER_MARGIN
    if not a_dynamic:
        if stays_outside(w, def_a, body_vec(w, a, PLACE), b, def_b, limit):
            return 1.0
    elif not b_dynamic:
        if stays_outside(w, def_b, body_vec(w, b, PLACE), a, def_a, limit):
            return 1.0
    alpha = float(0.0)
    if a_dynamic:
        alpha = body_vec(w, a, SWEEP0)[3]
    if b_dynamic:
        alpha_b = body_vec(w, b, SWEEP0)[3]
        if alpha_b > alpha:
            alpha = alpha_b
    t = time_of_impact(w.pack_v, motion_of(w, a, def_a, alpha), motion_of(w, b, def_b, alpha), radius)
    if t > 1.0:
        return 1.0
    when = alpha + (1.0 - alpha) * t
    if when > 1.0:
        return 1.0
    return when


@wp.func(inline=False)
def gather_neighbours(w: World, body: int, alpha: float, bodies: int, rows: int) -> tuple[int, int]:
    """Adds to the impact's rows what else a body touches at that moment: static bodies, and bullets or their prey."""
    flags = body_int(w, body, BODY_FLAGS)
    n_bodies = bodies
    n_rows = rows
    if (flags & DYNAMIC) != 0:
        at = get(w, CONTACTS) - 1
        while at >= 0:
            contact = get(w, w.order_i + at)
            at = at - 1
            a = contact_int(w, contact, BODY_A)
            b = contact_int(w, contact, BODY_B)
            listed = int(0)
            for row in range(n_rows):
                if row_int(w, row, ROW_CONTACT) == contact:
                    listed = int(1)
            if (a == body or b == body) and listed == 0 and n_rows < MAX_TOI_CONTACTS:
                other = a + b - body
                other_flags = body_int(w, other, BODY_FLAGS)
                other_dynamic = (other_flags & DYNAMIC) != 0
                if not other_dynamic or ((flags | other_flags) & BULLET) != 0:
                    known = int(0)
                    for k in range(n_bodies):
                        if get(w, w.island_i + k) == other:
                            known = int(1)
                    sweep0 = body_vec(w, other, SWEEP0)
                    sweep = body_vec(w, other, SWEEP)
                    place0 = body_vec(w, other, PLACE0)
                    place = body_vec(w, other, PLACE)
                    if known == 0:
                        advance(w, other, alpha)
                    if refresh(w, contact):
                        link_row(w, n_rows, contact)
                        n_rows = n_rows + 1
                        if known == 0:
                            if other_dynamic:
                                wake(w, other)
                            put(w, w.island_i + n_bodies, other)
                            n_bodies = n_bodies + 1
                    elif known == 0 and other_dynamic:
                        restore(w, other, sweep0, sweep, place0, place)
    return n_bodies, n_rows


@wp.func(inline=False)
def resolve_impact(w: World, contact: int, alpha: float, dt: float, velocity_iterations: int) -> None:
    """Takes the two bodies of a contact to their moment of impact and solves the rest of the step from there."""
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    sweep0_a = body_vec(w, a, SWEEP0)
    sweep_a = body_vec(w, a, SWEEP)
    place0_a = body_vec(w, a, PLACE0)
    place_a = body_vec(w, a, PLACE)
    sweep0_b = body_vec(w, b, SWEEP0)
    sweep_b = body_vec(w, b, SWEEP)
    place0_b = body_vec(w, b, PLACE0)
    place_b = body_vec(w, b, PLACE)
    advance(w, a, alpha)
    advance(w, b, alpha)
    touching = refresh(w, contact)
    impacts = contact_int(w, contact, IMPACTS)
    if impacts // 16 == get(w, STEP):
        put_contact_int(w, contact, IMPACTS, impacts + 1)
    else:
        put_contact_int(w, contact, IMPACTS, get(w, STEP) * 16 + 1)
    if not touching:
        put_contact_int(w, contact, CONTACT_FLAGS, contact_int(w, contact, CONTACT_FLAGS) & (~ENABLED))
        restore(w, a, sweep0_a, sweep_a, place0_a, place_a)
        restore(w, b, sweep0_b, sweep_b, place0_b, place_b)
        return
    wake(w, a)
    wake(w, b)
    put(w, w.island_i, a)
    put(w, w.island_i + 1, b)
    link_row(w, 0, contact)
    bodies, rows = gather_neighbours(w, a, alpha, 2, 1)
    bodies, rows = gather_neighbours(w, b, alpha, bodies, rows)
    for _sweep in range(TOI_POSITION_ITERATIONS):
        smallest = float(0.0)
        for row in range(rows):
            gap = push_apart(w, row, TOI_BAUMGARTE, a, b)
            if gap < smallest:
                smallest = gap
        if smallest >= TOI_POSITION_OKAY:
            break
    settle_start(w, a)
    settle_start(w, b)
    for row in range(rows):
        prepare_row(w, row, 0.0)
    solve_velocities(w, rows, velocity_iterations)
    for row in range(rows):
        report_impulses(w, row)
    rest = (1.0 - alpha) * dt
    for k in range(bodies):
        body = get(w, w.island_i + k)
        if (body_int(w, body, BODY_FLAGS) & DYNAMIC) != 0:
            integrate(w, body, rest)
            refresh_boxes(w, body)
    make_contacts(w)


@wp.func
def settle_start(w: World, body: int) -> None:
    """Makes a body's corrected position the start of the rest of its step."""
    c = body_vec(w, body, SWEEP)
    put_body_vec(w, body, SWEEP0, wp.vec4(c[0], c[1], c[2], body_vec(w, body, SWEEP0)[3]))
    put_body_vec(w, body, PLACE0, body_vec(w, body, PLACE))


@wp.func
def resolve_impacts(w: World, dt: float, velocity_iterations: int, only_bullets: int) -> None:
    """Resolves impacts within the step, earliest first, until none is left."""
    searching = int(1)
    while searching == 1:
        earliest = float(1.0)
        first = int(-1)
        at = get(w, CONTACTS) - 1
        while at >= 0:
            contact = get(w, w.order_i + at)
            when = impact_time(w, contact, only_bullets)
            if when < earliest:
                earliest = when
                first = contact
            at = at - 1
        if first < 0 or earliest > TOI_LATEST:
            searching = int(0)
        else:
            resolve_impact(w, first, earliest, dt, velocity_iterations)
