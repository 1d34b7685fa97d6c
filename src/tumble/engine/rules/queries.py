"""What a rule can read of its parameters and its world, inside the kernel; and the numbers that it keeps."""

import warp as wp

from tumble.engine.collision.broad_phase import shape_aabb
from tumble.engine.state.bodies import (
    Outline,
    Velocity,
    body_mass,
    centre_pose,
    outline_of,
    set_velocity_of,
    surface_of,
    transform_of,
    velocity_of,
    vertex_at,
    vertex_position,
)
from tumble.engine.state.contacts import contact_surface
from tumble.engine.state.geometry import AABB, aabb_union, length, to_local, to_world
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    BODY_A,
    BODY_B,
    BODY_COUNT,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACT_COUNT,
    CONTACT_FLAGS,
    DYNAMIC_COUNT,
    FLOAT_PARAMS,
    INT_PARAMS,
    OUTPUTS_I,
    PARAM_FLOATS_AT,
    PARAM_INTS_AT,
    PRESENT,
    SCRATCH,
    SHAPE_DEF,
    STEP,
    TABLE_FLOATS_AT,
    TABLE_INTS_AT,
    TOUCHING,
    WORLD_INDEX,
)
from tumble.engine.state.native import read_float, read_int
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_address,
    chunk_int,
    contact_int,
    dynamic_body,
    get_int,
    ordered_contact,
    pack_vecs,
    set_int,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def int_param(w: World, k: int) -> int:
    """The k-th of this world's `Rule.ints`."""
    return read_int(chunk_address(w, PARAM_INTS_AT), get_int(w, WORLD_INDEX) * chunk_int(w, INT_PARAMS), k)


@wp.func
def float_param(w: World, k: int) -> float:
    """The k-th of this world's `Rule.floats`."""
    return read_float(chunk_address(w, PARAM_FLOATS_AT), get_int(w, WORLD_INDEX) * chunk_int(w, FLOAT_PARAMS), k)


@wp.func
def table_int(w: World, k: int) -> int:
    """The k-th of `Rule.table_ints`, which all worlds share."""
    return read_int(chunk_address(w, TABLE_INTS_AT), 0, k)


@wp.func
def table_float(w: World, k: int) -> float:
    """The k-th of `Rule.table_floats`, which all worlds share."""
    return read_float(chunk_address(w, TABLE_FLOATS_AT), 0, k)


@wp.func
def scratch_int(w: World, k: int) -> int:
    """The k-th of eight ints that the rule keeps from step to step, 0 at first."""
    return get_int(w, SCRATCH + k)


@wp.func
def set_scratch_int(w: World, k: int, value: int) -> None:
    set_int(w, SCRATCH + k, value)


@wp.func
def output_int(w: World, k: int) -> int:
    """The k-th of the world's output ints, 0 at first; `Rule.output_ints` says how many there are."""
    return get_int(w, chunk_int(w, OUTPUTS_I) + k)


@wp.func
def set_output_int(w: World, k: int, value: int) -> None:
    set_int(w, chunk_int(w, OUTPUTS_I) + k, value)


@wp.func
def body_scratch(w: World, body: int) -> float:
    """A float that the rule keeps with a body (its health, say), 0 at first."""
    return velocity_of(w, body).scratch


@wp.func
def set_body_scratch(w: World, body: int, value: float) -> None:
    v = velocity_of(w, body)
    v.scratch = value
    set_velocity_of(w, body, v)


@wp.func
def current_step(w: World) -> int:
    """The number of the step just made, 1 for the first."""
    return get_int(w, STEP)


@wp.func
def position(w: World, body: int) -> wp.vec2:
    """Where a body's origin is, in metres."""
    return transform_of(w, body).position


@wp.func
def angle(w: World, body: int) -> float:
    return centre_pose(w, body).angle


@wp.func
def velocity(w: World, body: int) -> Velocity:
    """`linear` velocity of the centre of mass in m/s and `angular` velocity in rad/s."""
    return velocity_of(w, body)


@wp.func
def mass(w: World, body: int) -> float:
    """The mass of a dynamic body in kg."""
    return 1.0 / body_mass(w, body).inverse_mass


@wp.func
def is_present(w: World, body: int) -> bool:
    return (body_int(w, body, BODY_FLAGS) & PRESENT) != 0


@wp.func
def all_asleep(w: World) -> bool:
    """Whether no dynamic body is awake."""
    return get_int(w, ALL_ASLEEP) == 1


@wp.func
def body_count(w: World) -> int:
    return get_int(w, BODY_COUNT)


@wp.func
def dynamic_count(w: World) -> int:
    """The number of dynamic bodies, present or not, for `dynamic_at`."""
    return get_int(w, DYNAMIC_COUNT)


@wp.func
def dynamic_at(w: World, k: int) -> int:
    """The k-th dynamic body."""
    return dynamic_body(w, k)


@wp.func(inline=False)
def body_aabb(w: World, body: int) -> AABB:
    """The smallest axis-aligned box around a body, `low` to `high`."""
    transform = transform_of(w, body)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    box = shape_aabb(w, shape_int(w, first, SHAPE_DEF), transform)
    for shape in range(first + 1, first + body_int(w, body, BODY_SHAPES)):
        box = aabb_union(box, shape_aabb(w, shape_int(w, shape, SHAPE_DEF), transform))
    return box


@wp.func
def distance_to_polygon(w: World, polygon: Outline, p: wp.vec2) -> float:
    """The distance of a point, in the polygon's coordinates, from it; 0 inside.

    On the edge from a to b, of direction e, the nearest point is a + t e with t = clamp(dot(p - a, e) / |e|², 0, 1).
    """
    nearest = float(1.0e30)
    inside = int(1)
    for k in range(polygon.count):
        a = vertex_at(pack_vecs(w), polygon.first + k)
        b = vertex_position(pack_vecs(w), polygon.first + (k + 1) % polygon.count)
        d = p - a.position
        if wp.dot(a.normal, d) > 0.0:
            inside = int(0)
        e = b - a.position
        t = wp.dot(d, e) / wp.dot(e, e)
        if t < 0.0:
            t = float(0.0)
        if t > 1.0:
            t = float(1.0)
        dx = d[0] - t * e[0]
        dy = d[1] - t * e[1]
        squared = dx * dx + dy * dy
        if squared < nearest:
            nearest = squared
    if inside == 1:
        return 0.0
    return wp.sqrt(nearest)


@wp.func(inline=False)
def distance_to(w: World, body: int, x: float, y: float) -> float:
    """The distance of a point of the world from a body; 0 inside."""
    p = to_local(transform_of(w, body), wp.vec2(x, y))
    nearest = float(1.0e30)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        outline = outline_of(w, shape_def)
        far = float(0.0)
        if outline.count == 0:
            far = length(p - vertex_position(pack_vecs(w), outline.first)) - surface_of(w, shape_def).radius
            if far < 0.0:
                far = float(0.0)
        else:
            far = distance_to_polygon(w, outline, p)
        if far < nearest:
            nearest = far
    return nearest


@wp.func
def are_touching(w: World, a: int, b: int) -> bool:
    """Whether two bodies have a touching contact."""
    for k in range(get_int(w, CONTACT_COUNT)):
        contact = ordered_contact(w, k)
        if (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) != 0:
            contact_a = contact_int(w, contact, BODY_A)
            contact_b = contact_int(w, contact, BODY_B)
            if (contact_a == a and contact_b == b) or (contact_a == b and contact_b == a):
                return True
    return False


@wp.func
def touching_at(w: World, k: int) -> tuple[int, int]:
    """Of the k-th contact: body A and body B if they touch, else -1 and -1."""
    contact = ordered_contact(w, k)
    if (contact_int(w, contact, CONTACT_FLAGS) & TOUCHING) == 0:
        return -1, -1
    return contact_int(w, contact, BODY_A), contact_int(w, contact, BODY_B)


@wp.func
def contact_count(w: World) -> int:
    """The number of contacts, touching or only near, for `touching_at`, `contact_at` and `hit_at`."""
    return get_int(w, CONTACT_COUNT)


@wp.func
def contact_at(w: World, k: int) -> tuple[int, int, float]:
    """Of the k-th contact, from the oldest: body A, body B, and its normal impulse in this step."""
    contact = ordered_contact(w, k)
    return (
        contact_int(w, contact, BODY_A),
        contact_int(w, contact, BODY_B),
        contact_surface(w, contact).step_impulse,
    )


@wp.func
def hit_at(w: World, k: int) -> tuple[int, int, float]:
    """Of the k-th contact: its two bodies, and the relative speed of their centres as they met in this step.

    The first body is the one that moved faster along the relative velocity. The speed is 0 if they didn't meet in
    this step.
    """
    contact = ordered_contact(w, k)
    speed = contact_surface(w, contact).hit_speed
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    if speed < 0.0:
        return b, a, -speed
    return a, b, speed


@wp.func(inline=False)
def _corner_distance(w: World, body: int, other: int) -> float:
    """The smallest distance of the corners of a body, and of its circles, from another; negative inside."""
    nearest = float(1.0e30)
    transform = transform_of(w, body)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        outline = outline_of(w, shape_def)
        points = int(outline.count)
        radius = float(0.0)
        if points == 0:
            points = int(1)
            radius = float(surface_of(w, shape_def).radius)
        for k in range(points):
            p = to_world(transform, vertex_position(pack_vecs(w), outline.first + k))
            nearest = wp.min(nearest, distance_to(w, other, p[0], p[1]) - radius)
    return nearest


@wp.func
def surface_distance(w: World, a: int, b: int) -> float:
    """The distance of the surfaces of two bodies in metres, without the skin of polygons; 0 if they overlap.

    Of two convex shapes that are apart, one has a corner at (or is a circle from) which the distance is measured.
    """
    return wp.max(wp.min(_corner_distance(w, a, b), _corner_distance(w, b, a)), 0.0)
