"""Moves worlds to other lanes between two launches of a fused kernel, such that neighbours have about the same to do.

The threads of a GPU's warp wait for each other. Worlds that lie in one warp by chance differ in what they have to do,
and once no world waits for a lane, those that are left lie in warps with ever fewer others. So worlds are sorted by
their work, the heaviest first, and dealt to all warps, as many to each; the warps are dealt to the blocks in turns, so
that blocks too have about the same to do. Three kernels, one after the other:

    weigh_lanes  counts the lanes with a world by class of work
    place_lanes  says which world each lane gets
    move_worlds  copies the worlds, to other memory

What a step does not find as the last one left it is not copied: constraints, islands, and lists that every step begins
anew. The slot of a contact has no meaning, only their order has; a moved world has its contacts in the first slots.
"""

import warp as wp

from tumble.engine.rollout.output import Lanes, lane_view
from tumble.engine.rollout.work_list import CLASS_SIZES, WARP, size_class
from tumble.engine.state.bodies import is_active
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    BODY_A,
    BODY_B,
    BODY_COUNT,
    BODY_FLAGS,
    BODY_INTS,
    BODY_VECS,
    CONTACT_COUNT,
    CONTACT_FLAGS,
    CONTACT_INTS,
    CONTACT_VECS,
    DYNAMIC_COUNT,
    HEADER_INTS,
    MOVED_COUNT,
    SHAPE_COUNT,
    SHAPE_INTS,
    SHAPE_VECS,
    TOUCHING,
)
from tumble.engine.state.memory import claim, constant_int, write_int
from tumble.engine.state.world import (
    World,
    body_int,
    contact_int,
    contact_vec,
    get_int,
    get_vec,
    ordered_contact,
    set_contact_int,
    set_contact_vec,
    set_int,
    set_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

NEAR_CLASSES = 4
"""Classes of worlds with as many touching contacts, by the number of others."""
WORK_CLASSES = 1 + NEAR_CLASSES * len(CLASS_SIZES)
"""The first is that of worlds in which all sleep."""
PARTS = 4
"""Threads that copy a world."""
NO_LANE = -1


@wp.struct
class Regroup:
    """How many lanes there are, and where they and their worlds are noted."""

    lanes: int
    block: int  # lanes of a block
    fewest: int  # worlds of a warp, at least, in as few blocks as possible; 0 for as few as there are lanes for
    counts: wp.uint64  # address; int [WORK_CLASSES]: worlds of a class; 0 before and after
    classes: wp.array(dtype=int)  # [lanes]: of its world
    ranks: wp.array(dtype=int)  # [lanes]: its world's number among those of the class
    sources: wp.array(dtype=int)  # [lanes]: the lane whose world it gets, or NO_LANE


@wp.func
def near_class(contacts: int) -> int:
    """The class of a number of contacts that don't touch: 0 or 1, 2 or 3, up to 7, and more."""
    found = wp.min(contacts // 2, 2)
    if contacts >= 8:
        found = int(3)
    return found


@wp.func
def work_class(w: World) -> int:
    """The class of a world by what its last step left to do: contacts of moving bodies that touch, then the others."""
    if get_int(w, ALL_ASLEEP) == 1:
        return 0
    touching = int(0)
    near = int(0)
    for k in range(get_int(w, CONTACT_COUNT)):
        contact = ordered_contact(w, k)
        flags_a = body_int(w, contact_int(w, contact, BODY_A), BODY_FLAGS)
        flags_b = body_int(w, contact_int(w, contact, BODY_B), BODY_FLAGS)
        if is_active(flags_a) or is_active(flags_b):
            if (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) != 0:
                touching = touching + 1
            else:
                near = near + 1
    return 1 + NEAR_CLASSES * size_class(touching) + near_class(near)


@wp.func
def quotient_up(a: int, b: int) -> int:
    return (a + b - 1) // b


@wp.func
def target_lane(number: int, worlds: int, lanes: int, block: int, fewest: int) -> int:
    """The lane for a world by its number among all, sorted: as many for each warp, the warps for blocks in turns.

    Where `fewest` is above 0, at least so many have a warp, and the warps lie in as few blocks as possible.
    """
    per_warp = wp.max(quotient_up(worlds, lanes // WARP), fewest)
    blocks = lanes // block
    if fewest > 0:
        blocks = wp.min(blocks, quotient_up(worlds, per_warp * (block // WARP)))
    warp = number // per_warp
    return warp % blocks * block + warp // blocks * WARP + number % per_warp


@wp.kernel
def weigh_lanes(world_template: World, lanes: Lanes, occupied: wp.array(dtype=int), regroup: Regroup) -> None:
    """Gives every world its number among those of its class."""
    lane = wp.tid()
    regroup.sources[lane] = NO_LANE
    if occupied[lane] == 1:
        found = work_class(lane_view(world_template, lanes, lane))
        regroup.classes[lane] = found
        regroup.ranks[lane] = claim(regroup.counts, found)


@wp.kernel
def place_lanes(occupied: wp.array(dtype=int), regroup: Regroup) -> None:
    """Gives every world a lane."""
    lane = wp.tid()
    if occupied[lane] == 1:
        own = regroup.classes[lane]
        heavier = int(0)
        worlds = int(0)
        for one in range(WORK_CLASSES):
            count = constant_int(regroup.counts, one)
            worlds = worlds + count
            if one > own:
                heavier = heavier + count
        number = heavier + regroup.ranks[lane]
        target = target_lane(number, worlds, regroup.lanes, regroup.block, regroup.fewest)
        regroup.sources[target] = lane


@wp.func
def copy_ints(source: World, target: World, first: int, last: int, part: int) -> None:
    """Copies a part of the ints of a lane from the first-th up to the last-th."""
    for item in range(first + part, last, PARTS):
        set_int(target, item, get_int(source, item))


@wp.func
def copy_vecs(source: World, target: World, first: int, last: int, part: int) -> None:
    """Likewise of the vec4s."""
    for item in range(first + part, last, PARTS):
        set_vec(target, item, get_vec(source, item))


@wp.func
def copy_contacts(source: World, target: World, part: int) -> None:
    """Copies a part of the contacts, to the first slots; the others are free."""
    count = get_int(source, CONTACT_COUNT)
    for k in range(part, count, PARTS):
        contact = ordered_contact(source, k)
        for field in range(CONTACT_VECS):
            set_contact_vec(target, k, field, contact_vec(source, contact, field))
        for field in range(CONTACT_INTS):
            set_contact_int(target, k, field, contact_int(source, contact, field))
    for k in range(part, target.max_contacts, PARTS):
        set_int(target, target.order_i + k, k)


@wp.kernel
def move_worlds(
    world_template: World,
    target_template: World,
    lanes: Lanes,
    regroup: Regroup,
    occupied: wp.array(dtype=int),
) -> None:
    """Copies every world to its new lane; neighbouring threads write neighbouring lanes."""
    part, lane = wp.tid()
    from_lane = regroup.sources[lane]
    if part == 0:
        occupied[lane] = wp.where(from_lane >= 0, 1, 0)
        for one in range(lane, WORK_CLASSES, regroup.lanes):
            write_int(regroup.counts, 0, one, 1, 0)
    if from_lane >= 0:
        source = lane_view(world_template, lanes, from_lane)
        target = lane_view(target_template, lanes, lane)
        bodies = get_int(source, BODY_COUNT)
        shapes = get_int(source, SHAPE_COUNT)
        copy_ints(source, target, 0, HEADER_INTS + bodies * BODY_INTS, part)
        copy_ints(source, target, source.dynamics_i, source.dynamics_i + get_int(source, DYNAMIC_COUNT), part)
        copy_ints(source, target, source.shapes_i, source.shapes_i + shapes * SHAPE_INTS, part)
        copy_ints(source, target, source.moved_i, source.moved_i + get_int(source, MOVED_COUNT), part)
        copy_ints(source, target, source.outputs_i, source.outputs_i + source.output_ints, part)
        copy_vecs(source, target, 0, bodies * BODY_VECS, part)
        copy_vecs(source, target, source.shapes_v, source.shapes_v + shapes * SHAPE_VECS, part)
        copy_vecs(source, target, source.gravity_v, source.gravity_v + 1, part)
        copy_contacts(source, target, part)


KERNELS = (weigh_lanes, place_lanes, move_worlds)
