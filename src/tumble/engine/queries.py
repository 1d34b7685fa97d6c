"""What a rule can ask of its world, inside the kernel."""

import warp as wp

from tumble.engine.memory import constant_float, constant_int
from tumble.engine.state import (
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    CONTACT_FLAGS,
    CONTACTS,
    MEMORY,
    PLACE,
    PRESENT,
    STEP,
    SURFACE,
    SWEEP,
    TOUCHING,
    VELOCITY,
    WORLD,
    World,
    body_int,
    body_vec,
    contact_int,
    contact_vec,
    get,
    put,
    put_body_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def parameter(w: World, k: int) -> int:
    """The k-th whole number given to the rule for this world."""
    return constant_int(w.rule_i, get(w, WORLD) * w.rule_ints + k)


@wp.func
def number(w: World, k: int) -> float:
    """The k-th real number given to the rule for this world."""
    return constant_float(w.rule_f, get(w, WORLD) * w.rule_floats + k)


@wp.func
def memory(w: World, k: int) -> int:
    """The k-th of eight whole numbers that the rule keeps from step to step, 0 at first."""
    return get(w, MEMORY + k)


@wp.func
def remember(w: World, k: int, value: int) -> None:
    put(w, MEMORY + k, value)


@wp.func
def body_note(w: World, body: int) -> float:
    """A number that the rule keeps with a body (its health, say), 0 at first."""
    return body_vec(w, body, VELOCITY)[3]


@wp.func
def set_body_note(w: World, body: int, value: float) -> None:
    v = body_vec(w, body, VELOCITY)
    put_body_vec(w, body, VELOCITY, wp.vec4(v[0], v[1], v[2], value))


@wp.func
def current_step(w: World) -> int:
    """The number of the step just made, 1 for the first."""
    return get(w, STEP)


@wp.func
def position(w: World, body: int) -> wp.vec2:
    """Where a body's origin is, in metres."""
    place = body_vec(w, body, PLACE)
    return wp.vec2(place[0], place[1])


@wp.func
def angle(w: World, body: int) -> float:
    return body_vec(w, body, SWEEP)[2]


@wp.func
def velocity(w: World, body: int) -> wp.vec3:
    """Velocity of the centre of mass in m/s, and angular velocity in rad/s."""
    v = body_vec(w, body, VELOCITY)
    return wp.vec3(v[0], v[1], v[2])


@wp.func
def is_present(w: World, body: int) -> bool:
    return (body_int(w, body, BODY_FLAGS) & PRESENT) != 0


@wp.func
def are_touching(w: World, a: int, b: int) -> bool:
    """Whether two bodies have a touching contact."""
    for k in range(get(w, CONTACTS)):
        contact = get(w, w.order_i + k)
        if (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) != 0:
            contact_a = contact_int(w, contact, BODY_A)
            contact_b = contact_int(w, contact, BODY_B)
            if (contact_a == a and contact_b == b) or (contact_a == b and contact_b == a):
                return True
    return False


@wp.func
def contact_count(w: World) -> int:
    """How many contacts there are, touching or only near, to go through with `contact_at`."""
    return get(w, CONTACTS)


@wp.func
def contact_at(w: World, k: int) -> tuple[int, int, float]:
    """Of the k-th contact, from the oldest: body A, body B, and the normal impulse it passed on in this step."""
    contact = get(w, w.order_i + k)
    return (
        contact_int(w, contact, BODY_A),
        contact_int(w, contact, BODY_B),
        contact_vec(w, contact, SURFACE)[2],
    )
