"""Continuous collision: no dynamic body passes through a static one, and no bullet through anything.

With `only_bullets`, other bodies may sink into static ones until the next step pushes them out.

After the step, the earliest impact is sought among contacts with a static body or a bullet; its bodies are taken back
to that moment, pushed apart and solved for the rest of the step; then the next impact is sought. Static bodies never
move, so that bodies that never meet stay independent of each other.
"""

import warp as wp

from tumble.engine.collision.broad_phase import update_aabbs
from tumble.engine.collision.contacts import create_contacts, update_contact
from tumble.engine.dynamics.contact_constraint import init_constraint, prepare_constraint
from tumble.engine.dynamics.contact_solver import report_impulses
from tumble.engine.dynamics.impact_search import earliest_impact, interpolate
from tumble.engine.dynamics.island_solver import correct_positions, integrate_position, solve_velocities
from tumble.engine.math.constants import (
    MAX_TOI_CONTACTS,
    TOI_BAUMGARTE,
    TOI_POSITION_ITERATIONS,
    TOI_POSITION_OKAY,
)
from tumble.engine.math.vectors import Transform
from tumble.engine.state.bodies import (
    CentrePose,
    StartPose,
    centre_pose,
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
    set_contact_int,
    set_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
