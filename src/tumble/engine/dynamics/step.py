"""One time step of one world."""

import warp as wp

from tumble.engine.collision.contacts import create_contacts, update_contacts
from tumble.engine.dynamics.block_sync import sync_block
from tumble.engine.dynamics.continuous import resolve_impacts
from tumble.engine.dynamics.islands import solve_islands
from tumble.engine.state.contacts import contact_surface, set_contact_surface
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    AWAKE,
    BODY_FLAGS,
    CONTACT_COUNT,
    DYNAMIC_COUNT,
    STEP,
    World,
    body_int,
    dynamic_body,
    get_int,
    ordered_contact,
    set_int,
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


@wp.func
def clear_step_sums(w: World) -> None:
    """Begins a new sum of impulses, and a new search for hits, at every contact."""
    for k in range(get_int(w, CONTACT_COUNT)):
        contact = ordered_contact(w, k)
        surface = contact_surface(w, contact)
        surface.step_impulse = 0.0
        surface.hit_speed = 0.0
        set_contact_surface(w, contact, surface)


@wp.func
def no_body_awake(w: World) -> bool:
    """Whether every dynamic body sleeps, so that nothing will move again by itself."""
    for k in range(get_int(w, DYNAMIC_COUNT)):
        if (body_int(w, dynamic_body(w, k), BODY_FLAGS) & AWAKE) != 0:
            return False
    return True


@wp.func
def step_world(w: World, settings: StepSettings, running: int) -> None:
    """Contacts, then islands, then impacts; a world in which all sleep stays as it is.

    Every lane of a GPU block must call this in every turn, whether its world is running or not: lanes wait for each
    other between the parts.
    """
    moving = int(0)
    if running == 1:
        set_int(w, STEP, get_int(w, STEP) + 1)
        if w.track_impulses != 0:
            clear_step_sums(w)
        if get_int(w, ALL_ASLEEP) == 0:
            moving = int(1)
            update_contacts(w)
    sync_block()
    if moving == 1:
        solve_islands(
            w, settings.dt, settings.warm_start_ratio, settings.velocity_iterations, settings.position_iterations
        )
    sync_block()
    if moving == 1:
        create_contacts(w)
        resolve_impacts(w, settings.dt, settings.velocity_iterations, settings.only_bullets)
        if no_body_awake(w):
            set_int(w, ALL_ASLEEP, 1)
    sync_block()
