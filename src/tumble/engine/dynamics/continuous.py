"""Continuous collision: no dynamic body passes through a static one, and no bullet through anything.

With `only_bullets`, other bodies may sink into static ones until the next step pushes them out.

After the step, the earliest impact is sought among contacts with a static body or a bullet; its bodies are taken back
to that moment, pushed apart and solved for the rest of the step; then the next impact is sought. Static bodies never
move, so that bodies that never meet stay independent of each other. A cheap test rules most pairs out before the
exact search; both are in `collision/time_of_impact.py`.
"""

import warp as wp

from tumble.engine.collision.broad_phase import update_aabbs
from tumble.engine.collision.contacts import create_contacts, update_contact
from tumble.engine.collision.distance import PointSet
from tumble.engine.collision.time_of_impact import Motion, stays_separated, target_distance, time_of_impact
from tumble.engine.dynamics.contact_constraint import init_constraint, prepare_constraint
from tumble.engine.dynamics.contact_solver import report_impulses
from tumble.engine.dynamics.islands import correct_positions, integrate_position, solve_velocities
from tumble.engine.state.bodies import (
    CentrePose,
    StartPose,
    body_mass,
    centre_pose,
    is_active,
    outline_of,
    set_centre_pose,
    set_start_pose,
    set_start_transform,
    set_transform,
    start_pose,
    start_transform,
    transform_at,
    transform_of,
    wake,
)
from tumble.engine.state.constants import (
    MAX_SUB_STEPS,
    MAX_TOI_CONTACTS,
    TOI_BAUMGARTE,
    TOI_LATEST,
    TOI_POSITION_ITERATIONS,
    TOI_POSITION_OKAY,
    TOI_TOLERANCE,
)
from tumble.engine.state.contacts import contact_radii
from tumble.engine.state.geometry import Transform
from tumble.engine.state.layout import (
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    BULLET,
    CONSTRAINT_CONTACT,
    CONTACT_COUNT,
    CONTACT_FLAGS,
    DYNAMIC,
    ENABLED,
    ISLAND_I,
    ROUND,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    STEP,
    TOI_COUNT,
    TRACK_IMPULSES,
)
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_int,
    constraint_int,
    contact_int,
    get_int,
    island_body,
    ordered_contact,
    pack_vecs,
    set_contact_int,
    set_int,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FILTER_MARGIN = 1.0e-4
"""Metres by which a pair must stay farther apart than at an impact for the exact search to be skipped."""


@wp.func
def interpolate(start: StartPose, end: CentrePose, alpha: float) -> StartPose:
    """The pose at fraction alpha of the step, linear between the start (at its own fraction) and the end (at 1).

    beta = (alpha - alpha0) / (1 - alpha0), pose = (1 - beta) start + beta end.
    """
    beta = (alpha - start.fraction) / (1.0 - start.fraction)
    x = (1.0 - beta) * start.position[0] + beta * end.position[0]
    y = (1.0 - beta) * start.position[1] + beta * end.position[1]
    angle = (1.0 - beta) * start.angle + beta * end.angle
    return StartPose(wp.vec2(x, y), angle, alpha)


@wp.func
def motion_of(w: World, body: int, shape_def: int, alpha: float) -> Motion:
    """The motion of a shape through the rest of the step, from a fraction of it on."""
    outline = outline_of(w, shape_def)
    points = PointSet(outline.first, outline.count)
    if points.count == 0:
        points.count = 1
    flags = body_int(w, body, BODY_FLAGS)
    start = start_pose(w, body)
    end = centre_pose(w, body)
    m = Motion()
    m.points = points
    m.start = start.position
    m.start_angle = start.angle
    if (flags & DYNAMIC) != 0 and start.fraction < alpha:
        later = interpolate(start, end, alpha)
        m.start = later.position
        m.start_angle = later.angle
    m.end = end.position
    m.end_angle = end.angle
    m.local_centre = body_mass(w, body).centre
    if (flags & ROUND) != 0:
        m.is_round = 1
    return m


@wp.func
def may_impact(w: World, contact: int, only_bullets: int) -> bool:
    """Whether the bodies of a contact may meet in the rest of the step; if not, no exact search is needed."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    impacts = contact_int(w, contact, TOI_COUNT)
    if (flags & ENABLED) == 0 or (impacts // 16 == get_int(w, STEP) and impacts % 16 > MAX_SUB_STEPS):
        return False
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    flags_a = body_int(w, a, BODY_FLAGS)
    flags_b = body_int(w, b, BODY_FLAGS)
    if not (is_active(flags_a) or is_active(flags_b)):
        return False
    a_dynamic = (flags_a & DYNAMIC) != 0
    b_dynamic = (flags_b & DYNAMIC) != 0
    if ((flags_a | flags_b) & BULLET) == 0:
        if only_bullets != 0 or (a_dynamic and b_dynamic):
            return False
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius_a, radius_b = contact_radii(w, contact)
    limit = target_distance(radius_a + radius_b) + TOI_TOLERANCE + FILTER_MARGIN
    if a_dynamic and b_dynamic:
        return True
    fixed = wp.where(a_dynamic, b, a)
    fixed_def = wp.where(a_dynamic, def_b, def_a)
    moving = wp.where(a_dynamic, a, b)
    moving_def = wp.where(a_dynamic, def_a, def_b)
    return not stays_separated(w, fixed_def, transform_of(w, fixed), moving, moving_def, limit)


@wp.func
def start_fraction(w: World, body: int) -> float:
    """The fraction of the step at which a body's motion begins; 0 for a static body."""
    if (body_int(w, body, BODY_FLAGS) & DYNAMIC) == 0:
        return 0.0
    return start_pose(w, body).fraction


@wp.func
def impact_time(w: World, contact: int) -> float:
    """The fraction of the step at which the bodies of a contact next meet; 1 where they don't."""
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius_a, radius_b = contact_radii(w, contact)
    # both motions from the later of their starts on
    alpha = wp.max(start_fraction(w, a), start_fraction(w, b))
    motion_a = motion_of(w, a, def_a, alpha)
    motion_b = motion_of(w, b, def_b, alpha)
    t = time_of_impact(pack_vecs(w), motion_a, motion_b, radius_a + radius_b)
    if t > 1.0:
        return 1.0
    when = alpha + (1.0 - alpha) * t
    if when > 1.0:
        return 1.0
    return when


@wp.struct
class ImpactLoop:
    """Where the loop over all contacts is, and what it found."""

    at: int  # place in the order of contacts
    candidate: int  # the contact that is searched next, or -1
    first: int  # the contact whose bodies meet first so far, or -1
    earliest: float  # … and when


@wp.func
def earliest_impact(w: World, only_bullets: int) -> tuple[int, float]:
    """The contact whose bodies meet first in the rest of the step, or -1, and at which fraction of the step."""
    loop = ImpactLoop(get_int(w, CONTACT_COUNT) - 1, -1, -1, 1.0)
    while loop.at >= 0:
        # neighbouring lanes of a GPU find a contact to search each, then search together
        loop.candidate = -1
        while loop.at >= 0 and loop.candidate < 0:
            contact = ordered_contact(w, loop.at)
            loop.at = loop.at - 1
            if may_impact(w, contact, only_bullets):
                loop.candidate = contact
        if loop.candidate >= 0:
            when = impact_time(w, loop.candidate)
            if when < loop.earliest:
                loop.earliest = when
                loop.first = loop.candidate
    if loop.earliest > TOI_LATEST:
        return -1, loop.earliest
    return loop.first, loop.earliest


@wp.func
def needs_impacts(w: World, only_bullets: int) -> bool:
    """Whether `resolve_impacts` may have anything to do."""
    for k in range(get_int(w, CONTACT_COUNT)):
        if may_impact(w, ordered_contact(w, k), only_bullets):
            return True
    return False


@wp.struct
class BodyMotion:
    """Where a body was at the start of the step and is at its end: what an advance changes."""

    start_pose: StartPose
    pose: CentrePose
    start_transform: Transform
    transform: Transform


@wp.func
def motion_of_body(w: World, body: int) -> BodyMotion:
    return BodyMotion(start_pose(w, body), centre_pose(w, body), start_transform(w, body), transform_of(w, body))


@wp.func
def advance(w: World, body: int, alpha: float) -> None:
    """Takes a dynamic body back to where it was at a fraction of the step, and makes that its start."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & DYNAMIC) != 0:
        end = centre_pose(w, body)
        pose = interpolate(start_pose(w, body), end, alpha)
        transform = transform_at(w, body, flags, pose.position, pose.angle)
        set_start_pose(w, body, pose)
        set_centre_pose(w, body, CentrePose(pose.position, pose.angle, end.sleep_time))
        set_start_transform(w, body, transform)
        set_transform(w, body, transform)


@wp.func
def restore(w: World, body: int, saved: BodyMotion) -> None:
    """Undoes an advance; a body that was woken since keeps its new sleep time."""
    pose = saved.pose
    pose.sleep_time = centre_pose(w, body).sleep_time
    set_start_pose(w, body, saved.start_pose)
    set_centre_pose(w, body, pose)
    set_start_transform(w, body, saved.start_transform)
    set_transform(w, body, saved.transform)


@wp.func(inline=False)
def update_contact_now(w: World, contact: int) -> bool:
    """As `update_contact`, of which all that resolve impacts share one copy: it is much code."""
    return update_contact(w, contact)


@wp.struct
class Impact:
    """What takes part in an impact."""

    bodies: int
    constraints: int


@wp.func
def has_constraint(w: World, impact: Impact, contact: int) -> bool:
    """Whether a contact takes part."""
    for constraint in range(impact.constraints):
        if constraint_int(w, constraint, CONSTRAINT_CONTACT) == contact:
            return True
    return False


@wp.func
def has_body(w: World, impact: Impact, body: int) -> bool:
    """Whether a body takes part."""
    for k in range(impact.bodies):
        if island_body(w, k) == body:
            return True
    return False


@wp.func(inline=False)
def add_neighbours(w: World, body: int, alpha: float, impact: Impact) -> Impact:
    """Adds to an impact what else a body touches at that moment: static bodies, and all where one is a bullet."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & DYNAMIC) == 0:
        return impact
    at = get_int(w, CONTACT_COUNT) - 1
    while at >= 0 and impact.constraints < MAX_TOI_CONTACTS:
        contact = ordered_contact(w, at)
        at = at - 1
        a = contact_int(w, contact, BODY_A)
        b = contact_int(w, contact, BODY_B)
        if (a == body or b == body) and not has_constraint(w, impact, contact):
            other = a + b - body
            other_flags = body_int(w, other, BODY_FLAGS)
            other_dynamic = (other_flags & DYNAMIC) != 0
            if not other_dynamic or ((flags | other_flags) & BULLET) != 0:
                advanced = has_body(w, impact, other)
                saved = motion_of_body(w, other)
                if not advanced:
                    advance(w, other, alpha)
                if update_contact_now(w, contact):
                    init_constraint(w, impact.constraints, contact)
                    impact.constraints = impact.constraints + 1
                    if not advanced:
                        if other_dynamic:
                            wake(w, other)
                        set_int(w, chunk_int(w, ISLAND_I) + impact.bodies, other)
                        impact.bodies = impact.bodies + 1
                elif not advanced and other_dynamic:
                    restore(w, other, saved)
    return impact


@wp.func(inline=False)
def resolve_impact(w: World, contact: int, alpha: float, dt: float, velocity_iterations: int) -> None:
    """Takes the two bodies of a contact to their time of impact and solves the rest of the step from there."""
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    saved_a = motion_of_body(w, a)
    saved_b = motion_of_body(w, b)
    advance(w, a, alpha)
    advance(w, b, alpha)
    touching = update_contact_now(w, contact)
    impacts = contact_int(w, contact, TOI_COUNT)
    if impacts // 16 == get_int(w, STEP):
        set_contact_int(w, contact, TOI_COUNT, impacts + 1)
    else:
        set_contact_int(w, contact, TOI_COUNT, get_int(w, STEP) * 16 + 1)
    if not touching:
        set_contact_int(w, contact, CONTACT_FLAGS, contact_int(w, contact, CONTACT_FLAGS) & (~ENABLED))
        restore(w, a, saved_a)
        restore(w, b, saved_b)
        return
    wake(w, a)
    wake(w, b)
    set_int(w, chunk_int(w, ISLAND_I), a)
    set_int(w, chunk_int(w, ISLAND_I) + 1, b)
    init_constraint(w, 0, contact)
    impact = add_neighbours(w, b, alpha, add_neighbours(w, a, alpha, Impact(2, 1)))
    correct_positions(w, 0, impact.constraints, TOI_POSITION_ITERATIONS, TOI_BAUMGARTE, TOI_POSITION_OKAY, a, b)
    restart_step(w, a)
    restart_step(w, b)
    for constraint in range(impact.constraints):
        prepare_constraint(w, constraint, 0.0)  # without warm starting
    solve_velocities(w, 0, impact.constraints, velocity_iterations)
    if chunk_int(w, TRACK_IMPULSES) != 0:
        report_impulses(w, 0, impact.constraints)
    rest = (1.0 - alpha) * dt
    for k in range(impact.bodies):
        body = island_body(w, k)
        if (body_int(w, body, BODY_FLAGS) & DYNAMIC) != 0:
            integrate_position(w, body, rest)
            update_aabbs(w, body)
    create_contacts(w)


@wp.func
def restart_step(w: World, body: int) -> None:
    """Makes a body's corrected pose the start of the rest of its step."""
    pose = centre_pose(w, body)
    set_start_pose(w, body, StartPose(pose.position, pose.angle, start_pose(w, body).fraction))
    set_start_transform(w, body, transform_of(w, body))


@wp.func
def resolve_impacts(w: World, dt: float, velocity_iterations: int, only_bullets: int) -> None:
    """Resolves impacts within the step, earliest first, until none is left."""
    searching = int(1)
    while searching == 1:
        first, earliest = earliest_impact(w, only_bullets)
        searching = wp.where(first < 0, 0, 1)
        if searching == 1:
            resolve_impact(w, first, earliest, dt, velocity_iterations)
