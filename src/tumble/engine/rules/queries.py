"""What a rule can ask of its world, inside the kernel."""

import warp as wp

from tumble.engine.collision.broad_phase import shape_box, united
from tumble.engine.math.vectors import to_local
from tumble.engine.state.layout import (
    BODIES,
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACT_FLAGS,
    CONTACTS,
    DEF_FIRST_VERTEX,
    DEF_MASS,
    DEF_SURFACE,
    DEF_VERTICES,
    DYNAMICS,
    MEMORY,
    PLACE,
    PRESENT,
    SHAPE_DEF,
    STEP,
    STILL,
    SURFACE,
    SWEEP,
    TOUCHING,
    VELOCITY,
    WORLD,
    World,
    body_def_vec,
    body_int,
    body_vec,
    contact_int,
    contact_vec,
    get,
    put,
    put_body_vec,
    shape_def_int,
    shape_def_vec,
    shape_int,
)
from tumble.engine.state.memory import constant_float, constant_int, constant_vec

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
def table_int(w: World, k: int) -> int:
    """The k-th whole number given to the rule for all worlds."""
    return constant_int(w.table_i, k)


@wp.func
def table_number(w: World, k: int) -> float:
    """The k-th real number given to the rule for all worlds."""
    return constant_float(w.table_f, k)


@wp.func
def note(w: World, k: int) -> int:
    """The k-th of the whole numbers that the rule keeps and hands back, 0 at first (`Rule.notes` says how many)."""
    return get(w, w.notes_i + k)


@wp.func
def set_note(w: World, k: int, value: int) -> None:
    put(w, w.notes_i + k, value)


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
def mass(w: World, body: int) -> float:
    """The mass of a dynamic body in kg."""
    return 1.0 / body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MASS)[0]


@wp.func
def is_present(w: World, body: int) -> bool:
    return (body_int(w, body, BODY_FLAGS) & PRESENT) != 0


@wp.func
def all_sleep(w: World) -> bool:
    """Whether no dynamic body is awake."""
    return get(w, STILL) == 1


@wp.func
def body_count(w: World) -> int:
    return get(w, BODIES)


@wp.func
def dynamic_count(w: World) -> int:
    """How many dynamic bodies there are, present or not, to go through with `dynamic_at`."""
    return get(w, DYNAMICS)


@wp.func
def dynamic_at(w: World, k: int) -> int:
    """The k-th dynamic body."""
    return get(w, w.dynamics_i + k)


@wp.func(inline=False)
def body_box(w: World, body: int) -> wp.vec4:
    """The smallest upright box around a body: low x, low y, high x, high y."""
    place = body_vec(w, body, PLACE)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    around = shape_box(w, shape_int(w, first, SHAPE_DEF), place)
    for shape in range(first + 1, first + body_int(w, body, BODY_SHAPES)):
        around = united(around, shape_box(w, shape_int(w, shape, SHAPE_DEF), place))
    return around


@wp.func
def distance_to_polygon(w: World, first: int, corners: int, p: wp.vec2) -> float:
    """How far a point, in a polygon's own coordinates, is from it; 0 inside."""
    nearest = float(1.0e30)
    inside = int(1)
    for k in range(corners):
        a = constant_vec(w.pack_v, first + k)
        b = constant_vec(w.pack_v, first + (k + 1) % corners)
        x = p[0] - a[0]
        y = p[1] - a[1]
        if a[2] * x + a[3] * y > 0.0:
            inside = int(0)
        ex = b[0] - a[0]
        ey = b[1] - a[1]
        t = (x * ex + y * ey) / (ex * ex + ey * ey)
        if t < 0.0:
            t = float(0.0)
        if t > 1.0:
            t = float(1.0)
        dx = x - t * ex
        dy = y - t * ey
        squared = dx * dx + dy * dy
        if squared < nearest:
            nearest = squared
    if inside == 1:
        return 0.0
    return wp.sqrt(nearest)


@wp.func(inline=False)
def distance_to(w: World, body: int, x: float, y: float) -> float:
    """How far a point of the world is from a body; 0 inside."""
    p = to_local(body_vec(w, body, PLACE), wp.vec2(x, y))
    nearest = float(1.0e30)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        corners = shape_def_int(w, shape_def, DEF_VERTICES)
        vertex = shape_def_int(w, shape_def, DEF_FIRST_VERTEX)
        far = float(0.0)
        if corners == 0:
            c = constant_vec(w.pack_v, vertex)
            dx = p[0] - c[0]
            dy = p[1] - c[1]
            far = wp.sqrt(dx * dx + dy * dy) - shape_def_vec(w, shape_def, DEF_SURFACE)[0]
            if far < 0.0:
                far = float(0.0)
        else:
            far = distance_to_polygon(w, vertex, corners, p)
        if far < nearest:
            nearest = far
    return nearest


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


@wp.func
def meeting_at(w: World, k: int) -> tuple[int, int, float]:
    """Of the k-th contact: its two bodies, and the speed of their centres against each other as they met in this step.

    The first body is the one that moved faster along that velocity. The speed is 0 if they didn't meet in this step.
    """
    contact = get(w, w.order_i + k)
    speed = contact_vec(w, contact, SURFACE)[3]
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    if speed < 0.0:
        return b, a, -speed
    return a, b, speed
