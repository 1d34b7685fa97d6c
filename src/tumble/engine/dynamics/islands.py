"""Islands: awake bodies that touch, directly or through others, are solved together and fall asleep together.

The search is depth first: it starts from the last-created awake body and follows the newest contact first; static
bodies end a path. This order is part of the physics.
"""

import warp as wp

from tumble.engine.collision.broad_phase import update_aabbs
from tumble.engine.dynamics.contact_solver import (
    init_constraint,
    prepare_constraint,
    report_impulses,
    solve_constraint,
    store_impulses,
    warm_start,
)
from tumble.engine.dynamics.position_correction import correct_position
from tumble.engine.dynamics.static_contact import solve_alone_on_static
from tumble.engine.math.constants import (
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
from tumble.engine.math.vectors import length_squared
from tumble.engine.state.bodies import (
    StartPose,
    centre_pose,
    move_to,
    set_centre_pose,
    set_start_pose,
    set_start_transform,
    set_velocity_of,
    transform_of,
    velocity_of,
    wake,
)
from tumble.engine.state.constraints import pair_mass
from tumble.engine.state.definitions import motion_factors
from tumble.engine.state.device import on_cpu
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONSTRAINT_COUNT,
    CONSTRAINT_POINTS,
    CONTACT_FLAGS,
    CONTACT_IN_ISLAND,
    DYNAMIC,
    DYNAMIC_COUNT,
    IN_ISLAND,
    ISLAND_SIZE,
    TOUCHING_COUNT,
    World,
    body_int,
    constraint_int,
    contact_int,
    dynamic_body,
    get_int,
    get_vec,
    island_body,
    set_body_int,
    set_contact_int,
    set_int,
    touching_contact,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def begin_step(w: World, body: int, dt: float) -> None:
    """Stores where a body starts the step, and integrates gravity and damping: v = (v + dt g) / (1 + dt c)."""
    pose = centre_pose(w, body)
    set_start_pose(w, body, StartPose(pose.position, pose.angle, 0.0))
    set_start_transform(w, body, transform_of(w, body))
    factors = motion_factors(w, body)
    gravity = get_vec(w, w.gravity_v)
    v = velocity_of(w, body)
    vx = (v.linear[0] + dt * (factors.gravity_scale * gravity[0])) * factors.linear_damping
    vy = (v.linear[1] + dt * (factors.gravity_scale * gravity[1])) * factors.linear_damping
    v.linear = wp.vec2(vx, vy)
    v.angular = v.angular * factors.angular_damping
    set_velocity_of(w, body, v)


@wp.func
def build_island(w: World, seed: int, dt: float) -> None:
    """Lists the bodies and contacts (as constraints) that are connected with a body, and begins the bodies' step."""
    touching_count = get_int(w, TOUCHING_COUNT)
    bodies = int(0)
    constraints = int(0)
    stack_size = int(1)
    set_int(w, w.stack_i, seed)
    set_body_int(w, seed, BODY_FLAGS, body_int(w, seed, BODY_FLAGS) | IN_ISLAND)
    while stack_size > 0:
        stack_size = stack_size - 1
        body = get_int(w, w.stack_i + stack_size)
        set_int(w, w.island_i + bodies, body)
        bodies = bodies + 1
        wake(w, body)
        begin_step(w, body, dt)
        for k in range(touching_count):
            contact = touching_contact(w, k)
            a = contact_int(w, contact, BODY_A)
            b = contact_int(w, contact, BODY_B)
            if a == body or b == body:
                flags = contact_int(w, contact, CONTACT_FLAGS)
                if (flags & CONTACT_IN_ISLAND) == 0:
                    set_contact_int(w, contact, CONTACT_FLAGS, flags | CONTACT_IN_ISLAND)
                    init_constraint(w, constraints, contact)
                    constraints = constraints + 1
                    other = a + b - body
                    other_flags = body_int(w, other, BODY_FLAGS)
                    if (other_flags & (DYNAMIC | IN_ISLAND)) == DYNAMIC:
                        set_body_int(w, other, BODY_FLAGS, other_flags | IN_ISLAND)
                        set_int(w, w.stack_i + stack_size, other)
                        stack_size = stack_size + 1
    set_int(w, ISLAND_SIZE, bodies)
    set_int(w, CONSTRAINT_COUNT, constraints)


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
def solve_velocities(w: World, constraints: int, iterations: int) -> None:
    """Iterates over the constraints; an iteration that changed nothing would repeat itself, so it is the last."""
    if on_cpu() and constraints == 1:
        if constraint_int(w, 0, CONSTRAINT_POINTS) == 1 and pair_mass(w, 0).inverse_mass_a == 0.0:
            solve_alone_on_static(w, 0, iterations)
            return
    for _iteration in range(iterations):
        changed = int(0)
        for constraint in range(constraints):
            changed = changed | solve_constraint(w, constraint)
        if changed == 0:
            break


@wp.func
def update_sleep(w: World, positions_solved: int, dt: float) -> None:
    """Counts how long each body of the island has been slow; puts all to sleep once each was so for long enough."""
    bodies = get_int(w, ISLAND_SIZE)
    shortest = float(1.0e30)
    for k in range(bodies):
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
        for k in range(bodies):
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
def solve_island(
    w: World, dt: float, warm_start_ratio: float, velocity_iterations: int, position_iterations: int
) -> None:
    """Solves velocities, moves bodies and corrects positions of the island that was built."""
    bodies = get_int(w, ISLAND_SIZE)
    constraints = get_int(w, CONSTRAINT_COUNT)
    for constraint in range(constraints):
        prepare_constraint(w, constraint, warm_start_ratio)
    for constraint in range(constraints):
        warm_start(w, constraint)
    solve_velocities(w, constraints, velocity_iterations)
    for constraint in range(constraints):
        store_impulses(w, constraint)
        report_impulses(w, constraint)
    for k in range(bodies):
        integrate_position(w, island_body(w, k), dt)
    positions_solved = int(0)
    for _iteration in range(position_iterations):
        smallest = float(0.0)
        for constraint in range(constraints):
            separation = correct_position(w, constraint, BAUMGARTE, -1, -1)
            if separation < smallest:
                smallest = separation
        if smallest >= POSITION_OKAY:
            positions_solved = int(1)
            break
    update_sleep(w, positions_solved, dt)


@wp.func
def solve_islands(
    w: World, dt: float, warm_start_ratio: float, velocity_iterations: int, position_iterations: int
) -> None:
    """Builds and solves all islands of awake bodies, then updates the AABBs of their bodies."""
    dynamics = get_int(w, DYNAMIC_COUNT)
    at = dynamics - 1
    while at >= 0:
        seed = dynamic_body(w, at)
        if (body_int(w, seed, BODY_FLAGS) & (AWAKE | IN_ISLAND)) == AWAKE:
            build_island(w, seed, dt)
            solve_island(w, dt, warm_start_ratio, velocity_iterations, position_iterations)
        at = at - 1
    for k in range(get_int(w, TOUCHING_COUNT)):
        contact = touching_contact(w, k)
        set_contact_int(w, contact, CONTACT_FLAGS, contact_int(w, contact, CONTACT_FLAGS) & (~CONTACT_IN_ISLAND))
    for k in range(dynamics):
        body = dynamic_body(w, k)
        flags = body_int(w, body, BODY_FLAGS)
        if (flags & IN_ISLAND) != 0:
            set_body_int(w, body, BODY_FLAGS, flags & (~IN_ISLAND))
            update_aabbs(w, body)
