"""Islands: awake bodies that touch, directly or through others, are solved together and fall asleep together.

The search is depth first: it starts from the last-created awake body and follows the newest contact first; static
bodies end a path. This order is part of the physics.
"""

import warp as wp

from tumble.engine.collision.broad_phase import update_aabbs
from tumble.engine.dynamics.contact_constraint import init_constraint
from tumble.engine.dynamics.island_solver import Island, StepSettings, solve_island
from tumble.engine.state.bodies import (
    StartPose,
    centre_pose,
    set_start_pose,
    set_start_transform,
    set_velocity_of,
    transform_of,
    velocity_of,
    wake,
)
from tumble.engine.state.definitions import motion_factors
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONTACT_FLAGS,
    CONTACT_IN_ISLAND,
    DYNAMIC,
    DYNAMIC_COUNT,
    IN_ISLAND,
    ISLAND_BODIES,
    ISLAND_CONSTRAINTS,
    ISLAND_FIRST_BODY,
    ISLAND_FIRST_CONSTRAINT,
    POINT_COUNT,
    TOUCHING_COUNT,
)
from tumble.engine.state.world import (
    World,
    body_int,
    contact_int,
    dynamic_body,
    get_int,
    get_vec,
    island_int,
    set_body_int,
    set_contact_int,
    set_int,
    set_island_int,
    touching_contact,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def begin_motion(w: World, body: int, dt: float) -> None:
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
def build_island(w: World, seed: int, dt: float, first_body: int, first_constraint: int) -> Island:
    """Lists the bodies and contacts (as constraints) that are connected with a body, and begins the bodies' step."""
    touching_count = get_int(w, TOUCHING_COUNT)
    bodies = int(0)
    constraints = int(0)
    points = int(0)
    stack_size = int(1)
    set_int(w, w.stack_i, seed)
    set_body_int(w, seed, BODY_FLAGS, body_int(w, seed, BODY_FLAGS) | IN_ISLAND)
    while stack_size > 0:
        stack_size = stack_size - 1
        body = get_int(w, w.stack_i + stack_size)
        set_int(w, w.island_i + first_body + bodies, body)
        bodies = bodies + 1
        wake(w, body)
        begin_motion(w, body, dt)
        for k in range(touching_count):
            contact = touching_contact(w, k)
            a = contact_int(w, contact, BODY_A)
            b = contact_int(w, contact, BODY_B)
            if a == body or b == body:
                flags = contact_int(w, contact, CONTACT_FLAGS)
                if (flags & CONTACT_IN_ISLAND) == 0:
                    set_contact_int(w, contact, CONTACT_FLAGS, flags | CONTACT_IN_ISLAND)
                    init_constraint(w, first_constraint + constraints, contact)
                    constraints = constraints + 1
                    points = points + (flags & POINT_COUNT)
                    other = a + b - body
                    other_flags = body_int(w, other, BODY_FLAGS)
                    if (other_flags & (DYNAMIC | IN_ISLAND)) == DYNAMIC:
                        set_body_int(w, other, BODY_FLAGS, other_flags | IN_ISLAND)
                        set_int(w, w.stack_i + stack_size, other)
                        stack_size = stack_size + 1
    return Island(first_body, bodies, first_constraint, constraints, points)


@wp.func
def store_island(w: World, number: int, island: Island) -> None:
    """Keeps where an island's bodies and constraints lie until it is solved."""
    set_island_int(w, number, ISLAND_FIRST_BODY, island.first_body)
    set_island_int(w, number, ISLAND_BODIES, island.bodies)
    set_island_int(w, number, ISLAND_FIRST_CONSTRAINT, island.first_constraint)
    set_island_int(w, number, ISLAND_CONSTRAINTS, island.constraints)


@wp.func
def stored_island(w: World, number: int) -> Island:
    """An island as it was kept, without its number of points."""
    return Island(
        island_int(w, number, ISLAND_FIRST_BODY),
        island_int(w, number, ISLAND_BODIES),
        island_int(w, number, ISLAND_FIRST_CONSTRAINT),
        island_int(w, number, ISLAND_CONSTRAINTS),
        0,
    )


@wp.func
def is_seed(w: World, body: int) -> bool:
    """Whether a body is awake and in no island so far."""
    return (body_int(w, body, BODY_FLAGS) & (AWAKE | IN_ISLAND)) == AWAKE


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


@wp.func
def solve_islands(w: World, settings: StepSettings) -> None:
    """Builds and solves all islands of awake bodies, one after the other."""
    at = get_int(w, DYNAMIC_COUNT) - 1
    while at >= 0:
        seed = dynamic_body(w, at)
        if is_seed(w, seed):
            solve_island(w, build_island(w, seed, settings.dt, 0, 0), settings)
        at = at - 1
    finish_islands(w)
