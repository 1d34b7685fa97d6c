"""The kernel that simulates worlds of bodies on the table, one thread for each world.

Bodies stay upright, so motion is planar; spheres also roll. In each step charges, damping and friction with the
table act, then contacts are solved, then bodies move. Cubes and cylinders slide on four points, spheres skid until
they roll. Contacts are solved by impulses that keep RESTITUTION of the closing speed; without friction they add no
energy. Only sums, products, quotients and square roots, without fused operations, so that all machines give the
same bits.
"""

import math

import warp as wp

from tumble.comphy.catalogue.world import CUBE_HALF_SIZE, RADIUS, STEPS_PER_FRAME
from tumble.comphy.simulation.events import APART_FRAMES
from tumble.comphy.simulation.laws import CHARGE_CONSTANT, RESTITUTION
from tumble.comphy.simulation.physics.contacts import (
    BALL_RADIUS,
    CUBE,
    CUBE_INERTIA,
    ONE,
    ROUND_INERTIA,
    SPHERE,
    STEP,
    ZERO,
    Eye,
    Recording,
    Worlds,
    acts,
    cross,
    heading_of,
    inverse_inertia,
    touch_bodies,
    turn,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FRICTION_ROUNDS = 3
"""Rounds over the support points of a body."""
SLIP_SHARE = wp.constant(wp.float64(2.0 / 7.0))
"""Impulse per mass that ends a unit of a sphere's slip: 1 / (1 + m r^2 / I), with I = 2/5 m r^2."""
SPIN_PER_IMPULSE = wp.constant(wp.float64(2.5 / RADIUS))
"""Angular velocity of a sphere by a unit of impulse per mass at its surface: r m / I."""
SUPPORT = wp.constant(wp.float64(CUBE_HALF_SIZE))
"""Cubes stand on their corners (SUPPORT, SUPPORT), …, cylinders on four points of their rim."""
RIM = wp.constant(wp.float64(RADIUS / math.sqrt(2.0)))


@wp.func
def clipped(v: wp.vec2d, limit: wp.float64) -> wp.vec2d:
    """The vector, at most as long as the limit."""
    length = wp.sqrt(v[0] * v[0] + v[1] * v[1])
    if length <= limit:
        return v
    return v * (limit / length)


@wp.func
def support_of(shape: int, heading: wp.vec2d, k: int) -> wp.vec2d:
    """One of the four points on which a cube or cylinder stands, from its centre."""
    reach = SUPPORT
    if shape != CUBE:
        reach = RIM
    x, y = reach, reach
    if k == 1 or k == 2:
        x = -reach
    if k >= 2:
        y = -reach
    return turn(heading, wp.vec2d(x, y))


@wp.func
def slide(worlds: Worlds, w: int, k: int, shape: int, limit: wp.float64) -> None:
    """Friction of a cube or cylinder, a quarter at each support point; `limit` is the impulse per mass of a step."""
    before_slide = worlds.velocity[w, k]
    velocity, spin = wp.vec2d(before_slide[0], before_slide[1]), wp.float64(worlds.spin[w, k][2])
    if spin == ZERO:
        worlds.velocity[w, k] = velocity - clipped(velocity, limit)
        return
    inertia = CUBE_INERTIA
    if shape != CUBE:
        inertia = ROUND_INERTIA
    heading = heading_of(worlds.rotation[w, k])
    share = limit * wp.float64(0.25)
    given = wp.matrix(shape=(4, 2), dtype=wp.float64)
    for _ in range(FRICTION_ROUNDS):
        for point in range(4):
            arm = support_of(shape, heading, point)
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


@wp.func
def roll(worlds: Worlds, w: int, k: int, limit: wp.float64) -> None:
    """Friction of a sphere, which ends its skidding."""
    velocity, spin = worlds.velocity[w, k], worlds.spin[w, k]
    slip = wp.vec2d(velocity[0] - BALL_RADIUS * spin[1], velocity[1] + BALL_RADIUS * spin[0])
    change = clipped(-slip * SLIP_SHARE, limit)
    worlds.velocity[w, k] = velocity + change
    worlds.spin[w, k] = wp.vec3d(
        spin[0] + SPIN_PER_IMPULSE * change[1], spin[1] - SPIN_PER_IMPULSE * change[0], spin[2]
    )


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
