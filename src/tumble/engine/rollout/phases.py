"""The kernels of the phases of a step: `dynamics/step.py` in parts that each fit the caches of a GPU.

Worlds stay in their lanes. Between two parts, lanes and islands are listed anew, so that neighbouring threads have
about the same to do and those with nothing to do take no place:

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

A work list consists of groups of consecutive lanes, and each group of bins, the heaviest first. A kernel adds items,
lanes or islands of lanes, to the bins while it runs; the next one takes them in order. Neighbouring threads of a GPU
wait for each other, so they should have about the same to do. Which thread takes which item changes no arithmetic.
"""

from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import warp as wp

from tumble.engine.collision.contacts import create_contacts
from tumble.engine.dynamics.continuous import earliest_impact, needs_impacts, resolve_impact, resolve_impacts
from tumble.engine.dynamics.island_team import no_island, solve_island_together, team_of
from tumble.engine.dynamics.islands import (
    Island,
    StepSettings,
    build_islands,
    finish_islands,
    solve_island,
    stored_island,
)
from tumble.engine.dynamics.step import begin_step, end_step
from tumble.engine.rollout.kernels import Kernels
from tumble.engine.rollout.lanes import Batch, Lanes, Output, lane_view
from tumble.engine.rollout.lifecycle import Past, build_lifecycles
from tumble.engine.rules.rule import Rule
from tumble.engine.state.layout import CONTACT_COUNT, MOVING
from tumble.engine.state.native import claim, read_int, write_int
from tumble.engine.state.world import World, get_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

CLASS_SIZES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 48)
"""The smallest number of contacts of each class of work; `size_class` finds the class."""
WARP = 32
"""Threads that wait for each other; bins begin at multiples of it."""
HOLE = -1
"""As an item: none."""


@wp.struct
class WorkList:
    """Items of each group of lanes, by bin.

    An item is a lane, counted within its group, plus the number of an island times `group`.
    """

    counts: wp.uint64  # address; int [groups, bins]
    starts: wp.uint64  # address; int [bins]: where a bin begins in the room of its group
    items: wp.uint64  # address; int [groups, room]
    bins: int
    room: int
    group: int  # lanes
    groups: int
    threads: int  # that share a group


@wp.func
def size_class(size: int) -> int:
    """The class of a number of contacts."""
    found = wp.min(size, 9)
    if size >= 12:
        found = int(10)
    if size >= 16:
        found = int(11)
    if size >= 24:
        found = int(12)
    if size >= 32:
        found = int(13)
    if size >= 48:
        found = int(14)
    return found


@wp.func
def add_item(work: WorkList, lane: int, island: int, weight: int) -> None:
    """Adds an item to the bin for its weight, the last bin being that for weight 0."""
    group = lane // work.group
    bin = wp.max(work.bins - 1 - weight, 0)
    at = read_int(work.starts, bin, 0) + claim(work.counts, group * work.bins + bin)
    write_int(work.items, group * work.room, at, island * work.group + lane - group * work.group)


@wp.func
def first_place(work: WorkList, thread: int) -> tuple[int, int]:
    """The group that a thread works for, and its first position there.

    The first warps take the first items of all groups, and so the heaviest: what begins last is soon done.
    """
    warp = thread // WARP
    return warp % work.groups, warp // work.groups * WARP + thread % WARP


@wp.func
def find_item(work: WorkList, group: int, at: int) -> tuple[int, int]:
    """The at-th item of a group, or HOLE, and how many positions the group has.

    Bins are filled up with holes to multiples of WARP, so that the threads of a warp have items of one bin.
    """
    item = int(HOLE)
    first = int(0)
    for bin in range(work.bins):
        count = read_int(work.counts, group * work.bins, bin)
        if at >= first and at < first + count:
            item = read_int(work.items, group * work.room, read_int(work.starts, bin, 0) + at - first)
        first = first + (count + WARP - 1) // WARP * WARP
    return item, first


@wp.func
def split_item(work: WorkList, group: int, item: int) -> tuple[int, int]:
    """The lane of an item of a group, and the number of its island."""
    number = item // work.group
    return group * work.group + item - number * work.group, number


@wp.func
def clear_list(work: WorkList, thread: int, threads: int) -> None:
    """Empties a list, by all threads of a kernel that does not use it."""
    at = thread
    while at < work.groups * work.bins:
        write_int(work.counts, 0, at, 0)
        at = at + threads


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


@wp.struct
class Queue:
    """The worlds that wait, and the lanes that have one."""

    next: wp.uint64  # address; the first world that no lane has taken
    last: int  # number of worlds
    occupied: wp.array(dtype=int)  # [lanes]: 1 where a lane has a world
    unfinished: wp.array(dtype=int)  # [1]: worlds that are not over


@dataclass(frozen=True)
class Ends:
    """The kernels before and after the steps of worlds that are rolled out in one way under a rule."""

    name: str
    begin: Any
    finish: Any


def phased_kernels_for(rule: Rule, registers: int) -> Kernels:
    """The kernels for a rule."""
    with _building:
        functions = (rule.function, rule.settled, rule.too_late, rule.begin)
        return build_phased_kernels(*functions, rule.resumable, rule.can_share_past, registers)


_building = Lock()


@cache
def build_phased_kernels(
    rule: Any, settled: Any, too_late: Any, begin: Any, resumable: bool, shares_past: bool, registers: int
) -> Kernels:
    """The kernels for a rule's functions."""
    lives = build_lifecycles(rule, settled, too_late, begin, resumable, shares_past)
    return Kernels(*(_ends(life.name, life.start, life.finish, registers) for life in lives))


def _ends(name: str, start_world: Any, finish_world: Any, registers: int) -> Ends:
    @phase_kernel(f"begin_{name}", registers)
    def begin(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        past: Past,
        queue: Queue,
        lists: WorkLists,
    ) -> None:
        lane = wp.tid()
        if queue.occupied[lane] == 0:
            w = lane_view(world_template, lanes, lane, 1)
            waiting = int(1)
            while waiting == 1:
                waiting = int(0)
                if read_int(queue.next, 0, 0) < queue.last:
                    position = claim(queue.next, 0)
                    if position < queue.last:
                        if start_world(w, batch, settings, out, past, position) == 1:
                            queue.occupied[lane] = 1
                            add_lane(lists.active, w, lane)
                        else:
                            wp.atomic_add(queue.unfinished, 0, -1)
                            waiting = int(1)

    @phase_kernel(f"finish_{name}", registers)
    def finish(
        world_template: World,
        lanes: Lanes,
        batch: Batch,
        settings: StepSettings,
        out: Output,
        past: Past,
        queue: Queue,
        lists: WorkLists,
    ) -> None:
        lane = wp.tid()
        clear_list(lists.resolve, lane, lists.resolve.groups * lists.resolve.group)
        if queue.occupied[lane] == 1:
            w = lane_view(world_template, lanes, lane, 1)
            if finish_world(w, batch, settings, out, past) == 1:
                add_lane(lists.active, w, lane)
            else:
                queue.occupied[lane] = 0
                wp.atomic_add(queue.unfinished, 0, -1)

    return Ends(name, begin, finish)
