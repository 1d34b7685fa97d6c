"""Contacts are solved by impulses that keep RESTITUTION of the closing speed; without friction they add no energy."""

import warp as wp

from tumble.comphy.simulation.events import APART_FRAMES
from tumble.comphy.simulation.laws import RESTITUTION
from tumble.comphy.simulation.physics.contacts import CUBE, ONE, ZERO, cross, touch_bodies
from tumble.comphy.simulation.physics.worlds import (
    Eye,
    Recording,
    Worlds,
    acts,
    heading_of,
    inverse_inertia,
)
from tumble.comphy.tasks.constants import STEPS_PER_FRAME

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

ITERATIONS = 16
"""Rounds over all contacts of a step."""
APART_STEPS = wp.constant(APART_FRAMES * STEPS_PER_FRAME)
KEPT_SPEED = wp.constant(wp.float64(RESTITUTION))
SOFT_SPEED = wp.constant(wp.float64(0.02))
"""Bodies that meet more slowly than this stay together."""
ALLOWED_OVERLAP = wp.constant(wp.float64(0.0005))
CORRECTED_SHARE = wp.constant(wp.float64(0.5))
"""Share of the overlap beyond the allowed one that is removed in a step."""


@wp.func
def arm_of(worlds: Worlds, w: int, k: int, point: wp.vec2d, normal: wp.vec2d) -> wp.float64:
    """The lever arm of a push at a point; a disc is pushed through its centre."""
    if worlds.shape[w, k] == CUBE:
        return cross(point - worlds.place[w, k], normal)
    return ZERO


@wp.func
def parting_speed(worlds: Worlds, w: int, contact: int) -> wp.float64:
    """The speed at which two bodies part at a contact; negative if they close in."""
    bodies, arms = worlds.contact_bodies[w, contact], worlds.contact_arms[w, contact]
    i, j = bodies[0], bodies[1]
    difference = worlds.velocity[w, j] - worlds.velocity[w, i]
    turning = worlds.spin[w, j][2] * arms[1] - worlds.spin[w, i][2] * arms[0]
    return wp.dot(difference, worlds.contact_normal[w, contact]) + turning


@wp.func
def store_contact(
    worlds: Worlds, w: int, i: int, j: int, number: int, normal: wp.vec2d, arms: wp.vec2d, gap: wp.float64
) -> None:
    """Stores a contact point with the lever arms of its bodies, and the speed at which they should part."""
    worlds.contact_bodies[w, number] = wp.vec2i(i, j)
    worlds.contact_normal[w, number] = normal
    worlds.contact_arms[w, number] = arms
    worlds.contact_gap[w, number] = gap
    worlds.contact_impulse[w, number] = ZERO
    parting = parting_speed(worlds, w, number)
    target = ZERO
    if parting < -SOFT_SPEED:
        target = -KEPT_SPEED * parting
    worlds.contact_target[w, number] = target


@wp.func
def add_contact(
    worlds: Worlds, w: int, i: int, j: int, number: int, normal: wp.vec2d, point: wp.vec2d, gap: wp.float64
) -> int:
    """Adds a contact point; returns the number of contacts."""
    arm_i, arm_j = arm_of(worlds, w, i, point, normal), arm_of(worlds, w, j, point, normal)
    store_contact(worlds, w, i, j, number, normal, wp.vec2d(arm_i, arm_j), gap)
    return number + 1


@wp.func
def record_touch(worlds: Worlds, recording: Recording, w: int, step: int, i: int, j: int, bodies: int) -> None:
    """Records a collision if the pair has been apart for APART_STEPS before this contact."""
    pair = i * bodies + j
    if step - worlds.last_touch[w, pair] > APART_STEPS:
        number = recording.collision_count[w]
        recording.collisions[w, number] = wp.vec3i(step, i, j)
        recording.collision_count[w] = number + 1
    worlds.last_touch[w, pair] = step


@wp.func
def find_pair_contacts(
    worlds: Worlds,
    recording: Recording,
    eye: Eye,
    only_in_view: int,
    w: int,
    step: int,
    i: int,
    j: int,
    number: int,
    bodies: int,
) -> int:
    """Adds the contact points of a pair to the `number` that there are, and records its collision; their number."""
    offset = worlds.place[w, j] - worlds.place[w, i]
    # Beyond twice the half diagonal of a cube no two bodies touch.
    if wp.dot(offset, offset) < wp.float64(0.33) and acts(worlds, eye, only_in_view, w, i, j):
        heading_i, heading_j = heading_of(worlds.rotation[w, i]), heading_of(worlds.rotation[w, j])
        touch = touch_bodies(
            worlds.shape[w, i],
            worlds.place[w, i],
            heading_i,
            worlds.shape[w, j],
            worlds.place[w, j],
            heading_j,
        )
        if touch.count > 0:
            number = add_contact(worlds, w, i, j, number, touch.normal, touch.point_0, touch.gap_0)
            if touch.count > 1:
                number = add_contact(worlds, w, i, j, number, touch.normal, touch.point_1, touch.gap_1)
            record_touch(worlds, recording, w, step, i, j, bodies)
    return number


@wp.func
def find_contacts(
    worlds: Worlds, recording: Recording, eye: Eye, only_in_view: int, w: int, step: int, bodies: int
) -> int:
    """Finds all contact points, and records collisions; returns their number."""
    count, number = worlds.count[w], int(0)
    for i in range(count):
        for j in range(i + 1, count):
            number = find_pair_contacts(worlds, recording, eye, only_in_view, w, step, i, j, number, bodies)
    return number


@wp.func
def push_apart(worlds: Worlds, w: int, k: int, impulse: wp.vec2d, turning: wp.float64) -> None:
    """An impulse, and its moment, on a body."""
    mass = worlds.mass[w, k]
    worlds.velocity[w, k] = worlds.velocity[w, k] + impulse / mass
    spin = worlds.spin[w, k]
    worlds.spin[w, k] = wp.vec3d(spin[0], spin[1], spin[2] + turning * inverse_inertia(worlds.shape[w, k], mass))


@wp.func
def solve_contact(worlds: Worlds, w: int, contact: int) -> None:
    """Corrects the impulse of one contact so that its bodies part at the target speed, if they must be pushed."""
    bodies, arms = worlds.contact_bodies[w, contact], worlds.contact_arms[w, contact]
    i, j = bodies[0], bodies[1]
    inertia_i = inverse_inertia(worlds.shape[w, i], worlds.mass[w, i])
    inertia_j = inverse_inertia(worlds.shape[w, j], worlds.mass[w, j])
    response = (
        ONE / worlds.mass[w, i]
        + ONE / worlds.mass[w, j]
        + arms[0] * arms[0] * inertia_i
        + arms[1] * arms[1] * inertia_j
    )
    needed = (worlds.contact_target[w, contact] - parting_speed(worlds, w, contact)) / response
    before = wp.float64(worlds.contact_impulse[w, contact])
    after = wp.max(before + needed, ZERO)
    worlds.contact_impulse[w, contact] = after
    impulse = worlds.contact_normal[w, contact] * (after - before)
    push_apart(worlds, w, i, -impulse, -arms[0] * (after - before))
    push_apart(worlds, w, j, impulse, arms[1] * (after - before))


@wp.func
def solve_contacts(worlds: Worlds, w: int, contacts: int, rounds: int) -> None:
    """Impulses after which no pair closes in, and pairs that met part at their target speed."""
    for _ in range(rounds):
        for contact in range(contacts):
            solve_contact(worlds, w, contact)


@wp.func
def separate(worlds: Worlds, w: int, contacts: int) -> None:
    """Moves overlapping bodies apart, without changing their velocities."""
    for contact in range(contacts):
        overlap = -worlds.contact_gap[w, contact] - ALLOWED_OVERLAP
        bodies = worlds.contact_bodies[w, contact]
        if overlap > ZERO:
            i, j = bodies[0], bodies[1]
            mass_i, mass_j = worlds.mass[w, i], worlds.mass[w, j]
            shift = worlds.contact_normal[w, contact] * (CORRECTED_SHARE * overlap / (mass_i + mass_j))
            worlds.place[w, i] = worlds.place[w, i] - shift * mass_j
            worlds.place[w, j] = worlds.place[w, j] + shift * mass_i
