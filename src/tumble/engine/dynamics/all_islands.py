"""Solving all islands of a world, in loops over the constraints of all.

Islands have no moving body in common, so that this gives the same bits as solving one after the other. Neighbouring
lanes of a GPU wait for each other wherever a loop ends. Island after island, all would wait for the lane with the
largest first island, then for the one with the largest second; in one loop over all, they wait only for the lane with
the most to do.
"""

import warp as wp

from tumble.engine.dynamics.contact_constraint import make_constraint
from tumble.engine.dynamics.contact_solver import report_impulses, solve_constraint, store_impulses, warm_start
from tumble.engine.dynamics.island_solver import StepSettings, integrate_position, update_sleep
from tumble.engine.dynamics.islands import build_islands, finish_islands, stored_island
from tumble.engine.dynamics.position_correction import correct_position
from tumble.engine.dynamics.static_contact import is_point_on_static, solve_alone_on_static
from tumble.engine.math.constants import BAUMGARTE, POSITION_OKAY
from tumble.engine.state.device import on_cpu
from tumble.engine.state.layout import ISLAND_CONSTRAINTS, ISLAND_CORRECTED, TRACK_IMPULSES
from tumble.engine.state.world import World, chunk_int, island_body, island_int, set_island_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class IslandLoop:
    """Where a loop over the constraints of all islands is; a struct, so that a GPU changes it in place
    (`docs/engine.md`)."""

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
