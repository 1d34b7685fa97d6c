"""Solving an island: velocities, motion, position correction and sleep.

Islands have no moving body in common, so that they may be solved in any order, or at once: each leaves static bodies,
which several may touch, as they are.
"""

import warp as wp

from tumble.engine.dynamics.contact_constraint import make_constraint
from tumble.engine.dynamics.contact_solver import report_impulses, solve_constraint, store_impulses, warm_start
from tumble.engine.dynamics.position_correction import correct_position
from tumble.engine.dynamics.static_contact import is_point_on_static, solve_alone_on_static
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
from tumble.engine.state.bodies import centre_pose, move_to, set_centre_pose, set_velocity_of, velocity_of
from tumble.engine.state.device import on_cpu
from tumble.engine.state.layout import AWAKE, BODY_FLAGS, TRACK_IMPULSES
from tumble.engine.state.world import World, body_int, chunk_int, island_body, set_body_int

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
