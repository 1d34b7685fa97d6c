"""Which shapes are near each other: fat AABBs, and the search for pairs that newly overlap.

Shapes seldom leave their fat AABBs. `place_body` puts a body into the world: its poses, its velocity and the boxes of
its shapes.
"""

import warp as wp

from tumble.engine.state.bodies import (
    CentrePose,
    StartPose,
    Velocity,
    body_mass,
    fat_aabb,
    outline_of,
    set_centre_pose,
    set_fat_aabb,
    set_start_pose,
    set_start_transform,
    set_swept_aabb,
    set_transform,
    set_velocity_of,
    start_transform,
    surface_of,
    swept_aabb,
    transform_of,
    vertex_position,
)
from tumble.engine.state.constants import AABB_MARGIN, AABB_STRETCH, HUGE
from tumble.engine.state.geometry import (
    AABB,
    Transform,
    aabb_contains,
    aabb_grown,
    aabb_union,
    aabbs_overlap,
    sine_cosine,
    to_world,
)
from tumble.engine.state.layout import (
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACT_COUNT,
    DEF_LAYER,
    DEF_MASK,
    DYNAMIC,
    MAX_CONTACTS,
    MAX_SHAPES,
    MOVED_COUNT,
    MOVED_I,
    PAIR_COUNT,
    PAIRS_I,
    PRESENT,
    ROUND,
    SHAPE_A,
    SHAPE_B,
    SHAPE_BODY,
    SHAPE_COUNT,
    SHAPE_DEF,
)
from tumble.engine.state.world import (
    World,
    body_int,
    chunk_int,
    contact_int,
    get_int,
    mark_overflow,
    ordered_contact,
    pack_vecs,
    set_int,
    shape_def_int,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def moving_aabb(w: World, shape_def: int, before: Transform, now: Transform) -> AABB:
    """The smallest box around a shape where it was and where it is."""
    outline = outline_of(w, shape_def)
    p = vertex_position(pack_vecs(w), outline.first)
    v = to_world(before, p)
    u = to_world(now, p)
    box = aabb_union(AABB(v, v), AABB(u, u))
    for k in range(1, outline.count):
        p_k = vertex_position(pack_vecs(w), outline.first + k)
        v_k = to_world(before, p_k)
        u_k = to_world(now, p_k)
        box = aabb_union(box, aabb_union(AABB(v_k, v_k), AABB(u_k, u_k)))
    return aabb_grown(box, surface_of(w, shape_def).radius)


@wp.func
def shape_aabb(w: World, shape_def: int, transform: Transform) -> AABB:
    """The smallest box around a shape."""
    return moving_aabb(w, shape_def, transform, transform)


@wp.func
def mark_moved(w: World, shape: int) -> None:
    """Has the next search look for shapes that newly overlap this one."""
    count = get_int(w, MOVED_COUNT)
    set_int(w, chunk_int(w, MOVED_I) + count, shape)
    set_int(w, MOVED_COUNT, count + 1)


@wp.func
def init_aabb(w: World, shape: int, transform: Transform) -> None:
    """Gives a shape its first fat AABB."""
    fat = aabb_grown(shape_aabb(w, shape_int(w, shape, SHAPE_DEF), transform), AABB_MARGIN)
    set_fat_aabb(w, shape, fat)
    set_swept_aabb(w, shape, fat)


@wp.func
def clear_aabb(w: World, shape: int) -> None:
    """Gives the shape of an absent body a box that overlaps no other."""
    empty = AABB(wp.vec2(HUGE, HUGE), wp.vec2(-HUGE, -HUGE))
    set_fat_aabb(w, shape, empty)
    set_swept_aabb(w, shape, empty)


@wp.func
def update_aabbs(w: World, body: int) -> None:
    """Gives the shapes of a body that left their fat AABBs new ones, stretched ahead along the motion."""
    before = start_transform(w, body)
    now = transform_of(w, body)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        box = moving_aabb(w, shape_int(w, shape, SHAPE_DEF), before, now)
        if not aabb_contains(fat_aabb(w, shape), box):
            fat = aabb_grown(box, AABB_MARGIN)
            low_x = fat.low[0]
            low_y = fat.low[1]
            high_x = fat.high[0]
            high_y = fat.high[1]
            dx = AABB_STRETCH * (now.position[0] - before.position[0])
            dy = AABB_STRETCH * (now.position[1] - before.position[1])
            if dx < 0.0:
                low_x = low_x + dx
            else:
                high_x = high_x + dx
            if dy < 0.0:
                low_y = low_y + dy
            else:
                high_y = high_y + dy
            stretched = AABB(wp.vec2(low_x, low_y), wp.vec2(high_x, high_y))
            set_fat_aabb(w, shape, stretched)
            set_swept_aabb(w, shape, aabb_union(swept_aabb(w, shape), stretched))
            mark_moved(w, shape)


@wp.func
def should_collide(w: World, shape_1: int, shape_2: int) -> bool:
    """Whether two shapes of different bodies, one of them dynamic, are on layers that collide."""
    body_1 = shape_int(w, shape_1, SHAPE_BODY)
    body_2 = shape_int(w, shape_2, SHAPE_BODY)
    if body_1 == body_2:
        return False
    if ((body_int(w, body_1, BODY_FLAGS) | body_int(w, body_2, BODY_FLAGS)) & DYNAMIC) == 0:
        return False
    def_1 = shape_int(w, shape_1, SHAPE_DEF)
    def_2 = shape_int(w, shape_2, SHAPE_DEF)
    if (shape_def_int(w, def_1, DEF_LAYER) & shape_def_int(w, def_2, DEF_MASK)) == 0:
        return False
    return (shape_def_int(w, def_2, DEF_LAYER) & shape_def_int(w, def_1, DEF_MASK)) != 0


@wp.func
def has_contact(w: World, shape_1: int, shape_2: int) -> bool:
    for k in range(get_int(w, CONTACT_COUNT)):
        contact = ordered_contact(w, k)
        a = contact_int(w, contact, SHAPE_A)
        b = contact_int(w, contact, SHAPE_B)
        if (a == shape_1 and b == shape_2) or (a == shape_2 and b == shape_1):
            return True
    return False


@wp.func
def add_pair(w: World, low: int, high: int) -> None:
    """Inserts a pair into the sorted list of new pairs, unless it is in it."""
    key = low * chunk_int(w, MAX_SHAPES) + high
    count = get_int(w, PAIR_COUNT)
    at = count
    while at > 0:
        before = get_int(w, chunk_int(w, PAIRS_I) + at - 1)
        if before == key:
            return
        if before < key:
            break
        at = at - 1
    if count == chunk_int(w, MAX_CONTACTS):
        mark_overflow(w)
        return
    k = count
    while k > at:
        set_int(w, chunk_int(w, PAIRS_I) + k, get_int(w, chunk_int(w, PAIRS_I) + k - 1))
        k = k - 1
    set_int(w, chunk_int(w, PAIRS_I) + at, key)
    set_int(w, PAIR_COUNT, count + 1)


@wp.func
def find_new_pairs(w: World) -> None:
    """Lists the pairs of shapes whose fat AABBs newly overlap, ordered by shape; clears the list of moved shapes."""
    set_int(w, PAIR_COUNT, 0)
    shapes = get_int(w, SHAPE_COUNT)
    moved = get_int(w, MOVED_COUNT)
    m = int(0)
    other = int(0)
    while m < moved:
        # neighbouring lanes of a GPU find a pair that overlaps each, then look at the pairs together
        shape = get_int(w, chunk_int(w, MOVED_I) + m)
        fat = fat_aabb(w, shape)
        found = int(-1)
        while other < shapes and found < 0:
            if aabbs_overlap(fat, fat_aabb(w, other)) and other != shape:
                found = other
            other = other + 1
        if found >= 0:
            if should_collide(w, shape, found):
                low = wp.min(shape, found)
                high = wp.max(shape, found)
                if not has_contact(w, low, high):
                    add_pair(w, low, high)
        else:
            m = m + 1
            other = int(0)
    set_int(w, MOVED_COUNT, 0)


@wp.func(inline=False)
def place_body(w: World, body: int, origin: wp.vec2, angle: float, linear: wp.vec2, angular: float) -> None:
    """Places a body with its origin at a point; `linear` is the velocity of its centre of mass."""
    flags = body_int(w, body, BODY_FLAGS)
    transform = Transform(origin, 0.0, 1.0)
    if (flags & ROUND) == 0:
        sine, cosine = sine_cosine(angle)
        transform = Transform(origin, sine, cosine)
    centre = to_world(transform, body_mass(w, body).centre)
    set_start_pose(w, body, StartPose(centre, angle, 0.0))
    set_centre_pose(w, body, CentrePose(centre, angle, 0.0))
    set_start_transform(w, body, transform)
    set_transform(w, body, transform)
    if (flags & DYNAMIC) != 0:
        set_velocity_of(w, body, Velocity(linear, angular, 0.0))
    else:
        set_velocity_of(w, body, Velocity(wp.vec2(0.0, 0.0), 0.0, 0.0))
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        if (flags & PRESENT) != 0:
            init_aabb(w, shape, transform)
        else:
            clear_aabb(w, shape)
