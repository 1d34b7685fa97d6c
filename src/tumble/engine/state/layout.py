"""The state of one world, as kernels see it: where each number lies and how to reach it.

All state of a world lies in two arrays, one of vec4 and one of int. A world occupies a lane of them: item k of a lane
is at `first + k * stride`, so that a CPU thread has its lane contiguous (stride 1) and the lanes of a GPU lie side by
side (stride = number of lanes). Regions follow each other within a lane; `Capacity` says how many items each holds.
Geometry and masses never change: they lie in the pack, shared by all worlds (see `pack.py`).
"""

from dataclasses import dataclass

import warp as wp

from tumble.engine.state.memory import constant_int, constant_vec, read_int, read_vec, write_int, write_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# vec4 fields of a body
SWEEP0 = 0  # centre of mass x, y, angle at the start of the step; fraction of the step already behind it
SWEEP = 1  # centre of mass x, y, angle now; time in s for which it has been slow enough to sleep
VELOCITY = 2  # vx, vy, angular velocity; a number that rules may keep
PLACE0 = 3  # transform at the start of the step
PLACE = 4  # transform now
BODY_VECS = 5

# int fields of a body
BODY_FLAGS = 0
BODY_DEF = 1
BODY_FIRST_SHAPE = 2
BODY_SHAPES = 3
BODY_INTS = 4

AWAKE = 1
DYNAMIC = 2
BULLET = 4
PRESENT = 8
IN_ISLAND = 16
ROUND = 32  # a single centred circle: its rotation moves nothing

# vec4 fields of a shape: the fat AABB (low x, low y, high x, high y), and all it covered during this step
FAT = 0
COVERED = 1
SHAPE_VECS = 2
SHAPE_BODY = 0
SHAPE_DEF = 1
SHAPE_INTS = 2

# vec4 fields of a contact
AXIS = 0  # local normal x, y; local point x, y
POINTS = 1  # two local points
IMPULSES = 2  # normal 1, tangent 1, normal 2, tangent 2
SURFACE = 3  # friction, restitution, normal impulse passed on in this step, how fast they met in it (see events.py)
CONTACT_VECS = 4

# int fields of a contact
SHAPE_A = 0
SHAPE_B = 1
BODY_A = 2
BODY_B = 3
CONTACT_FLAGS = 4
KEY_1 = 5  # which features made point 1
KEY_2 = 6
BIRTH = 7  # the step in which it was made
IMPACTS = 8  # the last step in which continuous collision stopped it, times 16, plus how often it did
EVENT = 9  # index of its begin event, or -1
CONTACT_INTS = 10

POINT_COUNT = 3  # mask of the number of manifold points
KIND_SHIFT = 2
KIND_MASK = 3
TOUCHING = 16
ENABLED = 32
CONTACT_IN_ISLAND = 64
KINDS_SHIFT = 8  # which shapes meet: 0 two circles, 1 polygon and circle, 2 two polygons

CIRCLES = 0  # manifold kinds
FACE_A = 1
FACE_B = 2

# vec4 fields of a solver row
ROW_NORMAL = 0  # normal x, y; friction; unused
ROW_ARMS_1 = 1  # point 1 from the centres of A and B
ROW_ARMS_2 = 2
ROW_MASS_1 = 3  # normal mass, tangent mass, velocity bias of point 1
ROW_MASS_2 = 4
ROW_IMPULSES = 5  # as in a contact
ROW_BLOCK = 6  # k11, k12, k22 of the two-point matrix
ROW_INVERSE = 7  # the same of its inverse
ROW_BODIES = 8  # inverse mass and inertia of A, of B
ROW_VECS = 9
ROW_CONTACT = 0
ROW_A = 1
ROW_B = 2
ROW_POINTS = 3
ROW_INTS = 4

# int header of a world
BODIES = 0
SHAPES = 1
DYNAMICS = 2
CONTACTS = 3
TOUCHES = 4
ROWS = 5
ISLAND_BODIES = 6
PAIRS = 7
STEP = 8
OVERFLOW = 9
STILL = 10  # 1 when no dynamic body is awake
EVENTS = 11
FIRST_EVENT = 12  # where its events begin
MOVED = 13
WORLD = 14  # its number in the batch
FIRST_STEP = 15  # the step at which it began, 0 unless it goes on from a kept state
MEMORY = 16
MEMORY_INTS = 8
HEADER_INTS = MEMORY + MEMORY_INTS


# vec4 and int fields of an event
EVENT_AT = 0  # point x, y; normal x, y from body A to body B
EVENT_FORCE = 1  # approach speed, impulse; of a begin event also the sum since then
EVENT_VECS = 2
EVENT_KIND = 0
EVENT_BODY_A = 1
EVENT_BODY_B = 2
EVENT_STEP = 3
EVENT_INTS = 4
BEGIN = 1
END = 2

# the pack: vec4 and int fields of a body's definition and of a shape's
DEF_MASS = 0  # inverse mass, inverse inertia, local centre of mass x, y
DEF_MOTION = 1  # gravity scale, factors by which damping slows motion and rotation in a step
BODY_DEF_VECS = 2
DEF_FIRST_SHAPE = 0
DEF_SHAPES = 1
DEF_FLAGS = 2
BODY_DEF_INTS = 3
DEF_SURFACE = 0  # radius, friction, restitution; greatest distance from the centre of mass
DEF_MIDDLE = 1  # centroid of a polygon
SHAPE_DEF_VECS = 2
DEF_VERTICES = 0  # number of vertices, 0 for a circle
DEF_FIRST_VERTEX = 1  # where in the pack its vertices lie: x, y, outward normal x, y of the edge that begins there
DEF_LAYER = 2
DEF_MASK = 3
SHAPE_DEF_INTS = 4


@dataclass(frozen=True)
class Capacity:
    """How many bodies, shapes, contacts and notes of the rule a lane can hold, and the size that this gives."""

    bodies: int
    shapes: int
    contacts: int
    notes: int = 0

    @property
    def vecs(self) -> int:
        return self.bodies * BODY_VECS + self.shapes * SHAPE_VECS + self.contacts * (CONTACT_VECS + ROW_VECS) + 1

    @property
    def ints(self) -> int:
        per_body = BODY_INTS + 3
        per_shape = SHAPE_INTS + 1
        return (
            HEADER_INTS
            + self.bodies * per_body
            + self.shapes * per_shape
            + self.contacts * (CONTACT_INTS + ROW_INTS + 3)
            + self.notes
        )


@wp.struct
class World:
    """A lane of the state, with the addresses of what lies beside it."""

    v: wp.uint64
    i: wp.uint64
    pack_v: wp.uint64
    pack_i: wp.uint64
    rule_i: wp.uint64
    rule_f: wp.uint64
    rule_ints: int  # parameters of the rule for each world
    rule_floats: int
    table_i: wp.uint64  # of the rule, the same for all worlds
    table_f: wp.uint64
    events_v: wp.uint64
    events_i: wp.uint64
    events: int  # how many events a world may write; 0 for none
    track: int  # 1 where impulses are to be counted, for events or for a rule
    first_v: int
    first_i: int
    stride: int
    bodies: int  # capacities
    shapes: int
    contacts: int
    notes: int
    shapes_v: int  # where the regions begin
    contacts_v: int
    rows_v: int
    dynamics_i: int
    island_i: int
    stack_i: int
    shapes_i: int
    moved_i: int
    contacts_i: int
    rows_i: int
    order_i: int
    touch_i: int
    pairs_i: int
    notes_i: int
    gravity_v: int
    shape_defs_v: int  # where the shapes' definitions begin in the pack
    shape_defs_i: int


@wp.func
def set_regions(w: World) -> World:
    """The world with its regions laid out one after the other."""
    w.shapes_v = w.bodies * BODY_VECS
    w.contacts_v = w.shapes_v + w.shapes * SHAPE_VECS
    w.rows_v = w.contacts_v + w.contacts * CONTACT_VECS
    w.gravity_v = w.rows_v + w.contacts * ROW_VECS
    w.dynamics_i = HEADER_INTS + w.bodies * BODY_INTS
    w.island_i = w.dynamics_i + w.bodies
    w.stack_i = w.island_i + w.bodies
    w.shapes_i = w.stack_i + w.bodies
    w.moved_i = w.shapes_i + w.shapes * SHAPE_INTS
    w.contacts_i = w.moved_i + w.shapes
    w.rows_i = w.contacts_i + w.contacts * CONTACT_INTS
    w.order_i = w.rows_i + w.contacts * ROW_INTS
    w.touch_i = w.order_i + w.contacts
    w.pairs_i = w.touch_i + w.contacts
    w.notes_i = w.pairs_i + w.contacts
    return w


@wp.func
def get(w: World, item: int) -> int:
    return read_int(w.i, w.first_i, item, w.stride)


@wp.func
def put(w: World, item: int, value: int) -> None:
    write_int(w.i, w.first_i, item, w.stride, value)


@wp.func
def get_vec(w: World, item: int) -> wp.vec4:
    return read_vec(w.v, w.first_v, item, w.stride)


@wp.func
def put_vec(w: World, item: int, value: wp.vec4) -> None:
    write_vec(w.v, w.first_v, item, w.stride, value)


@wp.func
def body_vec(w: World, body: int, field: int) -> wp.vec4:
    return read_vec(w.v, w.first_v, (body * BODY_VECS + field), w.stride)


@wp.func
def put_body_vec(w: World, body: int, field: int, value: wp.vec4) -> None:
    write_vec(w.v, w.first_v, (body * BODY_VECS + field), w.stride, value)


@wp.func
def body_int(w: World, body: int, field: int) -> int:
    return read_int(w.i, w.first_i, (HEADER_INTS + body * BODY_INTS + field), w.stride)


@wp.func
def put_body_int(w: World, body: int, field: int, value: int) -> None:
    write_int(w.i, w.first_i, (HEADER_INTS + body * BODY_INTS + field), w.stride, value)


@wp.func
def shape_vec(w: World, shape: int, field: int) -> wp.vec4:
    return read_vec(w.v, w.first_v, (w.shapes_v + shape * SHAPE_VECS + field), w.stride)


@wp.func
def put_shape_vec(w: World, shape: int, field: int, value: wp.vec4) -> None:
    write_vec(w.v, w.first_v, (w.shapes_v + shape * SHAPE_VECS + field), w.stride, value)


@wp.func
def shape_int(w: World, shape: int, field: int) -> int:
    return read_int(w.i, w.first_i, (w.shapes_i + shape * SHAPE_INTS + field), w.stride)


@wp.func
def put_shape_int(w: World, shape: int, field: int, value: int) -> None:
    write_int(w.i, w.first_i, (w.shapes_i + shape * SHAPE_INTS + field), w.stride, value)


@wp.func
def contact_vec(w: World, contact: int, field: int) -> wp.vec4:
    return read_vec(w.v, w.first_v, (w.contacts_v + contact * CONTACT_VECS + field), w.stride)


@wp.func
def put_contact_vec(w: World, contact: int, field: int, value: wp.vec4) -> None:
    write_vec(w.v, w.first_v, (w.contacts_v + contact * CONTACT_VECS + field), w.stride, value)


@wp.func
def contact_int(w: World, contact: int, field: int) -> int:
    return read_int(w.i, w.first_i, (w.contacts_i + contact * CONTACT_INTS + field), w.stride)


@wp.func
def put_contact_int(w: World, contact: int, field: int, value: int) -> None:
    write_int(w.i, w.first_i, (w.contacts_i + contact * CONTACT_INTS + field), w.stride, value)


@wp.func
def row_vec(w: World, row: int, field: int) -> wp.vec4:
    return read_vec(w.v, w.first_v, (w.rows_v + row * ROW_VECS + field), w.stride)


@wp.func
def put_row_vec(w: World, row: int, field: int, value: wp.vec4) -> None:
    write_vec(w.v, w.first_v, (w.rows_v + row * ROW_VECS + field), w.stride, value)


@wp.func
def row_int(w: World, row: int, field: int) -> int:
    return read_int(w.i, w.first_i, (w.rows_i + row * ROW_INTS + field), w.stride)


@wp.func
def put_row_int(w: World, row: int, field: int, value: int) -> None:
    write_int(w.i, w.first_i, (w.rows_i + row * ROW_INTS + field), w.stride, value)


@wp.func
def body_def_vec(w: World, body_def: int, field: int) -> wp.vec4:
    return constant_vec(w.pack_v, body_def * BODY_DEF_VECS + field)


@wp.func
def body_def_int(w: World, body_def: int, field: int) -> int:
    return constant_int(w.pack_i, body_def * BODY_DEF_INTS + field)


@wp.func
def shape_def_vec(w: World, shape_def: int, field: int) -> wp.vec4:
    return constant_vec(w.pack_v, w.shape_defs_v + shape_def * SHAPE_DEF_VECS + field)


@wp.func
def shape_def_int(w: World, shape_def: int, field: int) -> int:
    return constant_int(w.pack_i, w.shape_defs_i + shape_def * SHAPE_DEF_INTS + field)


@wp.func
def overflow(w: World) -> None:
    """Notes that the world needed more room than its lane has; the host rolls it out again in a larger one."""
    put(w, OVERFLOW, 1)
