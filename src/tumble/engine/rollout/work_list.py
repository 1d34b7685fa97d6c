"""Lists of work for the kernels of a step: lanes, or islands of lanes, sorted by how much there is to do.

Neighbouring threads of a GPU wait for each other, so they should have about the same to do. A list consists of groups
of consecutive lanes, and each group of bins, the heaviest first. A kernel adds items to the bins while it runs; the
next one takes them in order. Which thread takes which item changes no arithmetic.
"""

import warp as wp

from tumble.engine.state.memory import claim, read_int, write_int

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
