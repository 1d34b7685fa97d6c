"""The kernels of the phases of a step, for a GPU: the step of `dynamics/step.py` in parts that each fit its caches.

Worlds stay in their lanes. Between two parts, lanes and islands are listed anew (`work_list.py`), so that neighbouring
threads have about the same to do and those with nothing to do take no place:

    begin      free lanes take worlds from the queue               -> active
    contacts   of each active lane
    islands    of each active lane: built, not solved              -> islands, large
    solve      of each island but the large ones, by a thread
    solve_large  of each large island, by a team of threads
    new_pairs  of each active lane, and whether bodies may meet    -> impacts
    impacts    of each lane where they may: the first, if any      -> resolve
    resolve    that impact and those that follow
    finish     the rule and output of each lane; frees lanes       -> active

All but `begin` and `finish` are the same for all rules. Each is a Warp module of its own: they compile in parallel.
"""

from functools import cache
from typing import Any

import warp as wp

from tumble.engine.collision.contacts import create_contacts
from tumble.engine.dynamics.continuous import resolve_impact, resolve_impacts
from tumble.engine.dynamics.impact_search import earliest_impact, needs_impacts
from tumble.engine.dynamics.island_solver import Island, StepSettings, solve_island
from tumble.engine.dynamics.island_team import no_island, solve_island_together, team_of
from tumble.engine.dynamics.islands import build_islands, finish_islands, stored_island
from tumble.engine.dynamics.step import begin_step, end_step
from tumble.engine.rollout.output import Lanes, lane_view
from tumble.engine.rollout.work_list import (
    WorkList,
    add_item,
    clear_list,
    find_item,
    first_place,
    size_class,
    split_item,
)
from tumble.engine.state.layout import CONTACT_COUNT, MOVING
from tumble.engine.state.world import World, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

COMPILER_OPTIONS = {"enable_backward": False, "fuse_fp": False, "fast_math": False}
STEP_PHASES = ("contacts", "islands", "solve", "solve_large", "new_pairs", "impacts", "resolve")


@wp.struct
class WorkLists:
    """The lists that the kernels of a step hand on."""

    active: WorkList
    islands: WorkList
    large: WorkList
    impacts: WorkList
    resolve: WorkList
    impact_contacts: wp.array(dtype=int)  # [lanes]: of the lanes to resolve, the contact that comes first …
    impact_times: wp.array(dtype=float)  # … and at which fraction of the step
    large_from: int  # constraints of a large island, at least
    team: int  # threads that solve one


@wp.func
def add_lane(work: WorkList, w: World, lane: int) -> None:
    """Lists a lane by its number of contacts."""
    add_item(work, lane, 0, size_class(get_int(w, CONTACT_COUNT)))


@wp.func
def island_weight(island: Island) -> int:
    """The weight of an island: by its number of constraints, and whether all have one point or some have two."""
    weight = 2 * size_class(island.constraints)
    if island.points > island.constraints:
        weight = weight + 1
    return weight


@wp.func(inline=True)
def take_active(lists: WorkLists, thread: int) -> WorkList:
    """The list of active lanes. Functions like this one may also clear lists that were used up, by all threads."""
    return lists.active


@wp.func(inline=True)
def take_islands(lists: WorkLists, thread: int) -> WorkList:
    return lists.islands


@wp.func(inline=True)
def take_active_clear_islands(lists: WorkLists, thread: int) -> WorkList:
    threads = lists.active.groups * lists.active.threads
    clear_list(lists.islands, thread, threads)
    clear_list(lists.large, thread, threads)
    return lists.active


@wp.func(inline=True)
def take_impacts_clear_active(lists: WorkLists, thread: int) -> WorkList:
    clear_list(lists.active, thread, lists.impacts.groups * lists.impacts.threads)
    return lists.impacts


@wp.func(inline=True)
def take_resolve_clear_impacts(lists: WorkLists, thread: int) -> WorkList:
    clear_list(lists.impacts, thread, lists.resolve.groups * lists.resolve.threads)
    return lists.resolve


@wp.func(inline=True)
def update_lane(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Updates the contacts of a lane."""
    begin_step(w)


@wp.func(inline=True)
def list_islands(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Builds and lists the islands of a lane."""
    if get_int(w, MOVING) == 1:
        islands, _bodies, _constraints = build_islands(w, settings.dt)
        for k in range(islands):
            island = stored_island(w, k)
            if island.constraints >= lists.large_from:
                add_item(lists.large, lane, k, island_weight(island))
            else:
                add_item(lists.islands, lane, k, island_weight(island))


@wp.func(inline=True)
def solve_one(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Solves an island."""
    solve_island(w, stored_island(w, number), settings)


@wp.func(inline=True)
def find_new_pairs(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Finds new contacts of a lane, and lists it if bodies may meet."""
    if get_int(w, MOVING) == 1:
        finish_islands(w)
        create_contacts(w)
        if needs_impacts(w, settings.only_bullets):
            add_lane(lists.impacts, w, lane)
        else:
            end_step(w)


@wp.func(inline=True)
def find_first_impact(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Finds the first impact of a lane that may have one, and lists the lane if it has."""
    contact, when = earliest_impact(w, settings.only_bullets)
    if contact >= 0:
        lists.impact_contacts[lane] = contact
        lists.impact_times[lane] = when
        add_lane(lists.resolve, w, lane)
    else:
        end_step(w)


@wp.func(inline=True)
def resolve_all(w: World, lane: int, number: int, settings: StepSettings, lists: WorkLists) -> None:
    """Resolves that impact and those that follow."""
    contact = lists.impact_contacts[lane]
    resolve_impact(w, contact, lists.impact_times[lane], settings.dt, settings.velocity_iterations)
    resolve_impacts(w, settings.dt, settings.velocity_iterations, settings.only_bullets)
    end_step(w)


def _for_each_item(take: Any, process: Any, of_islands: bool = False) -> Any:
    """A kernel whose threads call `process` for each item of the list that `take` returns: lanes, or islands of lanes.

    `process` takes the world, its lane and the number of the island. All is inlined: the kernel is as if written out.
    """

    def for_each_item(world_template: World, lanes: Lanes, settings: StepSettings, lists: WorkLists) -> None:
        work = take(lists, wp.tid())
        group, at = first_place(work, wp.tid())
        item, end = find_item(work, group, at)
        while at < end:
            if item >= 0:
                lane = group * work.group + item
                number = int(0)
                if wp.static(of_islands):
                    lane, number = split_item(work, group, item)
                process(lane_view(world_template, lanes, lane, 1), lane, number, settings, lists)
            at = at + work.threads
            if at < end:
                item, end = find_item(work, group, at)

    return for_each_item


def _solve_large(world_template: World, lanes: Lanes, settings: StepSettings, lists: WorkLists) -> None:
    """Solves each large island by a team. Threads of a warp stay together: teams without one have an empty island."""
    work = lists.large
    team = team_of(wp.tid(), lists.team)
    group, at = first_place(work, wp.tid() // lists.team)
    item, end = find_item(work, group, at)
    while at < end:
        lane, number = split_item(work, group, wp.max(item, 0))
        w = lane_view(world_template, lanes, lane, 1)
        island = no_island()
        if item >= 0:
            island = stored_island(w, number)
        solve_island_together(w, island, settings, team)
        at = at + work.threads
        if at < end:
            item, end = find_item(work, group, at)


_BODIES = {
    "contacts": _for_each_item(take_active, update_lane),
    "islands": _for_each_item(take_active, list_islands),
    "solve": _for_each_item(take_islands, solve_one, of_islands=True),
    "solve_large": _solve_large,
    "new_pairs": _for_each_item(take_active_clear_islands, find_new_pairs),
    "impacts": _for_each_item(take_impacts_clear_active, find_first_impact),
    "resolve": _for_each_item(take_resolve_clear_impacts, resolve_all),
}


def phase_kernel(name: str, registers: int) -> Any:
    """The decorator of a kernel: a Warp module of its own, with at most that many registers on a GPU."""
    options = {"enable_backward": False, "cuda_max_registers": registers, "grid_stride": False}
    return wp.kernel(name=f"{name}_{registers}", module="unique", module_options=COMPILER_OPTIONS, **options)


@cache
def step_kernel(name: str, registers: int) -> Any:
    """The kernel of a phase between `begin` and `finish`, with at most this many registers for a thread."""
    return phase_kernel(name, registers)(_BODIES[name])
