"""Islands: awake bodies that touch, directly or through others, are solved and fall asleep together.

The search is depth first: it starts from the last-created awake body and follows the newest contact first; static
bodies end a path. This order is part of the physics. An island's velocities are solved, its bodies moved, their
positions corrected, and all put to sleep once they rest. Islands have no moving body in common, so that they may be
solved in any order, or at once: each leaves static bodies, which several may touch, as they are.
"""

import warp as wp

from tumble.engine.collision.broad_phase import update_aabbs
from tumble.engine.dynamics.contact_constraint import correct_position, make_constraint
from tumble.engine.dynamics.contact_solver import (
    is_point_on_static,
    report_impulses,
    solve_alone_on_static,
    solve_constraint,
    store_impulses,
    warm_start,
)
from tumble.engine.state.bodies import (
    StartPose,
    centre_pose,
    motion_factors,
    move_to,
    set_centre_pose,
    set_start_pose,
    set_start_transform,
    set_velocity_of,
    transform_of,
    velocity_of,
    wake,
)
from tumble.engine.state.constants import (
    ANGULAR_SLEEP_SQUARED,
    BAUMGARTE,
    LINEAR_SLEEP_SQUARED,
    MAX_ROTATION,
    MAX_ROTATION_SQUARED,
    MAX_TRANSLATION,
    MAX_TRANSLATION_SQUARED,
    POSITION_OKAY,
    TIME_TO_SLEEP,
)
from tumble.engine.state.geometry import length_squared
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONSTRAINT_CONTACT,
    CONTACT_FLAGS,
    CONTACT_IN_ISLAND,
    DYNAMIC,
    DYNAMIC_COUNT,
    GRAVITY_V,
    IN_ISLAND,
    ISLAND_BODIES,
    ISLAND_CONSTRAINTS,
    ISLAND_CORRECTED,
    ISLAND_FIRST_BODY,
    ISLAND_FIRST_CONSTRAINT,
    ISLAND_I,
    ISLAND_POINTS,
    POINT_COUNT,
    STACK_I,
    TOUCHING_COUNT,
    TRACK_IMPULSES,
)
from tumble.engine.state.native import on_cpu
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_int,
    contact_int,
    dynamic_body,
    get_int,
    get_vec,
    island_body,
    island_int,
    set_body_int,
    set_constraint_int,
    set_contact_int,
    set_int,
    set_island_int,
    touching_contact,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class StepSettings:
    """The options of a rollout that a step needs."""

    dt: float
    warm_start_ratio: float  # factor on the impulses carried over from the last step
    velocity_iterations: int
    position_iterations: int
    max_steps: int
    only_bullets: int  # 1 where continuous collision acts for bullets only


@wp.struct
class Island:
    """Where the bodies of an island lie in the list of island bodies, and its constraints among the constraints."""

    first_body: int
    bodies: int
    first_constraint: int
    constraints: int
    points: int  # of its contacts


@wp.func
def integrate_position(w: World, body: int, dt: float) -> None:
    """Moves a body along its velocity, x += dt v; the velocity is limited so that it moves no farther than allowed."""
    pose = centre_pose(w, body)
    v = velocity_of(w, body)
    vx = v.linear[0]
    vy = v.linear[1]
    angular = v.angular
    far = length_squared(wp.vec2(dt * vx, dt * vy))
    if far > MAX_TRANSLATION_SQUARED:
        scale = MAX_TRANSLATION / wp.sqrt(far)
        vx = vx * scale
        vy = vy * scale
    rotation = dt * angular
    if rotation * rotation > MAX_ROTATION_SQUARED:
        angular = angular * (MAX_ROTATION / wp.abs(rotation))
    v.linear = wp.vec2(vx, vy)
    v.angular = angular
    set_velocity_of(w, body, v)
    pose.position = wp.vec2(pose.position[0] + dt * vx, pose.position[1] + dt * vy)
    pose.angle = pose.angle + dt * angular
    move_to(w, body, pose)


@wp.func
def solve_velocities(w: World, first: int, constraints: int, iterations: int) -> None:
    """Iterates over the constraints; an iteration that changed nothing would repeat itself, so it is the last.

    In one loop over iterations and constraints: neighbouring lanes of a GPU wait for each other only at its end.
    """
    if constraints == 0:
        return
    if on_cpu() and constraints == 1 and is_point_on_static(w, first):
        solve_alone_on_static(w, first, iterations)
        return
    constraint = int(first)
    last = first + constraints
    remaining = int(iterations)
    changed = int(0)
    while remaining > 0:
        changed = changed | solve_constraint(w, constraint)
        constraint = constraint + 1
        if constraint == last:
            remaining = remaining - 1
            if changed == 0:
                remaining = int(0)
            constraint = int(first)
            changed = int(0)


@wp.func
def correct_positions(
    w: World, first: int, constraints: int, iterations: int, baumgarte: float, okay: float, body_1: int, body_2: int
) -> int:
    """Moves overlapping bodies apart until no separation is below `okay`; returns 1 if so. In one loop likewise.

    `correct_position` explains `baumgarte` and the two bodies.
    """
    if constraints == 0:
        return wp.min(iterations, 1)
    constraint = int(first)
    last = first + constraints
    remaining = int(iterations)
    corrected = int(0)
    smallest = float(0.0)
    while remaining > 0:
        separation = correct_position(w, constraint, baumgarte, body_1, body_2)
        if separation < smallest:
            smallest = separation
        constraint = constraint + 1
        if constraint == last:
            remaining = remaining - 1
            if smallest >= okay:
                corrected = int(1)
                remaining = int(0)
            constraint = int(first)
            smallest = float(0.0)
    return corrected


@wp.func
def update_sleep(w: World, first: int, bodies: int, positions_solved: int, dt: float) -> None:
    """Counts how long each body of the island has been slow; puts all to sleep once each was so for long enough."""
    shortest = float(1.0e30)
    for k in range(first, first + bodies):
        body = island_body(w, k)
        v = velocity_of(w, body)
        pose = centre_pose(w, body)
        sleep_time = float(0.0)
        if v.angular * v.angular <= ANGULAR_SLEEP_SQUARED and length_squared(v.linear) <= LINEAR_SLEEP_SQUARED:
            sleep_time = pose.sleep_time + dt
        pose.sleep_time = sleep_time
        set_centre_pose(w, body, pose)
        if sleep_time < shortest:
            shortest = sleep_time
    if shortest >= TIME_TO_SLEEP and positions_solved == 1:
        for k in range(first, first + bodies):
            sleeper = island_body(w, k)
            set_body_int(w, sleeper, BODY_FLAGS, body_int(w, sleeper, BODY_FLAGS) & (~AWAKE))
            sleeper_pose = centre_pose(w, sleeper)
            sleeper_pose.sleep_time = 0.0
            set_centre_pose(w, sleeper, sleeper_pose)
            sleeper_v = velocity_of(w, sleeper)
            sleeper_v.linear = wp.vec2(0.0, 0.0)
            sleeper_v.angular = 0.0
            set_velocity_of(w, sleeper, sleeper_v)


@wp.func
def solve_island(w: World, island: Island, settings: StepSettings) -> None:
    """Solves velocities, moves bodies and corrects positions of an island that was built."""
    first = island.first_constraint
    last = first + island.constraints
    for constraint in range(first, last):
        make_constraint(w, constraint, settings.warm_start_ratio)
    for constraint in range(first, last):
        warm_start(w, constraint)
    solve_velocities(w, first, island.constraints, settings.velocity_iterations)
    for constraint in range(first, last):
        store_impulses(w, constraint)
    if chunk_int(w, TRACK_IMPULSES) != 0:
        report_impulses(w, first, island.constraints)
    for k in range(island.first_body, island.first_body + island.bodies):
        integrate_position(w, island_body(w, k), settings.dt)
    corrected = correct_positions(
        w, first, island.constraints, settings.position_iterations, BAUMGARTE, POSITION_OKAY, -1, -1
    )
    update_sleep(w, island.first_body, island.bodies, corrected, settings.dt)


@wp.func
def begin_motion(w: World, body: int, dt: float) -> None:
    """Stores where a body starts the step, and integrates gravity and damping: v = (v + dt g) / (1 + dt c)."""
    pose = centre_pose(w, body)
    set_start_pose(w, body, StartPose(pose.position, pose.angle, 0.0))
    set_start_transform(w, body, transform_of(w, body))
    factors = motion_factors(w, body)
    gravity = get_vec(w, chunk_int(w, GRAVITY_V))
    v = velocity_of(w, body)
    vx = (v.linear[0] + dt * (factors.gravity_scale * gravity[0])) * factors.linear_damping
    vy = (v.linear[1] + dt * (factors.gravity_scale * gravity[1])) * factors.linear_damping
    v.linear = wp.vec2(vx, vy)
    v.angular = v.angular * factors.angular_damping
    set_velocity_of(w, body, v)


@wp.struct
class IslandSearch:
    """How far the search for islands is."""

    seed: int  # place of the dynamic body at which the island begins
    stacked: int  # bodies to visit
    islands: int  # that are complete
    island: Island  # the one that is being built


@wp.func
def visit_body(w: World, body: int, search: IslandSearch, dt: float) -> IslandSearch:
    """Adds a body to the island, with its contacts that are in none, and begins its step; moving bodies that it touches
    go onto the stack of those to visit."""
    set_int(w, chunk_int(w, ISLAND_I) + search.island.first_body + search.island.bodies, body)
    search.island.bodies = search.island.bodies + 1
    wake(w, body)
    begin_motion(w, body, dt)
    for k in range(get_int(w, TOUCHING_COUNT)):
        contact = touching_contact(w, k)
        a = contact_int(w, contact, BODY_A)
        b = contact_int(w, contact, BODY_B)
        if a == body or b == body:
            flags = contact_int(w, contact, CONTACT_FLAGS)
            if (flags & CONTACT_IN_ISLAND) == 0:
                set_contact_int(w, contact, CONTACT_FLAGS, flags | CONTACT_IN_ISLAND)
                constraint = search.island.first_constraint + search.island.constraints
                set_constraint_int(w, constraint, CONSTRAINT_CONTACT, contact)
                search.island.constraints = search.island.constraints + 1
                search.island.points = search.island.points + (flags & POINT_COUNT)
                other = a + b - body
                other_flags = body_int(w, other, BODY_FLAGS)
                if (other_flags & (DYNAMIC | IN_ISLAND)) == DYNAMIC:
                    set_body_int(w, other, BODY_FLAGS, other_flags | IN_ISLAND)
                    set_int(w, chunk_int(w, STACK_I) + search.stacked, other)
                    search.stacked = search.stacked + 1
    return search


@wp.func
def next_seed(w: World, at: int) -> int:
    """The place of the next dynamic body, from `at` downwards, that is awake and in no island so far; or -1."""
    while at >= 0:
        if (body_int(w, dynamic_body(w, at), BODY_FLAGS) & (AWAKE | IN_ISLAND)) == AWAKE:
            return at
        at = at - 1
    return at


@wp.func
def store_island(w: World, number: int, island: Island) -> None:
    """Keeps where an island's bodies and constraints lie until it is solved."""
    set_island_int(w, number, ISLAND_FIRST_BODY, island.first_body)
    set_island_int(w, number, ISLAND_BODIES, island.bodies)
    set_island_int(w, number, ISLAND_FIRST_CONSTRAINT, island.first_constraint)
    set_island_int(w, number, ISLAND_CONSTRAINTS, island.constraints)
    set_island_int(w, number, ISLAND_POINTS, island.points)
    set_island_int(w, number, ISLAND_CORRECTED, 0)


@wp.func
def stored_island(w: World, number: int) -> Island:
    """An island as it was kept."""
    return Island(
        island_int(w, number, ISLAND_FIRST_BODY),
        island_int(w, number, ISLAND_BODIES),
        island_int(w, number, ISLAND_FIRST_CONSTRAINT),
        island_int(w, number, ISLAND_CONSTRAINTS),
        island_int(w, number, ISLAND_POINTS),
    )


@wp.func
def build_islands(w: World, dt: float) -> tuple[int, int, int]:
    """Builds all islands of awake bodies and keeps them, in one loop over all their bodies.

    Returns the numbers of islands, bodies and constraints.
    """
    search = IslandSearch(next_seed(w, get_int(w, DYNAMIC_COUNT) - 1), 0, 0, Island(0, 0, 0, 0, 0))
    while search.seed >= 0:
        if search.stacked == 0:
            first = dynamic_body(w, search.seed)
            set_body_int(w, first, BODY_FLAGS, body_int(w, first, BODY_FLAGS) | IN_ISLAND)
            set_int(w, chunk_int(w, STACK_I), first)
            search.stacked = 1
        search.stacked = search.stacked - 1
        search = visit_body(w, get_int(w, chunk_int(w, STACK_I) + search.stacked), search, dt)
        if search.stacked == 0:
            island = search.island
            store_island(w, search.islands, island)
            search.islands = search.islands + 1
            first_body = island.first_body + island.bodies
            first_constraint = island.first_constraint + island.constraints
            search.island = Island(first_body, 0, first_constraint, 0, 0)
            search.seed = next_seed(w, search.seed - 1)
    return search.islands, search.island.first_body, search.island.first_constraint


@wp.func
def finish_islands(w: World) -> None:
    """Takes contacts and bodies out of their islands and updates the AABBs of those bodies."""
    for k in range(get_int(w, TOUCHING_COUNT)):
        contact = touching_contact(w, k)
        set_contact_int(w, contact, CONTACT_FLAGS, contact_int(w, contact, CONTACT_FLAGS) & (~CONTACT_IN_ISLAND))
    for k in range(get_int(w, DYNAMIC_COUNT)):
        body = dynamic_body(w, k)
        flags = body_int(w, body, BODY_FLAGS)
        if (flags & IN_ISLAND) != 0:
            set_body_int(w, body, BODY_FLAGS, flags & (~IN_ISLAND))
            update_aabbs(w, body)
