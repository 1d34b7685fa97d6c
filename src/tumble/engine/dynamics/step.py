"""One time step of one world."""

import warp as wp

from tumble.engine.collision.contacts import make_contacts, refresh_contacts
from tumble.engine.dynamics.continuous import resolve_impacts
from tumble.engine.dynamics.islands import solve_islands
from tumble.engine.dynamics.teamwork import keep_pace
from tumble.engine.state.layout import (
    AWAKE,
    BODY_FLAGS,
    CONTACTS,
    DYNAMICS,
    STEP,
    STILL,
    SURFACE,
    World,
    body_int,
    contact_vec,
    get,
    put,
    put_contact_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Stepping:
    """How time passes: the options of a rollout that the kernel needs."""

    dt: float
    warm: float  # factor on the impulses carried over from the step before
    velocity_iterations: int
    position_iterations: int
    max_steps: int
    only_bullets: int  # 1 where continuous collision acts for bullets only


@wp.func
def forget_impulses(w: World) -> None:
    for k in range(get(w, CONTACTS)):
        contact = get(w, w.order_i + k)
        s = contact_vec(w, contact, SURFACE)
        put_contact_vec(w, contact, SURFACE, wp.vec4(s[0], s[1], 0.0, 0.0))


@wp.func
def is_still(w: World) -> bool:
    """Whether every dynamic body sleeps, so that nothing will move again by itself."""
    for k in range(get(w, DYNAMICS)):
        if (body_int(w, get(w, w.dynamics_i + k), BODY_FLAGS) & AWAKE) != 0:
            return False
    return True


@wp.func
def step_world(w: World, stepping: Stepping, running: int) -> None:
    """Contacts, then islands, then impacts; a world in which all sleep stays as it is.

    Every lane of a block calls this in every turn, whether its world is running or not, to keep pace.
    """
    moving = int(0)
    if running == 1:
        put(w, STEP, get(w, STEP) + 1)
        if w.track != 0:
            forget_impulses(w)
        if get(w, STILL) == 0:
            moving = int(1)
            refresh_contacts(w)
    keep_pace()
    if moving == 1:
        solve_islands(w, stepping.dt, stepping.warm, stepping.velocity_iterations, stepping.position_iterations)
    keep_pace()
    if moving == 1:
        make_contacts(w)
        resolve_impacts(w, stepping.dt, stepping.velocity_iterations, stepping.only_bullets)
        if is_still(w):
            put(w, STILL, 1)
    keep_pace()
