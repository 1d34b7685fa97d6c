"""The kernel that fits are made with: the laws of `kernel`, with steps merged while nothing is near.

In each frame bodies that might touch another one move step by step, as in `kernel`. All others move by several steps at
once: exactly, while they slide straight, roll or skid; to about 1e-4 units a second, while they spin or are charged. It
is several times faster than `kernel`, and not meant to give the same bits.
"""

import warp as wp

from tumble.comphy.catalogue.world import FRAMES_PER_SECOND, STEPS_PER_FRAME
from tumble.comphy.simulation.physics.contacts import BALL_RADIUS, CUBE, ONE, SPHERE, STEP, ZERO, Eye, Recording, Worlds
from tumble.comphy.simulation.physics.kernel import (
    CHARGE,
    FRAME_STEPS,
    MIN_CHARGE_DISTANCE,
    find_pair_contacts,
    record_frame,
    roll,
    separate,
    slide,
    solve_contacts,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": True})

MOST_BODIES = 8
"""In a world."""
MERGED = (1, 5, STEPS_PER_FRAME)
"""Steps that are merged: of bodies near others; of those that spin, skid or are charged; else."""
SINGLE, SOME, ALL = wp.constant(0), wp.constant(1), wp.constant(2)
SOME_ROUNDS = wp.constant(STEPS_PER_FRAME // MERGED[1])
SOME_STEPS = wp.constant(MERGED[1])
FRICTION_STEP = wp.constant(MERGED[1] // 2)
"""The friction of bodies that spin near others acts for some steps at once, in the middle one, unless they touch."""
DISC_REACH, CUBE_REACH = wp.constant(wp.float64(0.201)), wp.constant(wp.float64(0.2841))
"""Of a disc, and of a cube to its corners: bodies farther apart than the sum don't touch."""
FRAME_SECONDS = wp.constant(wp.float64(1.05 / FRAMES_PER_SECOND))
HIT_SPEED = wp.constant(wp.float64(1.7))
"""A body that is hit becomes faster than what hits it by at most this."""
TINY = wp.constant(wp.float64(1.0e-9))


@wp.struct
class MergedLaws:
    """What some steps do to a body: [merged, shape]."""

    kept: wp.array2d(dtype=wp.float64)
    """Share of its velocity that is kept."""
    limit: wp.array2d(dtype=wp.float64)
    """Friction's impulse per mass."""
    drift: wp.array2d(dtype=wp.float64)
    """Distance per velocity before the steps."""
    gain: wp.array2d(dtype=wp.float64)
    """Distance per change of velocity in the steps."""


@wp.func
def bit(k: int) -> int:
    return wp.lshift(1, k)


@wp.func
def push_charges_by(worlds: Worlds, w: int, steps: wp.float64) -> None:
    """Coulomb forces between all charged pairs, for some steps."""
    count = worlds.count[w]
    for i in range(count):
        for j in range(i + 1, count):
            product = worlds.charge[w, i] * worlds.charge[w, j]
            if product != ZERO:
                offset = worlds.place[w, j] - worlds.place[w, i]
                distance = wp.max(wp.sqrt(wp.dot(offset, offset)), MIN_CHARGE_DISTANCE)
                impulse = offset * (CHARGE * product * STEP * steps / (distance * distance * distance))
                worlds.velocity[w, i] = worlds.velocity[w, i] - impulse / worlds.mass[w, i]
                worlds.velocity[w, j] = worlds.velocity[w, j] + impulse / worlds.mass[w, j]


@wp.func
def slow_down(worlds: Worlds, laws: MergedLaws, w: int, k: int, merged: int) -> None:
    """Damping and friction."""
    shape = worlds.shape[w, k]
    worlds.velocity[w, k] = worlds.velocity[w, k] * laws.kept[merged, shape]
    worlds.spin[w, k] = worlds.spin[w, k] * laws.kept[merged, shape]
    if shape == SPHERE:
        roll(worlds, w, k, laws.limit[merged, shape])
    else:
        slide(worlds, w, k, shape, laws.limit[merged, shape])


@wp.func
def turn_by(worlds: Worlds, w: int, k: int, angle: wp.float64) -> None:
    """Turns a body about the vertical axis."""
    half = angle * wp.float64(0.5)
    c, s = wp.cos(half), wp.sin(half)
    q = worlds.rotation[w, k]
    worlds.rotation[w, k] = wp.vec4d(q[0] * c - q[3] * s, ZERO, ZERO, q[3] * c + q[0] * s)


@wp.func
def glide(worlds: Worlds, laws: MergedLaws, w: int, k: int, merged: int, before: wp.vec2d) -> None:
    """Moves a body by some steps; `before` is its velocity before charges pushed it."""
    shape = worlds.shape[w, k]
    spin = wp.float64(worlds.spin[w, k][2])
    kept, drift, gain = laws.kept[merged, shape], laws.drift[merged, shape], laws.gain[merged, shape]
    slow_down(worlds, laws, w, k, merged)
    change = worlds.velocity[w, k] - before * kept
    worlds.place[w, k] = worlds.place[w, k] + before * drift + change * gain
    if spin != ZERO:
        turn_by(worlds, w, k, spin * drift + (worlds.spin[w, k][2] - spin * kept) * gain)


@wp.func
def is_simple(worlds: Worlds, laws: MergedLaws, w: int, k: int) -> bool:
    """Whether a whole frame can be merged: the body does not spin, and does not stop skidding in this frame."""
    velocity, spin = worlds.velocity[w, k], worlds.spin[w, k]
    if worlds.shape[w, k] != SPHERE:
        return spin[2] == ZERO
    slip = wp.vec2d(velocity[0] - BALL_RADIUS * spin[1], velocity[1] + BALL_RADIUS * spin[0])
    square = wp.dot(slip, slip)
    ends = wp.float64(4.0) * laws.limit[ALL, SPHERE]
    return square < TINY or square > ends * ends


@wp.func
def reach_of(worlds: Worlds, w: int, k: int, hit: int, hit_speed: wp.float64) -> wp.float64:
    """How far from its centre a body gets in a frame; `hit` are the bits of bodies that might be hit in it."""
    speed = wp.sqrt(wp.dot(worlds.velocity[w, k], worlds.velocity[w, k]))
    if hit & bit(k):
        speed = wp.max(speed, hit_speed)
    reach = DISC_REACH
    if worlds.shape[w, k] == CUBE:
        reach = CUBE_REACH
    return reach + speed * FRAME_SECONDS


@wp.func
def bodies_in_reach(worlds: Worlds, w: int, hit: int, hit_speed: wp.float64) -> int:
    """Bits of the bodies that get so near another one in a frame that they might touch."""
    count, near = worlds.count[w], int(0)
    for i in range(count):
        reach_i = reach_of(worlds, w, i, hit, hit_speed)
        for j in range(i + 1, count):
            offset = worlds.place[w, j] - worlds.place[w, i]
            reach = reach_i + reach_of(worlds, w, j, hit, hit_speed)
            if wp.dot(offset, offset) < reach * reach:
                near = near | bit(i) | bit(j)
    return near


@wp.func
def near_bodies(worlds: Worlds, w: int) -> int:
    """Bits of the bodies that might touch another one in the coming frame, also after one was hit."""
    near = bodies_in_reach(worlds, w, 0, ZERO)
    if near == 0 or worlds.count[w] < 3:
        return near
    fastest = ZERO
    for k in range(worlds.count[w]):
        if near & bit(k):
            fastest = wp.max(fastest, wp.dot(worlds.velocity[w, k], worlds.velocity[w, k]))
    return bodies_in_reach(worlds, w, near, HIT_SPEED * wp.sqrt(fastest))


@wp.func
def charged_bodies(worlds: Worlds, w: int) -> int:
    """Bits of the charged bodies."""
    charged = int(0)
    if worlds.is_charged[w] != 0:
        for k in range(worlds.count[w]):
            if worlds.charge[w, k] != ZERO:
                charged = charged | bit(k)
    return charged


@wp.func
def spinning(worlds: Worlds, w: int) -> int:
    """Bits of the bodies that spin."""
    spins = int(0)
    for k in range(worlds.count[w]):
        if worlds.spin[w, k][2] != ZERO:
            spins = spins | bit(k)
    return spins


@wp.func
def step_near(
    worlds: Worlds, recording: Recording, eye: Eye, laws: MergedLaws, w: int, step: int, bodies: int, near: int,
    merged: int, rounds: int, charged: int,
) -> int:  # fmt: skip
    """One step of the bodies that are near others; the friction of those in `merged` acts only in some of the steps.

    Returns the number of contacts.
    """
    count = worlds.count[w]
    if charged != 0:
        push_charges_by(worlds, w, ONE)
    for k in range(count):
        if near & bit(k):
            if (merged & bit(k)) == 0:
                slow_down(worlds, laws, w, k, SINGLE)
            elif step % SOME_STEPS == FRICTION_STEP:
                slow_down(worlds, laws, w, k, SOME)
    contacts = int(0)
    for i in range(count):
        for j in range(i + 1, count):
            if (near & bit(i)) != 0 and (near & bit(j)) != 0:
                contacts = find_pair_contacts(worlds, recording, eye, 0, w, step, i, j, contacts, bodies)
    if contacts == 1:
        solve_contacts(worlds, w, contacts, 1)
    if contacts > 1:
        solve_contacts(worlds, w, contacts, rounds)
    for k in range(count):
        if near & bit(k):
            worlds.place[w, k] = worlds.place[w, k] + worlds.velocity[w, k] * STEP
            if worlds.shape[w, k] == CUBE and worlds.spin[w, k][2] != ZERO:
                turn_by(worlds, w, k, worlds.spin[w, k][2] * STEP)
    if contacts > 0:
        separate(worlds, w, contacts)
    return contacts


@wp.func
def move_far(worlds: Worlds, laws: MergedLaws, w: int, near: int, charged: int) -> None:
    """A frame of all bodies that are not near others; `charged` are the bits of charged ones."""
    count = worlds.count[w]
    for k in range(count):
        if ((near | charged) & bit(k)) == 0:
            if is_simple(worlds, laws, w, k):
                glide(worlds, laws, w, k, ALL, worlds.velocity[w, k])
            else:
                for _ in range(SOME_ROUNDS):
                    glide(worlds, laws, w, k, SOME, worlds.velocity[w, k])
    if (charged & near) == 0 and charged != 0:
        for _ in range(SOME_ROUNDS):
            before = wp.matrix(shape=(MOST_BODIES, 2), dtype=wp.float64)
            for k in range(count):
                before[k, 0] = worlds.velocity[w, k][0]
                before[k, 1] = worlds.velocity[w, k][1]
            push_charges_by(worlds, w, wp.float64(SOME_STEPS))
            for k in range(count):
                if charged & bit(k):
                    glide(worlds, laws, w, k, SOME, wp.vec2d(before[k, 0], before[k, 1]))


@wp.kernel
def fit_worlds(
    worlds: Worlds,
    recording: Recording,
    eye: Eye,
    laws: MergedLaws,
    frames: wp.array(dtype=int),
    bodies: int,
    rounds: int,
    first: int,
) -> None:
    """Simulates and records `frames` [world] frames of the worlds from the number `first` on."""
    w = first + wp.tid()
    charged = charged_bodies(worlds, w)
    contacts = int(0)
    for frame in range(frames[w]):
        record_frame(worlds, recording, w, frame)
        if frame + 1 < frames[w]:
            near = near_bodies(worlds, w)
            if near & charged:
                near = near | charged
            move_far(worlds, laws, w, near, charged)
            if near != 0:
                for part in range(SOME_ROUNDS):
                    merged = int(0)
                    if contacts == 0:
                        merged = spinning(worlds, w)
                    contacts = int(0)
                    for step in range(SOME_STEPS):
                        now = frame * FRAME_STEPS + part * SOME_STEPS + step
                        contacts += step_near(
                            worlds, recording, eye, laws, w, now, bodies, near, merged, rounds, near & charged
                        )
            else:
                contacts = int(0)
