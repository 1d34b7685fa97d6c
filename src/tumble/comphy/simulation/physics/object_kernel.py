"""The kernel that simulates worlds of everyday objects, one thread for each world; steps as in `kernel`.

Objects stay upright and slide, and have outlines and inertias of their own. Only sums, products, quotients and
square roots, without fused operations, so that all machines give the same bits.
"""

import warp as wp

from tumble.comphy.simulation.physics.contacts import ONE, ZERO, Eye, Recording, Worlds, acts, cross, heading_of, turn
from tumble.comphy.simulation.physics.kernel import (
    FRAME_STEPS,
    FRICTION_ROUNDS,
    clipped,
    move,
    normalise_rotations,
    parting_speed,
    push_charges,
    record_frame,
    record_touch,
    separate,
    store_contact,
)
from tumble.comphy.simulation.physics.pieces import Pieces, touch_pieces

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

OBJECT_CONTACTS = 8
"""Points in which two objects touch at most; more are left out."""


@wp.struct
class Objects:
    """The kinds of objects of a batch: [kind] unless another shape is given."""

    kind: wp.array2d(dtype=int)
    """[world, body]."""
    inertia: wp.array(dtype=wp.float64)
    """About the vertical axis, per mass."""
    support: wp.array(dtype=wp.vec2d)
    """They stand on (+-x, +-y)."""
    reach: wp.array(dtype=wp.float64)
    first_pair: wp.array2d(dtype=int)
    """[kind, kind]: where the pairs of pieces that can touch begin in `pairs`."""
    pair_count: wp.array2d(dtype=int)
    """[kind, kind]."""
    pairs: wp.array(dtype=wp.vec2i)


@wp.func
def add_object_contact(
    worlds: Worlds, w: int, i: int, j: int, number: int, normal: wp.vec2d, point: wp.vec2d, gap: wp.float64
) -> None:
    """Adds a contact point."""
    arm_i, arm_j = cross(point - worlds.place[w, i], normal), cross(point - worlds.place[w, j], normal)
    store_contact(worlds, w, i, j, number, normal, wp.vec2d(arm_i, arm_j), gap)


@wp.func
def find_pair_contacts_of_objects(
    worlds: Worlds, objects: Objects, pieces: Pieces, w: int, i: int, j: int, number: int
) -> int:
    """Adds the contact points of a pair to the `number` that there are; their number.

    Only the deepest keeps its gap, since moving the bodies apart there is enough.
    """
    place_i, place_j = worlds.place[w, i], worlds.place[w, j]
    heading_i, heading_j = heading_of(worlds.rotation[w, i]), heading_of(worlds.rotation[w, j])
    kind_i, kind_j = objects.kind[w, i], objects.kind[w, j]
    first, most = int(number), number + OBJECT_CONTACTS
    deepest, depth = int(number), wp.float64(0.0)
    start = objects.first_pair[kind_i, kind_j]
    for k in range(objects.pair_count[kind_i, kind_j]):
        pair = objects.pairs[start + k]
        touch = touch_pieces(pieces, pair[0], place_i, heading_i, pair[1], place_j, heading_j)
        if touch.count > 0 and number < most:
            if touch.gap_0 < depth:
                deepest, depth = number, wp.float64(touch.gap_0)
            add_object_contact(worlds, w, i, j, number, touch.normal, touch.point_0, touch.gap_0)
            number += 1
        if touch.count > 1 and number < most:
            if touch.gap_1 < depth:
                deepest, depth = number, wp.float64(touch.gap_1)
            add_object_contact(worlds, w, i, j, number, touch.normal, touch.point_1, touch.gap_1)
            number += 1
    for contact in range(first, number):
        if contact != deepest:
            worlds.contact_gap[w, contact] = ZERO
    return number


@wp.func
def find_object_contacts(
    worlds: Worlds,
    objects: Objects,
    pieces: Pieces,
    recording: Recording,
    eye: Eye,
    only_in_view: int,
    w: int,
    step: int,
    bodies: int,
) -> int:
    """Finds all contact points, and records collisions; returns their number."""
    count, number = worlds.count[w], int(0)
    for i in range(count):
        for j in range(i + 1, count):
            offset = worlds.place[w, j] - worlds.place[w, i]
            reach = objects.reach[objects.kind[w, i]] + objects.reach[objects.kind[w, j]]
            if wp.dot(offset, offset) < reach * reach and acts(worlds, eye, only_in_view, w, i, j):
                before = int(number)
                number = find_pair_contacts_of_objects(worlds, objects, pieces, w, i, j, number)
                if number > before:
                    record_touch(worlds, recording, w, step, i, j, bodies)
    return number


@wp.func
def push_object(worlds: Worlds, objects: Objects, w: int, k: int, impulse: wp.vec2d, turning: wp.float64) -> None:
    """An impulse, and its moment, on a body."""
    mass = worlds.mass[w, k]
    worlds.velocity[w, k] = worlds.velocity[w, k] + impulse / mass
    spin = worlds.spin[w, k]
    change = turning / (objects.inertia[objects.kind[w, k]] * mass)
    worlds.spin[w, k] = wp.vec3d(spin[0], spin[1], spin[2] + change)


@wp.func
def solve_object_contact(worlds: Worlds, objects: Objects, w: int, contact: int) -> None:
    """Corrects the impulse of one contact so that its bodies part at the target speed, if they must be pushed."""
    bodies, arms = worlds.contact_bodies[w, contact], worlds.contact_arms[w, contact]
    i, j = bodies[0], bodies[1]
    inertia_i, inertia_j = objects.inertia[objects.kind[w, i]], objects.inertia[objects.kind[w, j]]
    response = (ONE + arms[0] * arms[0] / inertia_i) / worlds.mass[w, i] + (
        ONE + arms[1] * arms[1] / inertia_j
    ) / worlds.mass[w, j]
    needed = (worlds.contact_target[w, contact] - parting_speed(worlds, w, contact)) / response
    before = wp.float64(worlds.contact_impulse[w, contact])
    after = wp.max(before + needed, ZERO)
    worlds.contact_impulse[w, contact] = after
    impulse = worlds.contact_normal[w, contact] * (after - before)
    push_object(worlds, objects, w, i, -impulse, -arms[0] * (after - before))
    push_object(worlds, objects, w, j, impulse, arms[1] * (after - before))


@wp.func
def slide_object(worlds: Worlds, objects: Objects, w: int, k: int, limit: wp.float64) -> None:
    """Friction with the table, a quarter at each support point; `limit` is the impulse per mass of a step."""
    before_slide = worlds.velocity[w, k]
    velocity, spin = wp.vec2d(before_slide[0], before_slide[1]), wp.float64(worlds.spin[w, k][2])
    if spin == ZERO:
        worlds.velocity[w, k] = velocity - clipped(velocity, limit)
        return
    kind = objects.kind[w, k]
    inertia, support = objects.inertia[kind], objects.support[kind]
    heading = heading_of(worlds.rotation[w, k])
    share = limit * wp.float64(0.25)
    given = wp.matrix(shape=(4, 2), dtype=wp.float64)
    for _ in range(FRICTION_ROUNDS):
        for point in range(4):
            x, y = support[0], support[1]
            if point == 1 or point == 2:
                x = -x
            if point >= 2:
                y = -y
            arm = turn(heading, wp.vec2d(x, y))
            moves = velocity + wp.vec2d(-spin * arm[1], spin * arm[0])
            effective = ONE / (ONE + (arm[0] * arm[0] + arm[1] * arm[1]) / inertia)
            before = wp.vec2d(given[point, 0], given[point, 1])
            after = clipped(before - moves * effective, share)
            given[point, 0] = after[0]
            given[point, 1] = after[1]
            velocity = velocity + (after - before)
            spin = spin + cross(arm, after - before) / inertia
    worlds.velocity[w, k] = velocity
    worlds.spin[w, k] = wp.vec3d(ZERO, ZERO, spin)


@wp.kernel
def simulate_object_worlds(
    worlds: Worlds,
    objects: Objects,
    pieces: Pieces,
    recording: Recording,
    eye: Eye,
    only_in_view: int,
    kept: wp.array(dtype=wp.float64),
    limits: wp.array(dtype=wp.float64),
    frames: int,
    bodies: int,
    rounds: int,
) -> None:
    """Simulates and records all frames; the arguments are those of `simulate_worlds`, with shapes of the div world."""
    w = wp.tid()
    count = worlds.count[w]
    normalise_rotations(worlds, w)
    for step in range(frames * FRAME_STEPS):
        if step % FRAME_STEPS == 0:
            record_frame(worlds, recording, w, step / FRAME_STEPS)
        push_charges(worlds, eye, only_in_view, w)
        for k in range(count):
            shape = worlds.shape[w, k]
            worlds.velocity[w, k] = worlds.velocity[w, k] * kept[shape]
            worlds.spin[w, k] = worlds.spin[w, k] * kept[shape]
            slide_object(worlds, objects, w, k, limits[shape])
        contacts = find_object_contacts(worlds, objects, pieces, recording, eye, only_in_view, w, step, bodies)
        if contacts > 0:
            for _ in range(rounds):
                for contact in range(contacts):
                    solve_object_contact(worlds, objects, w, contact)
        for k in range(count):
            move(worlds, w, k)
        if contacts > 0:
            separate(worlds, w, contacts)


@wp.kernel
def find_first_touches(
    objects: Objects,
    pieces: Pieces,
    bodies: wp.array(dtype=wp.vec2i),
    paths: wp.array2d(dtype=wp.vec2d),
    headings: wp.array(dtype=wp.vec2d),
    steps: int,
    found: wp.array(dtype=int),
) -> None:
    """The first step in which each pair of bodies [pair] of world 0 touches on their paths [step, body]; else -1."""
    t = wp.tid()
    i, j = bodies[t][0], bodies[t][1]
    kind_i, kind_j = objects.kind[0, i], objects.kind[0, j]
    reach, start = objects.reach[kind_i] + objects.reach[kind_j], objects.first_pair[kind_i, kind_j]
    found[t] = -1
    for step in range(steps):
        a, b = paths[step, i], paths[step, j]
        offset = b - a
        if found[t] < 0 and wp.dot(offset, offset) < reach * reach:
            for k in range(objects.pair_count[kind_i, kind_j]):
                pair = objects.pairs[start + k]
                touch = touch_pieces(pieces, pair[0], a, headings[i], pair[1], b, headings[j])
                if touch.count > 0:
                    found[t] = step
