"""Which shapes are near: fat boxes that shapes seldom leave, and the search for pairs of boxes that newly meet."""

import warp as wp

from tumble.engine.math.constants import AABB_MARGIN, AABB_STRETCH
from tumble.engine.math.vectors import to_world
from tumble.engine.state.layout import (
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACTS,
    COVERED,
    DEF_FIRST_VERTEX,
    DEF_LAYER,
    DEF_MASK,
    DEF_SURFACE,
    DEF_VERTICES,
    DYNAMIC,
    FAT,
    MOVED,
    PAIRS,
    PLACE,
    PLACE0,
    SHAPE_A,
    SHAPE_B,
    SHAPE_BODY,
    SHAPE_DEF,
    SHAPES,
    World,
    body_int,
    body_vec,
    contact_int,
    get,
    overflow,
    put,
    put_shape_vec,
    shape_def_int,
    shape_def_vec,
    shape_int,
    shape_vec,
)
from tumble.engine.state.memory import constant_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def boxes_meet(a: wp.vec4, b: wp.vec4) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


@wp.func
def united(a: wp.vec4, b: wp.vec4) -> wp.vec4:
    """The smallest box around two."""
    low_x = a[0]
    low_y = a[1]
    high_x = a[2]
    high_y = a[3]
    if b[0] < low_x:
        low_x = b[0]
    if b[1] < low_y:
        low_y = b[1]
    if b[2] > high_x:
        high_x = b[2]
    if b[3] > high_y:
        high_y = b[3]
    return wp.vec4(low_x, low_y, high_x, high_y)


@wp.func
def shape_box(w: World, shape_def: int, place: wp.vec4) -> wp.vec4:
    """The smallest upright box around a shape."""
    radius = shape_def_vec(w, shape_def, DEF_SURFACE)[0]
    corners = shape_def_int(w, shape_def, DEF_VERTICES)
    if corners == 0:
        centre = constant_vec(w.pack_v, shape_def_int(w, shape_def, DEF_FIRST_VERTEX))
        p = to_world(place, wp.vec2(centre[0], centre[1]))
        return wp.vec4(p[0] - radius, p[1] - radius, p[0] + radius, p[1] + radius)
    first = shape_def_int(w, shape_def, DEF_FIRST_VERTEX)
    corner = constant_vec(w.pack_v, first)
    v = to_world(place, wp.vec2(corner[0], corner[1]))
    box = wp.vec4(v[0], v[1], v[0], v[1])
    for k in range(1, corners):
        corner_k = constant_vec(w.pack_v, first + k)
        v_k = to_world(place, wp.vec2(corner_k[0], corner_k[1]))
        box = united(box, wp.vec4(v_k[0], v_k[1], v_k[0], v_k[1]))
    return wp.vec4(box[0] - radius, box[1] - radius, box[2] + radius, box[3] + radius)


@wp.func
def note_moved(w: World, shape: int) -> None:
    count = get(w, MOVED)
    put(w, w.moved_i + count, shape)
    put(w, MOVED, count + 1)


@wp.func
def place_box(w: World, shape: int, place: wp.vec4) -> None:
    """Gives a shape its first fat box."""
    box = shape_box(w, shape_int(w, shape, SHAPE_DEF), place)
    fat = wp.vec4(box[0] - AABB_MARGIN, box[1] - AABB_MARGIN, box[2] + AABB_MARGIN, box[3] + AABB_MARGIN)
    put_shape_vec(w, shape, FAT, fat)
    put_shape_vec(w, shape, COVERED, fat)


@wp.func
def refresh_boxes(w: World, body: int) -> None:
    """Gives the shapes of a body that left their fat boxes new ones, stretched ahead along the motion."""
    before = body_vec(w, body, PLACE0)
    now = body_vec(w, body, PLACE)
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        shape_def = shape_int(w, shape, SHAPE_DEF)
        box = united(shape_box(w, shape_def, before), shape_box(w, shape_def, now))
        fat = shape_vec(w, shape, FAT)
        if not (fat[0] <= box[0] and fat[1] <= box[1] and box[2] <= fat[2] and box[3] <= fat[3]):
            low_x = box[0] - AABB_MARGIN
            low_y = box[1] - AABB_MARGIN
            high_x = box[2] + AABB_MARGIN
            high_y = box[3] + AABB_MARGIN
            dx = AABB_STRETCH * (now[0] - before[0])
            dy = AABB_STRETCH * (now[1] - before[1])
            if dx < 0.0:
                low_x = low_x + dx
            else:
                high_x = high_x + dx
            if dy < 0.0:
                low_y = low_y + dy
            else:
                high_y = high_y + dy
            grown = wp.vec4(low_x, low_y, high_x, high_y)
            put_shape_vec(w, shape, FAT, grown)
            put_shape_vec(w, shape, COVERED, united(shape_vec(w, shape, COVERED), grown))
            note_moved(w, shape)


@wp.func
def may_collide(w: World, shape_1: int, shape_2: int) -> bool:
    """Whether two shapes of different bodies, one of them dynamic, are on layers that meet."""
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
def have_contact(w: World, shape_1: int, shape_2: int) -> bool:
    for k in range(get(w, CONTACTS)):
        contact = get(w, w.order_i + k)
        a = contact_int(w, contact, SHAPE_A)
        b = contact_int(w, contact, SHAPE_B)
        if (a == shape_1 and b == shape_2) or (a == shape_2 and b == shape_1):
            return True
    return False


@wp.func
def add_pair(w: World, low: int, high: int) -> None:
    """Keeps a pair in the sorted list of pairs found, unless it is there already."""
    key = low * w.shapes + high
    count = get(w, PAIRS)
    at = count
    while at > 0:
        before = get(w, w.pairs_i + at - 1)
        if before == key:
            return
        if before < key:
            break
        at = at - 1
    if count == w.contacts:
        overflow(w)
        return
    k = count
    while k > at:
        put(w, w.pairs_i + k, get(w, w.pairs_i + k - 1))
        k = k - 1
    put(w, w.pairs_i + at, key)
    put(w, PAIRS, count + 1)


@wp.func
def find_pairs(w: World) -> None:
    """Lists the pairs of shapes whose fat boxes newly meet, ordered by shape, and forgets what had moved."""
    put(w, PAIRS, 0)
    shapes = get(w, SHAPES)
    for m in range(get(w, MOVED)):
        shape = get(w, w.moved_i + m)
        fat = shape_vec(w, shape, FAT)
        for other in range(shapes):
            if boxes_meet(fat, shape_vec(w, other, FAT)) and other != shape:
                if may_collide(w, shape, other):
                    low = shape
                    high = other
                    if other < shape:
                        low = other
                        high = shape
                    if not have_contact(w, low, high):
                        add_pair(w, low, high)
    put(w, MOVED, 0)
