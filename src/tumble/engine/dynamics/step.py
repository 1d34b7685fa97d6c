"""One time step of one world."""

import warp as wp

from tumble.engine.collision.contacts import create_contacts, update_contacts
from tumble.engine.dynamics.all_islands import solve_islands
from tumble.engine.dynamics.block_sync import sync_block
from tumble.engine.dynamics.continuous import resolve_impacts
from tumble.engine.dynamics.island_solver import StepSettings
from tumble.engine.state.contacts import contact_surface, set_contact_surface
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    AWAKE,
    BODY_FLAGS,
    CONTACT_COUNT,
    DYNAMIC_COUNT,
    MOVING,
    STEP,
    TRACK_IMPULSES,
)
from tumble.engine.state.world import World, body_int, chunk_int, dynamic_body, get_int, ordered_contact, set_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
def begin_step(w: World) -> int:
    """Counts the step and updates the contacts; returns whether there is more to do, as MOVING says."""
    set_int(w, STEP, get_int(w, STEP) + 1)
    if chunk_int(w, TRACK_IMPULSES) != 0:
        clear_step_sums(w)
    moving = 1 - get_int(w, ALL_ASLEEP)
    set_int(w, MOVING, moving)
    if moving == 1:
        update_contacts(w)
    return moving


@wp.func
def end_step(w: World) -> None:
    """Notes whether the step left any body awake."""
    if no_body_awake(w):
        set_int(w, ALL_ASLEEP, 1)


@wp.func
def step_world(w: World, settings: StepSettings, running: int) -> None:
    """Contacts, then islands, then impacts; a world in which all sleep stays as it is.

    Every lane of a GPU block must call this in every turn, whether its world is running or not: lanes wait for each
    other between the parts. `rollout/phases.py` makes the same step in a kernel for each part.
    """
    moving = int(0)
    if running == 1:
        moving = begin_step(w)
    sync_block()
    if moving == 1:
        solve_islands(w, settings)
    sync_block()
    if moving == 1:
        create_contacts(w)
        resolve_impacts(w, settings.dt, settings.velocity_iterations, settings.only_bullets)
        end_step(w)
    sync_block()
