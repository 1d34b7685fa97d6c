"""The kernel that simulates worlds of everyday objects, one thread for each world; steps as in `kernel`.

Objects stay upright and slide. Only sums, products, quotients and square roots, without fused operations, so that all
machines give the same bits.
"""

import warp as wp

from tumble.comphy.simulation.physics.impulses import separate
from tumble.comphy.simulation.physics.kernel import FRAME_STEPS, move, normalise_rotations, push_charges, record_frame
from tumble.comphy.simulation.physics.objects import (
    Objects,
    find_object_contacts,
    slide_object,
    solve_object_contact,
)
from tumble.comphy.simulation.physics.pieces import Pieces, touch_pieces
from tumble.comphy.simulation.physics.worlds import Eye, Recording, Worlds

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
