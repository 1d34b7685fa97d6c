"""The kernel that fits of everyday objects are made with: the laws of `object_kernel`, with steps merged as for fits of
plain bodies (`merged_steps`).

In each frame objects that might touch another one move step by step. All others move by several steps at once. Objects
that rest beside each other don't count as near until another one might hit them.
"""

import warp as wp

from tumble.comphy.simulation.physics.contacts import ONE, STEP, ZERO, Recording, Worlds, heading_of
from tumble.comphy.simulation.physics.kernel import FRAME_STEPS, record_frame, record_touch, separate
from tumble.comphy.simulation.physics.merged_steps import (
    ALL,
    FRAME_SECONDS,
    FRICTION_STEP,
    HIT_SPEED,
    MOST_BODIES,
    SINGLE,
    SOME,
    SOME_ROUNDS,
    SOME_STEPS,
    MergedLaws,
    bit,
    charged_bodies,
    push_charges_by,
    spinning,
    turn_by,
)
from tumble.comphy.simulation.physics.object_kernel import (
    Objects,
    find_pair_contacts_of_objects,
    slide_object,
    solve_object_contact,
)
from tumble.comphy.simulation.physics.pieces import Pieces, piece_gap

wp.set_module_options({"enable_backward": False, "fuse_fp": True})

CLEAR = wp.constant(wp.float64(0.02))
"""Objects whose circles are farther apart than this are not compared piece by piece."""
FAR = wp.constant(wp.float64(10.0))


@wp.func
def slow_object_down(worlds: Worlds, objects: Objects, laws: MergedLaws, w: int, k: int, merged: int) -> None:
    """Damping and friction."""
    shape = worlds.shape[w, k]
    worlds.velocity[w, k] = worlds.velocity[w, k] * laws.kept[merged, shape]
    worlds.spin[w, k] = worlds.spin[w, k] * laws.kept[merged, shape]
    slide_object(worlds, objects, w, k, laws.limit[merged, shape])


@wp.func
def glide_object(
    worlds: Worlds, objects: Objects, laws: MergedLaws, w: int, k: int, merged: int, before: wp.vec2d
) -> None:
    """Moves an object by some steps; `before` is its velocity before charges pushed it."""
    shape = worlds.shape[w, k]
    spin = wp.float64(worlds.spin[w, k][2])
    kept, drift, gain = laws.kept[merged, shape], laws.drift[merged, shape], laws.gain[merged, shape]
    slow_object_down(worlds, objects, laws, w, k, merged)
    change = worlds.velocity[w, k] - before * kept
    worlds.place[w, k] = worlds.place[w, k] + before * drift + change * gain
    if spin != ZERO:
        turn_by(worlds, w, k, spin * drift + (worlds.spin[w, k][2] - spin * kept) * gain)


@wp.func
def moving_objects(worlds: Worlds, w: int) -> int:
    """Bits of the objects that move or turn."""
    moving = int(0)
    for k in range(worlds.count[w]):
        velocity = worlds.velocity[w, k]
        if velocity[0] != ZERO or velocity[1] != ZERO or worlds.spin[w, k][2] != ZERO:
            moving = moving | bit(k)
    return moving


@wp.func
def object_reach(worlds: Worlds, objects: Objects, w: int, k: int, hit: int, hit_speed: wp.float64) -> wp.float64:
    """How far from its centre an object gets in a frame; `hit` are the bits of those that might be hit in it."""
    speed = wp.sqrt(wp.dot(worlds.velocity[w, k], worlds.velocity[w, k]))
    if hit & bit(k):
        speed = wp.max(speed, hit_speed)
    return objects.reach[objects.kind[w, k]] + speed * FRAME_SECONDS


@wp.func
def closing_speed(worlds: Worlds, objects: Objects, w: int, i: int, j: int) -> wp.float64:
    """The most by which two objects near each other in a second."""
    difference = worlds.velocity[w, j] - worlds.velocity[w, i]
    turning_i = wp.abs(worlds.spin[w, i][2]) * objects.reach[objects.kind[w, i]]
    turning_j = wp.abs(worlds.spin[w, j][2]) * objects.reach[objects.kind[w, j]]
    return wp.sqrt(wp.dot(difference, difference)) + turning_i + turning_j


@wp.func
def gap_between(worlds: Worlds, objects: Objects, pieces: Pieces, w: int, i: int, j: int) -> wp.float64:
    """The distance of two objects, or less; 0 if they might touch."""
    place_i, place_j = worlds.place[w, i], worlds.place[w, j]
    kind_i, kind_j = objects.kind[w, i], objects.kind[w, j]
    offset = place_j - place_i
    apart = wp.sqrt(wp.dot(offset, offset)) - objects.reach[kind_i] - objects.reach[kind_j]
    if apart > CLEAR:
        return apart
    heading_i, heading_j = heading_of(worlds.rotation[w, i]), heading_of(worlds.rotation[w, j])
    start, gap = objects.first_pair[kind_i, kind_j], wp.float64(FAR)
    for k in range(objects.pair_count[kind_i, kind_j]):
        pair = objects.pairs[start + k]
        gap = wp.min(gap, piece_gap(pieces, pair[0], place_i, heading_i, pair[1], place_j, heading_j, gap))
        if gap <= ZERO:
            return ZERO
    return gap


@wp.func
def objects_in_reach(
    worlds: Worlds, objects: Objects, pieces: Pieces, gaps: wp.array2d(dtype=wp.float64), w: int, bodies: int,
    moving: int, hit: int, hit_speed: wp.float64,
) -> int:  # fmt: skip
    """Bits of the objects that get so near another one in a frame that they might touch, if one of them is moving."""
    count, near = worlds.count[w], int(hit)
    for i in range(count):
        reach_i = object_reach(worlds, objects, w, i, hit, hit_speed)
        for j in range(i + 1, count):
            if moving & (bit(i) | bit(j)):
                offset = worlds.place[w, j] - worlds.place[w, i]
                reach = reach_i + object_reach(worlds, objects, w, j, hit, hit_speed)
                if wp.dot(offset, offset) < reach * reach:
                    if (hit & (bit(i) | bit(j))) != 0:
                        near = near | bit(i) | bit(j)
                    else:
                        pair, closing = i * bodies + j, closing_speed(worlds, objects, w, i, j) * FRAME_SECONDS
                        if gaps[w, pair] <= closing:
                            gaps[w, pair] = gap_between(worlds, objects, pieces, w, i, j)
                        if gaps[w, pair] <= closing:
                            near = near | bit(i) | bit(j)
    return near


@wp.func
def near_objects(
    worlds: Worlds, objects: Objects, pieces: Pieces, gaps: wp.array2d(dtype=wp.float64), w: int, bodies: int,
    charged: int,
) -> int:  # fmt: skip
    """Bits of the objects that might touch another one in the coming frame, also after some were hit."""
    moving = moving_objects(worlds, w) | charged
    near = objects_in_reach(worlds, objects, pieces, gaps, w, bodies, moving, 0, ZERO)
    if near == 0:
        return near
    fastest = ZERO
    for k in range(worlds.count[w]):
        if near & bit(k):
            fastest = wp.max(fastest, wp.dot(worlds.velocity[w, k], worlds.velocity[w, k]))
    hit_speed = HIT_SPEED * wp.sqrt(fastest)
    for _ in range(2, worlds.count[w]):  # objects that are hit may hit the next one
        near = objects_in_reach(worlds, objects, pieces, gaps, w, bodies, moving | near, near, hit_speed)
    return near


@wp.func
def find_near_contacts(
    worlds: Worlds, objects: Objects, pieces: Pieces, recording: Recording, gaps: wp.array2d(dtype=wp.float64),
    w: int, step: int, bodies: int, near: int,
) -> int:  # fmt: skip
    """Finds the contact points of objects that are near others, and records collisions; returns their number.

    `gaps` [world, pair] are distances, or less, by which pairs are still apart: while they are positive nothing else is
    computed.
    """
    count, number = worlds.count[w], int(0)
    for i in range(count):
        for j in range(i + 1, count):
            if (near & bit(i)) != 0 and (near & bit(j)) != 0:
                pair = i * bodies + j
                if gaps[w, pair] <= ZERO and worlds.last_touch[w, pair] + 1 < step:
                    gaps[w, pair] = gap_between(worlds, objects, pieces, w, i, j)
                if gaps[w, pair] <= ZERO:
                    before = int(number)
                    number = find_pair_contacts_of_objects(worlds, objects, pieces, w, i, j, number)
                    if number > before:
                        record_touch(worlds, recording, w, step, i, j, bodies)
    return number


@wp.func
def close_gaps(
    worlds: Worlds, objects: Objects, gaps: wp.array2d(dtype=wp.float64), w: int, bodies: int, chosen: int,
    seconds: wp.float64,
) -> None:  # fmt: skip
    """Subtracts from the gaps between chosen objects what they may close in some time."""
    for i in range(worlds.count[w]):
        for j in range(i + 1, worlds.count[w]):
            pair = i * bodies + j
            if (chosen & bit(i)) != 0 and (chosen & bit(j)) != 0 and gaps[w, pair] > ZERO:
                gaps[w, pair] = gaps[w, pair] - closing_speed(worlds, objects, w, i, j) * seconds


@wp.func
def forget_gaps(worlds: Worlds, gaps: wp.array2d(dtype=wp.float64), w: int, bodies: int, moved: int, kept: int) -> None:
    """Of pairs of which one is `moved`; not of those of which both are in `kept`."""
    for i in range(worlds.count[w]):
        for j in range(i + 1, worlds.count[w]):
            if (moved & (bit(i) | bit(j))) != 0 and ((kept & bit(i)) == 0 or (kept & bit(j)) == 0):
                gaps[w, i * bodies + j] = ZERO


@wp.func
def touching_objects(worlds: Worlds, w: int, contacts: int) -> int:
    """Bits of the objects that touch another one in the present step."""
    found = int(0)
    for contact in range(contacts):
        pair = worlds.contact_bodies[w, contact]
        found = found | bit(pair[0]) | bit(pair[1])
    return found


@wp.func
def step_near_objects(
    worlds: Worlds, objects: Objects, pieces: Pieces, recording: Recording, laws: MergedLaws,
    gaps: wp.array2d(dtype=wp.float64), w: int, step: int, bodies: int, near: int, merged: int, rounds: int,
    charged: int,
) -> int:  # fmt: skip
    """One step of the objects that are near others; the friction of those in `merged` acts only in some of the steps.

    Returns the number of contacts.
    """
    count = worlds.count[w]
    if charged != 0:
        push_charges_by(worlds, w, ONE)
    for k in range(count):
        if near & bit(k):
            if (merged & bit(k)) == 0:
                slow_object_down(worlds, objects, laws, w, k, SINGLE)
            elif step % SOME_STEPS == FRICTION_STEP:
                slow_object_down(worlds, objects, laws, w, k, SOME)
    contacts = find_near_contacts(worlds, objects, pieces, recording, gaps, w, step, bodies, near)
    turns = int(rounds)
    if contacts == 1:
        turns = int(1)
    if contacts > 0:
        for _ in range(turns):
            for contact in range(contacts):
                solve_object_contact(worlds, objects, w, contact)
    close_gaps(worlds, objects, gaps, w, bodies, near, STEP)
    for k in range(count):
        if near & bit(k):
            worlds.place[w, k] = worlds.place[w, k] + worlds.velocity[w, k] * STEP
            if worlds.spin[w, k][2] != ZERO:
                turn_by(worlds, w, k, worlds.spin[w, k][2] * STEP)
    if contacts > 0:
        separate(worlds, w, contacts)
        forget_gaps(worlds, gaps, w, bodies, touching_objects(worlds, w, contacts), 0)
    return contacts


@wp.func
def move_far_objects(worlds: Worlds, objects: Objects, laws: MergedLaws, w: int, near: int, charged: int) -> None:
    """A frame of all objects that are not near others; `charged` are the bits of charged ones."""
    count = worlds.count[w]
    for k in range(count):
        if ((near | charged) & bit(k)) == 0:
            if worlds.spin[w, k][2] == ZERO:
                glide_object(worlds, objects, laws, w, k, ALL, worlds.velocity[w, k])
            else:
                for _ in range(SOME_ROUNDS):
                    glide_object(worlds, objects, laws, w, k, SOME, worlds.velocity[w, k])
    if (charged & near) == 0 and charged != 0:
        for _ in range(SOME_ROUNDS):
            before = wp.matrix(shape=(MOST_BODIES, 2), dtype=wp.float64)
            for k in range(count):
                before[k, 0] = worlds.velocity[w, k][0]
                before[k, 1] = worlds.velocity[w, k][1]
            push_charges_by(worlds, w, wp.float64(SOME_STEPS))
            for k in range(count):
                if charged & bit(k):
                    glide_object(worlds, objects, laws, w, k, SOME, wp.vec2d(before[k, 0], before[k, 1]))


@wp.kernel
def fit_object_worlds(
    worlds: Worlds,
    objects: Objects,
    pieces: Pieces,
    recording: Recording,
    laws: MergedLaws,
    gaps: wp.array2d(dtype=wp.float64),
    frames: wp.array(dtype=int),
    bodies: int,
    rounds: int,
) -> None:
    """Simulates and records `frames` [world] frames."""
    w = wp.tid()
    charged = charged_bodies(worlds, w)
    for pair in range(bodies * bodies):
        gaps[w, pair] = ZERO
    contacts = int(0)
    for frame in range(frames[w]):
        record_frame(worlds, recording, w, frame)
        if frame + 1 < frames[w]:
            near = near_objects(worlds, objects, pieces, gaps, w, bodies, charged)
            if near & charged:
                near = near | charged
            # What is near moves in single steps, with gaps of its own; speeds of all others don't grow, unless charged.
            close_gaps(worlds, objects, gaps, w, bodies, ~near, FRAME_SECONDS)
            forget_gaps(worlds, gaps, w, bodies, near | charged, near)
            move_far_objects(worlds, objects, laws, w, near, charged)
            if near != 0:
                for part in range(SOME_ROUNDS):
                    merged = int(0)
                    if contacts == 0:
                        merged = spinning(worlds, w)
                    contacts = int(0)
                    for step in range(SOME_STEPS):
                        now = frame * FRAME_STEPS + part * SOME_STEPS + step
                        contacts += step_near_objects(
                            worlds, objects, pieces, recording, laws, gaps, w, now, bodies, near, merged,
                            rounds, near & charged,
                        )  # fmt: skip
            else:
                contacts = int(0)
