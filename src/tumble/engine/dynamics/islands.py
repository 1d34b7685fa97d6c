"""Islands: awake bodies that touch, directly or through others, are solved together and fall asleep together.

The search starts from the last-created awake body, follows the newest contact first and the body found last; static
bodies end a path. This order is part of the physics.
"""

import warp as wp

from tumble.engine.collision.broad_phase import refresh_boxes
from tumble.engine.dynamics.contact_solver import (
    link_row,
    prepare_row,
    push_apart,
    report_impulses,
    solve_row,
    store_impulses,
    warm_start,
)
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
from tumble.engine.state.bodies import move_to, wake
from tumble.engine.state.layout import (
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FLAGS,
    CONTACT_FLAGS,
    CONTACT_IN_ISLAND,
    DEF_MOTION,
    DYNAMIC,
    DYNAMICS,
    IN_ISLAND,
    ISLAND_BODIES,
    PLACE,
    PLACE0,
    ROWS,
    SWEEP,
    SWEEP0,
    TOUCHES,
    VELOCITY,
    World,
    body_def_vec,
    body_int,
    body_vec,
    contact_int,
    get,
    get_vec,
    put,
    put_body_int,
    put_body_vec,
    put_contact_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def begin_motion(w: World, body: int, dt: float) -> None:
    """Notes where a body starts the step, and lets gravity and damping act on its velocity."""
    sweep = body_vec(w, body, SWEEP)
    put_body_vec(w, body, SWEEP0, wp.vec4(sweep[0], sweep[1], sweep[2], 0.0))
    put_body_vec(w, body, PLACE0, body_vec(w, body, PLACE))
    motion = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MOTION)
    gravity = get_vec(w, w.gravity_v)
    v = body_vec(w, body, VELOCITY)
    vx = (v[0] + dt * (motion[0] * gravity[0])) * motion[1]
    vy = (v[1] + dt * (motion[0] * gravity[1])) * motion[1]
    put_body_vec(w, body, VELOCITY, wp.vec4(vx, vy, v[2] * motion[2], v[3]))


@wp.func
def gather_island(w: World, seed: int, dt: float) -> None:
    """Lists the bodies and contacts (as rows) that hang together with a body, and begins the bodies' motion."""
    touches = get(w, TOUCHES)
    bodies = int(0)
    rows = int(0)
    waiting = int(1)
    put(w, w.stack_i, seed)
    put_body_int(w, seed, BODY_FLAGS, body_int(w, seed, BODY_FLAGS) | IN_ISLAND)
    while waiting > 0:
        waiting = waiting - 1
        body = get(w, w.stack_i + waiting)
        put(w, w.island_i + bodies, body)
        bodies = bodies + 1
        wake(w, body)
        begin_motion(w, body, dt)
        for k in range(touches):
            contact = get(w, w.touch_i + k)
            a = contact_int(w, contact, BODY_A)
            b = contact_int(w, contact, BODY_B)
            if a == body or b == body:
                flags = contact_int(w, contact, CONTACT_FLAGS)
                if (flags & CONTACT_IN_ISLAND) == 0:
                    put_contact_int(w, contact, CONTACT_FLAGS, flags | CONTACT_IN_ISLAND)
                    link_row(w, rows, contact)
                    rows = rows + 1
                    other = a + b - body
                    other_flags = body_int(w, other, BODY_FLAGS)
                    if (other_flags & (DYNAMIC | IN_ISLAND)) == DYNAMIC:
                        put_body_int(w, other, BODY_FLAGS, other_flags | IN_ISLAND)
                        put(w, w.stack_i + waiting, other)
                        waiting = waiting + 1
    put(w, ISLAND_BODIES, bodies)
    put(w, ROWS, rows)


@wp.func
def integrate(w: World, body: int, dt: float) -> None:
    """Moves a body along its velocity, at most so far in one step."""
    sweep = body_vec(w, body, SWEEP)
    v = body_vec(w, body, VELOCITY)
    vx = v[0]
    vy = v[1]
    turn = v[2]
    dx = dt * vx
    dy = dt * vy
    far = dx * dx + dy * dy
    if far > MAX_TRANSLATION_SQUARED:
        slower = MAX_TRANSLATION / wp.sqrt(far)
        vx = vx * slower
        vy = vy * slower
    angle = dt * turn
    if angle * angle > MAX_ROTATION_SQUARED:
        turn = turn * (MAX_ROTATION / wp.abs(angle))
    put_body_vec(w, body, VELOCITY, wp.vec4(vx, vy, turn, v[3]))
    move_to(w, body, sweep[0] + dt * vx, sweep[1] + dt * vy, sweep[2] + dt * turn, sweep[3])


@wp.func
def solve_velocities(w: World, rows: int, iterations: int) -> None:
    """Sweeps over the rows; a sweep that changed nothing would repeat itself, so it is the last."""
    for _sweep in range(iterations):
        changed = int(0)
        for row in range(rows):
            changed = changed | solve_row(w, row)
        if changed == 0:
            break


@wp.func
def rest_or_sleep(w: World, solved: int, dt: float) -> None:
    """Counts how long each body of the island has been slow; puts all to sleep once each was so for long enough."""
    bodies = get(w, ISLAND_BODIES)
    shortest = float(1.0e30)
    for k in range(bodies):
        body = get(w, w.island_i + k)
        v = body_vec(w, body, VELOCITY)
        sweep = body_vec(w, body, SWEEP)
        slow = float(0.0)
        if v[2] * v[2] <= ANGULAR_SLEEP_SQUARED and v[0] * v[0] + v[1] * v[1] <= LINEAR_SLEEP_SQUARED:
            slow = sweep[3] + dt
        put_body_vec(w, body, SWEEP, wp.vec4(sweep[0], sweep[1], sweep[2], slow))
        if slow < shortest:
            shortest = slow
    if shortest >= TIME_TO_SLEEP and solved == 1:
        for k in range(bodies):
            sleeper = get(w, w.island_i + k)
            put_body_int(w, sleeper, BODY_FLAGS, body_int(w, sleeper, BODY_FLAGS) & (~AWAKE))
            s = body_vec(w, sleeper, SWEEP)
            put_body_vec(w, sleeper, SWEEP, wp.vec4(s[0], s[1], s[2], 0.0))
            put_body_vec(w, sleeper, VELOCITY, wp.vec4(0.0, 0.0, 0.0, body_vec(w, sleeper, VELOCITY)[3]))


@wp.func
def solve_island(w: World, dt: float, warm: float, velocity_iterations: int, position_iterations: int) -> None:
    """Velocities, motion and corrections of one gathered island."""
    bodies = get(w, ISLAND_BODIES)
    rows = get(w, ROWS)
    for row in range(rows):
        prepare_row(w, row, warm)
    for row in range(rows):
        warm_start(w, row)
    solve_velocities(w, rows, velocity_iterations)
    for row in range(rows):
        store_impulses(w, row)
        report_impulses(w, row)
    for k in range(bodies):
        integrate(w, get(w, w.island_i + k), dt)
    solved = int(0)
    for _sweep in range(position_iterations):
        smallest = float(0.0)
        for row in range(rows):
            gap = push_apart(w, row, BAUMGARTE, -1, -1)
            if gap < smallest:
                smallest = gap
        if smallest >= POSITION_OKAY:
            solved = int(1)
            break
    rest_or_sleep(w, solved, dt)


@wp.func
def solve_islands(w: World, dt: float, warm: float, velocity_iterations: int, position_iterations: int) -> None:
    """Moves all awake bodies by one step and refreshes their boxes; notes whether any body is still awake."""
    dynamics = get(w, DYNAMICS)
    at = dynamics - 1
    while at >= 0:
        seed = get(w, w.dynamics_i + at)
        if (body_int(w, seed, BODY_FLAGS) & (AWAKE | IN_ISLAND)) == AWAKE:
            gather_island(w, seed, dt)
            solve_island(w, dt, warm, velocity_iterations, position_iterations)
        at = at - 1
    for k in range(get(w, TOUCHES)):
        contact = get(w, w.touch_i + k)
        put_contact_int(w, contact, CONTACT_FLAGS, contact_int(w, contact, CONTACT_FLAGS) & (~CONTACT_IN_ISLAND))
    for k in range(dynamics):
        body = get(w, w.dynamics_i + k)
        flags = body_int(w, body, BODY_FLAGS)
        if (flags & IN_ISLAND) != 0:
            put_body_int(w, body, BODY_FLAGS, flags & (~IN_ISLAND))
            refresh_boxes(w, body)
