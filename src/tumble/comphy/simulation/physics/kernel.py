"""The kernel that simulates worlds of bodies on the table, one thread for each world.

Bodies stay upright, so motion is planar; spheres also roll. In each step charges, damping and friction with the table
act, then contacts are solved, then bodies move. Only sums, products, quotients and square roots, without fused
operations, so that all machines give the same bits.
"""

import warp as wp

from tumble.comphy.simulation.laws import CHARGE_CONSTANT
from tumble.comphy.simulation.physics.contacts import ZERO
from tumble.comphy.simulation.physics.impulses import find_contacts, separate, solve_contacts
from tumble.comphy.simulation.physics.table import roll, slide
from tumble.comphy.simulation.physics.worlds import SPHERE, STEP, Eye, Recording, Worlds, acts
from tumble.comphy.tasks.constants import RADIUS, STEPS_PER_FRAME

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FRAME_STEPS = wp.constant(STEPS_PER_FRAME)
CHARGE = wp.constant(wp.float64(CHARGE_CONSTANT))
MIN_CHARGE_DISTANCE = wp.constant(wp.float64(2.0 * RADIUS))
"""Smaller distances count as this one in the force between charges."""


@wp.func
def push_charges(worlds: Worlds, eye: Eye, only_in_view: int, w: int) -> None:
    """Coulomb forces between all charged pairs."""
    if worlds.is_charged[w] == 0:
        return
    count = worlds.count[w]
    for i in range(count):
        for j in range(i + 1, count):
            product = worlds.charge[w, i] * worlds.charge[w, j]
            if product != ZERO and acts(worlds, eye, only_in_view, w, i, j):
                offset = worlds.place[w, j] - worlds.place[w, i]
                distance = wp.max(wp.sqrt(wp.dot(offset, offset)), MIN_CHARGE_DISTANCE)
                impulse = offset * (CHARGE * product * STEP / (distance * distance * distance))
                worlds.velocity[w, i] = worlds.velocity[w, i] - impulse / worlds.mass[w, i]
                worlds.velocity[w, j] = worlds.velocity[w, j] + impulse / worlds.mass[w, j]


@wp.func
def move(worlds: Worlds, w: int, k: int) -> None:
    """Moves and turns a body by one step."""
    worlds.place[w, k] = worlds.place[w, k] + worlds.velocity[w, k] * STEP
    half = worlds.spin[w, k] * (STEP * wp.float64(0.5))
    if half[0] == ZERO and half[1] == ZERO and half[2] == ZERO:
        return
    q = worlds.rotation[w, k]
    turned = wp.vec4d(
        q[0] - half[0] * q[1] - half[1] * q[2] - half[2] * q[3],
        q[1] + half[0] * q[0] + half[1] * q[3] - half[2] * q[2],
        q[2] + half[1] * q[0] + half[2] * q[1] - half[0] * q[3],
        q[3] + half[2] * q[0] + half[0] * q[2] - half[1] * q[1],
    )
    worlds.rotation[w, k] = turned / wp.sqrt(wp.dot(turned, turned))


@wp.func
def normalise_rotations(worlds: Worlds, w: int) -> None:
    """Makes the rotations of all bodies unit quaternions."""
    for k in range(worlds.count[w]):
        q = worlds.rotation[w, k]
        worlds.rotation[w, k] = q / wp.sqrt(wp.dot(q, q))


@wp.func
def record_frame(worlds: Worlds, recording: Recording, w: int, frame: int) -> None:
    """Records the states of all bodies as those of a frame."""
    for k in range(worlds.count[w]):
        recording.place[w, frame, k] = worlds.place[w, k]
        recording.rotation[w, frame, k] = worlds.rotation[w, k]
        recording.velocity[w, frame, k] = worlds.velocity[w, k]
        recording.spin[w, frame, k] = worlds.spin[w, k]


@wp.kernel
def simulate_worlds(
    worlds: Worlds,
    recording: Recording,
    eye: Eye,
    only_in_view: int,
    kept: wp.array(dtype=wp.float64),
    limits: wp.array(dtype=wp.float64),
    frames: int,
    bodies: int,
    rounds: int,
) -> None:
    """Simulates and records all frames.

    `kept` [shape] is the share of its velocity that a body keeps in a step, `limits` [shape] the impulse per mass of
    friction in a step, `rounds` the number of rounds over all contacts of a step.
    """
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
            if shape == SPHERE:
                roll(worlds, w, k, limits[shape])
            else:
                slide(worlds, w, k, shape, limits[shape])
        contacts = find_contacts(worlds, recording, eye, only_in_view, w, step, bodies)
        if contacts > 0:
            solve_contacts(worlds, w, contacts, rounds)
        for k in range(count):
            move(worlds, w, k)
        if contacts > 0:
            separate(worlds, w, contacts)
