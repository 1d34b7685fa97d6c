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
from tumble.engine.state.layout import ISLAND_CONSTRAINTS, ISLAND_CORRECTED
from tumble.engine.state.world import World, island_body, island_int, set_island_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def next_with_constraints(w: World, island: int) -> int:
    """The first island behind one, or behind -1, that has a constraint."""
    following = island + 1
    while island_int(w, following, ISLAND_CONSTRAINTS) == 0:
        following = following + 1
    return following


@wp.func
def solve_all_velocities(w: World, constraints: int, iterations: int) -> None:
    """Iterates over the constraints of each island as `solve_velocities` does, in one loop for all islands."""
    island = int(-1)
    first = int(0)  # constraint of the island
    last = int(0)  # behind its last one
    remaining = int(0)  # iterations
    changed = int(0)
    constraint = int(0)
    while constraint < constraints:
        if constraint == last:
            island = next_with_constraints(w, island)
            first = constraint
            last = first + island_int(w, island, ISLAND_CONSTRAINTS)
            remaining = iterations
        if on_cpu() and last - first == 1 and is_point_on_static(w, constraint):
            solve_alone_on_static(w, constraint, iterations)
        else:
            changed = changed | solve_constraint(w, constraint)
        constraint = constraint + 1
        if constraint == last:
            remaining = remaining - 1
            if changed == 1 and remaining > 0:
                constraint = first
            changed = int(0)


@wp.func
def correct_all_positions(w: World, constraints: int, iterations: int) -> None:
    """Moves overlapping bodies of each island apart, in one loop for all islands; keeps which need no more of it."""
    island = int(-1)
    first = int(0)  # constraint of the island
    last = int(0)  # behind its last one
    remaining = int(0)  # iterations
    smallest = float(0.0)
    constraint = int(0)
    while constraint < constraints:
        if constraint == last:
            island = next_with_constraints(w, island)
            first = constraint
            last = first + island_int(w, island, ISLAND_CONSTRAINTS)
            remaining = iterations
        separation = correct_position(w, constraint, BAUMGARTE, -1, -1)
        if separation < smallest:
            smallest = separation
        constraint = constraint + 1
        if constraint == last:
            remaining = remaining - 1
            if smallest >= POSITION_OKAY:
                set_island_int(w, island, ISLAND_CORRECTED, 1)
            elif remaining > 0:
                constraint = first
            smallest = float(0.0)


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
    if w.track_impulses != 0:
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
