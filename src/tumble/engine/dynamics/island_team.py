"""Solving a large island by a team of neighbouring threads of a GPU, with the bits of `island_solver.py`.

Constraints without a moving body in common do not affect each other, so that they may be solved at once, or in any
order. Each constraint has a level: 0, or one more than the highest level of those before it that it shares a moving
body with. All of a level are solved at once, level after level.

Every thread of a warp must call these functions together: its teams wait for each other. Threads of a team without an
island take part with one that is empty. On a CPU a team is one thread.
"""

from typing import Any

import warp as wp

from tumble.engine.dynamics.contact_constraint import correct_position, init_constraint, prepare_constraint
from tumble.engine.dynamics.contact_solver import report_impulses, solve_constraint, store_impulses, warm_start
from tumble.engine.dynamics.islands import Island, StepSettings, integrate_position, update_sleep
from tumble.engine.state.constants import BAUMGARTE, POSITION_OKAY
from tumble.engine.state.layout import (
    BODY_FLAGS,
    CONSTRAINT_A,
    CONSTRAINT_B,
    CONSTRAINT_CONTACT,
    DYNAMIC,
    PAIRS_I,
    SCHEDULE_I,
    STACK_I,
    TRACK_IMPULSES,
)
from tumble.engine.state.native import any_of_team, any_of_warp, smallest_of_team, sync_warp
from tumble.engine.state.world import World, body_int, chunk_int, constraint_int, get_int, island_body, set_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LEVEL = 65536
"""An entry of the schedule is a constraint, counted from the island's first, plus its level times this."""


@wp.struct
class Team:
    """The threads that solve an island together."""

    size: int
    member: int  # which of them this thread is


@wp.func
def team_of(thread: int, size: int) -> Team:
    """The team of a thread of a kernel."""
    return Team(size, thread % size)


@wp.func
def no_island() -> Island:
    """An island of nothing."""
    return Island(0, 0, 0, 0, 0)


@wp.func
def find_levels(w: World, island: Island) -> None:
    """Writes the level of every constraint, in the memory that `pairs_i` has later in the step."""
    for k in range(island.first_body, island.first_body + island.bodies):
        set_int(w, chunk_int(w, STACK_I) + island_body(w, k), 0)
    for constraint in range(island.first_constraint, island.first_constraint + island.constraints):
        a = constraint_int(w, constraint, CONSTRAINT_A)
        b = constraint_int(w, constraint, CONSTRAINT_B)
        a_moves = (body_int(w, a, BODY_FLAGS) & DYNAMIC) != 0
        b_moves = (body_int(w, b, BODY_FLAGS) & DYNAMIC) != 0
        level = int(0)
        if a_moves:
            level = get_int(w, chunk_int(w, STACK_I) + a)
        if b_moves:
            level = wp.max(level, get_int(w, chunk_int(w, STACK_I) + b))
        set_int(w, chunk_int(w, PAIRS_I) + constraint, level)
        if a_moves:
            set_int(w, chunk_int(w, STACK_I) + a, level + 1)
        if b_moves:
            set_int(w, chunk_int(w, STACK_I) + b, level + 1)


@wp.func
def write_schedule(w: World, island: Island, team: Team) -> None:
    """Sorts the constraints by level, within a level by their order."""
    first = island.first_constraint
    last = first + island.constraints
    if team.member == 0:
        find_levels(w, island)
    sync_warp()
    constraint = first + team.member
    while constraint < last:
        level = get_int(w, chunk_int(w, PAIRS_I) + constraint)
        rank = int(0)
        for other in range(first, last):
            other_level = get_int(w, chunk_int(w, PAIRS_I) + other)
            if other_level < level or (other_level == level and other < constraint):
                rank = rank + 1
        set_int(w, chunk_int(w, SCHEDULE_I) + first + rank, level * LEVEL + constraint - first)
        constraint = constraint + team.size
    sync_warp()


@wp.func
def entry_at(w: World, place: int, last: int) -> int:
    """An entry of the schedule; behind the last a level that never comes."""
    if place < last:
        return get_int(w, chunk_int(w, SCHEDULE_I) + place)
    return -1


def _level_by_level(name: str, solve: Any) -> Any:
    """A Warp function that solves every constraint of an island once, level after level, if the team takes part.

    A thread calls `solve(w, constraint, result)` for each of its constraints, with the result of the one before; the
    first has the `result` that is given. The function returns the last.
    """

    @wp.func(name=name, inline=True)
    def each_level(w: World, island: Island, team: Team, takes_part: bool, result: Any) -> Any:
        first = island.first_constraint
        last = first + island.constraints
        place = wp.where(takes_part, first + team.member, last)
        entry = entry_at(w, place, last)
        level = int(0)
        while any_of_warp(wp.where(place < last, 1, 0)) != 0:
            while entry >= 0 and entry // LEVEL == level:
                result = solve(w, first + entry % LEVEL, result)
                place = place + team.size
                entry = entry_at(w, place, last)
            level = level + 1
            sync_warp()
        return result

    return each_level


@wp.func(inline=True)
def warm_start_next(w: World, constraint: int, nothing: int) -> int:
    """Applies the impulses of the last step; has no result."""
    warm_start(w, constraint)
    return nothing


@wp.func(inline=True)
def solve_next(w: World, constraint: int, changed: int) -> int:
    """Solves for velocities; the result is 1 once a constraint has changed anything."""
    return changed | solve_constraint(w, constraint)


@wp.func(inline=True)
def correct_next(w: World, constraint: int, smallest: float) -> float:
    """Moves two bodies apart; the result is the smallest separation."""
    separation = correct_position(w, constraint, BAUMGARTE, -1, -1)
    if separation < smallest:
        smallest = separation
    return smallest


warm_start_levels = _level_by_level("warm_start_levels", warm_start_next)
solve_levels = _level_by_level("solve_levels", solve_next)
correct_levels = _level_by_level("correct_levels", correct_next)


@wp.func
def solve_velocities_together(w: World, island: Island, team: Team, iterations: int) -> None:
    """Iterates over the constraints until an iteration changes nothing."""
    remaining = wp.where(island.constraints > 0, iterations, 0)
    while any_of_warp(wp.where(remaining > 0, 1, 0)) != 0:
        changed = solve_levels(w, island, team, remaining > 0, int(0))
        remaining = remaining - 1
        if any_of_team(changed, team.size) == 0:
            remaining = int(0)


@wp.func
def correct_positions_together(w: World, island: Island, team: Team, iterations: int) -> int:
    """Moves overlapping bodies apart until none overlaps too much; returns 1 if so."""
    remaining = int(iterations)
    solved = int(0)
    while any_of_warp(wp.where(remaining > 0, 1, 0)) != 0:
        smallest = smallest_of_team(correct_levels(w, island, team, remaining > 0, float(0.0)), team.size)
        if remaining > 0 and smallest >= POSITION_OKAY:
            solved = int(1)
            remaining = int(0)
        remaining = remaining - 1
    return solved


@wp.func
def solve_island_together(w: World, island: Island, settings: StepSettings, team: Team) -> None:
    """Does what `solve_island` does."""
    first = island.first_constraint
    last = first + island.constraints
    constraint = first + team.member
    while constraint < last:
        init_constraint(w, constraint, constraint_int(w, constraint, CONSTRAINT_CONTACT))
        constraint = constraint + team.size
    sync_warp()
    write_schedule(w, island, team)
    constraint = first + team.member
    while constraint < last:
        prepare_constraint(w, constraint, settings.warm_start_ratio)
        constraint = constraint + team.size
    sync_warp()
    warm_start_levels(w, island, team, True, int(0))
    solve_velocities_together(w, island, team, settings.velocity_iterations)
    constraint = first + team.member
    while constraint < last:
        store_impulses(w, constraint)
        if chunk_int(w, TRACK_IMPULSES) != 0:
            report_impulses(w, constraint, 1)
        constraint = constraint + team.size
    k = island.first_body + team.member
    while k < island.first_body + island.bodies:
        integrate_position(w, island_body(w, k), settings.dt)
        k = k + team.size
    sync_warp()
    solved = correct_positions_together(w, island, team, settings.position_iterations)
    if team.member == 0 and island.bodies > 0:
        update_sleep(w, island.first_body, island.bodies, solved, settings.dt)
    sync_warp()
