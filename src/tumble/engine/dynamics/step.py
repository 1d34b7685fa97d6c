"""One time step of one world: contacts, then all islands, then impacts.

Islands have no moving body in common, so that solving all of them in loops over the constraints of all gives the same
bits as solving one after the other. Neighbouring lanes of a GPU wait for each other wherever a loop ends. Island
after island, all would wait for the lane with the largest first island, then for the one with the largest second; in
one loop over all, they wait only for the lane with the most to do.
"""

import warp as wp

from tumble.engine.collision.contacts import create_contacts, update_contacts
from tumble.engine.dynamics.contact_constraint import correct_position, make_constraint
from tumble.engine.dynamics.contact_solver import (
    is_point_on_static,
    report_impulses,
    solve_alone_on_static,
    solve_constraint,
    store_impulses,
    warm_start,
)
from tumble.engine.dynamics.continuous import resolve_impacts
from tumble.engine.dynamics.islands import (
    StepSettings,
    build_islands,
    finish_islands,
    integrate_position,
    stored_island,
    update_sleep,
)
from tumble.engine.state.constants import BAUMGARTE, POSITION_OKAY
from tumble.engine.state.contacts import contact_surface, set_contact_surface
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    AWAKE,
    BODY_FLAGS,
    CONTACT_COUNT,
    DYNAMIC_COUNT,
    ISLAND_CONSTRAINTS,
    ISLAND_CORRECTED,
    MOVING,
    STEP,
    TRACK_IMPULSES,
)
from tumble.engine.state.native import on_cpu, sync_block
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_int,
    dynamic_body,
    get_int,
    island_body,
    island_int,
    ordered_contact,
    set_int,
    set_island_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class IslandLoop:
    """Where a loop over the constraints of all islands is; a struct, so that a GPU changes it in place
    (`docs/explanation/engine-internals.md`)."""

    at: int  # constraint
    island: int  # its number
    first: int  # constraint of the island
    last: int  # behind its last constraint
    remaining: int  # iterations
    changed: int  # 1 if this iteration changed anything
    smallest: float  # separation met in this iteration


@wp.func
def before_first_island() -> IslandLoop:
    return IslandLoop(0, -1, 0, 0, 0, 0, 0.0)


@wp.func
def enter_island(w: World, loop: IslandLoop, iterations: int) -> IslandLoop:
    """The loop in the island of its constraint: the current one, or the next with constraints, whose iterations
    begin."""
    if loop.at == loop.last:
        loop.island = loop.island + 1
        while island_int(w, loop.island, ISLAND_CONSTRAINTS) == 0:
            loop.island = loop.island + 1
        loop.first = loop.at
        loop.last = loop.at + island_int(w, loop.island, ISLAND_CONSTRAINTS)
        loop.remaining = iterations
    return loop


@wp.func
def solve_all_velocities(w: World, constraints: int, iterations: int) -> None:
    """Does what `solve_velocities` does, for all islands."""
    loop = before_first_island()
    while loop.at < constraints:
        loop = enter_island(w, loop, iterations)
        if on_cpu() and loop.last - loop.first == 1 and is_point_on_static(w, loop.at):
            solve_alone_on_static(w, loop.at, iterations)
        else:
            loop.changed = loop.changed | solve_constraint(w, loop.at)
        loop.at = loop.at + 1
        if loop.at == loop.last:
            loop.remaining = loop.remaining - 1
            if loop.changed == 1 and loop.remaining > 0:
                loop.at = loop.first
            loop.changed = 0


@wp.func
def correct_all_positions(w: World, constraints: int, iterations: int) -> None:
    """Does what `correct_positions` does, for all islands; keeps for which it ended before the last iteration."""
    loop = before_first_island()
    while loop.at < constraints:
        loop = enter_island(w, loop, iterations)
        separation = correct_position(w, loop.at, BAUMGARTE, -1, -1)
        if separation < loop.smallest:
            loop.smallest = separation
        loop.at = loop.at + 1
        if loop.at == loop.last:
            loop.remaining = loop.remaining - 1
            if loop.smallest >= POSITION_OKAY:
                set_island_int(w, loop.island, ISLAND_CORRECTED, 1)
            elif loop.remaining > 0:
                loop.at = loop.first
            loop.smallest = 0.0


@wp.func
def solve_islands(w: World, settings: StepSettings) -> None:
    """Builds all islands of awake bodies, then does each part of `solve_island` for all."""
    islands, bodies, constraints = build_islands(w, settings.dt)
    for constraint in range(constraints):
        make_constraint(w, constraint, settings.warm_start_ratio)
    for constraint in range(constraints):
        warm_start(w, constraint)
    if settings.velocity_iterations > 0:
        solve_all_velocities(w, constraints, settings.velocity_iterations)
    for constraint in range(constraints):
        store_impulses(w, constraint)
    if chunk_int(w, TRACK_IMPULSES) != 0:
        report_impulses(w, 0, constraints)
    for k in range(bodies):
        integrate_position(w, island_body(w, k), settings.dt)
    if settings.position_iterations > 0:
        correct_all_positions(w, constraints, settings.position_iterations)
    for k in range(islands):
        island = stored_island(w, k)
        corrected = island_int(w, k, ISLAND_CORRECTED)
        if island.constraints == 0 and settings.position_iterations > 0:
            corrected = int(1)
        update_sleep(w, island.first_body, island.bodies, corrected, settings.dt)
    finish_islands(w)


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
