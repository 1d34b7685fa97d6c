"""The layout of a world's state: which number lies where. `world.py` has the functions that read and write it.

The state of a world lies in two arrays, one of vec4 and one of int. A world occupies a *lane*: item k of a lane is at
`first + k * stride`. A CPU thread has its lane contiguous (stride 1); on a GPU some lanes are interleaved (stride =
their number, `rollout/output.py`). A lane consists of regions, one after the other; `Capacity` says where they begin.
Shapes and masses never change: they lie in the pack, which all worlds share (`host/pack.py`).

The small structs that give names to the components of a vec4 are in `bodies.py`, `shapes.py`, `contacts.py`,
`constraints.py` and `definitions.py`; `tests/engine/test_layout.py` compares these tables with the constants below.

Body: vec4 [bodies, BODY_VECS], int [bodies, BODY_INTS]

    BODY_VECS 0  START_CENTRE_POSE  centre of mass x, y, angle at the start of the step; fraction of the step passed
    BODY_VECS 1  CENTRE_POSE        centre of mass x, y, angle; seconds for which the body has been slow
    BODY_VECS 2  VELOCITY           x, y, angular; the rule's scratch number
    BODY_VECS 3  START_TRANSFORM    x, y, sine, cosine at the start of the step
    BODY_VECS 4  TRANSFORM          x, y, sine, cosine
    BODY_INTS 0  BODY_FLAGS         AWAKE, DYNAMIC, BULLET, PRESENT, IN_ISLAND, ROUND
    BODY_INTS 1  BODY_DEF           its definition in the pack
    BODY_INTS 2  BODY_FIRST_SHAPE   its first shape in the world
    BODY_INTS 3  BODY_SHAPES        number of its shapes

Shape: vec4 [shapes, SHAPE_VECS], int [shapes, SHAPE_INTS]

    SHAPE_VECS 0  FAT_AABB          low x, y, high x, y of the box with its margin
    SHAPE_VECS 1  SWEPT_AABB        union of all fat AABBs of this step
    SHAPE_INTS 0  SHAPE_BODY        its body
    SHAPE_INTS 1  SHAPE_DEF         its definition in the pack

Contact of two shapes: vec4 [contacts, CONTACT_VECS], int [contacts, CONTACT_INTS]

    CONTACT_VECS 0  MANIFOLD_AXIS   normal x, y and reference point x, y, in the reference body's coordinates
    CONTACT_VECS 1  MANIFOLD_POINTS points 1 and 2, x and y, in the other body's coordinates
    CONTACT_VECS 2  IMPULSES        normal 1, tangent 1, normal 2, tangent 2
    CONTACT_VECS 3  CONTACT_SURFACE friction, restitution, normal impulse of this step, signed speed of a hit in it
    CONTACT_INTS 0  SHAPE_A
    CONTACT_INTS 1  SHAPE_B
    CONTACT_INTS 2  BODY_A
    CONTACT_INTS 3  BODY_B
    CONTACT_INTS 4  CONTACT_FLAGS   number of points, kind of manifold, TOUCHING, …
    CONTACT_INTS 5  FEATURES_1      key of the features that made point 1
    CONTACT_INTS 6  FEATURES_2
    CONTACT_INTS 7  CREATED_STEP    step in which it was created
    CONTACT_INTS 8  TOI_COUNT       last step with an impact of it, times 16, plus the number of impacts in that step
    CONTACT_INTS 9  BEGIN_EVENT     index of its begin event, or -1

Constraint, what the solver needs of a contact: vec4 [contacts, CONSTRAINT_VECS], int [contacts, CONSTRAINT_INTS]

    CONSTRAINT_VECS 0  CONTACT_FRAME        normal x, y; friction; unused
    CONSTRAINT_VECS 1  ARMS_1               point 1 relative to the centres of A (x, y) and B (x, y)
    CONSTRAINT_VECS 2  ARMS_2
    CONSTRAINT_VECS 3  POINT_1              normal mass, tangent mass, velocity bias; unused
    CONSTRAINT_VECS 4  POINT_2
    CONSTRAINT_VECS 5  TOTAL_IMPULSES       as IMPULSES
    CONSTRAINT_VECS 6  BLOCK_MATRIX         k11, k12, k22; unused
    CONSTRAINT_VECS 7  BLOCK_INVERSE        the same of its inverse
    CONSTRAINT_VECS 8  BODY_MASSES          inverse mass and inertia of A, of B
    CONSTRAINT_VECS 9  SHAPE_RADII          radius of A's shape, of B's; unused
    CONSTRAINT_INTS 0  CONSTRAINT_CONTACT
    CONSTRAINT_INTS 1  CONSTRAINT_A         body A
    CONSTRAINT_INTS 2  CONSTRAINT_B         body B
    CONSTRAINT_INTS 3  CONSTRAINT_POINTS    points that are solved

Island, where islands are built before any is solved: int [bodies, ISLAND_INTS]

    ISLAND_INTS 0  ISLAND_FIRST_BODY        its first body in the list of island bodies
    ISLAND_INTS 1  ISLAND_BODIES            number of its bodies
    ISLAND_INTS 2  ISLAND_FIRST_CONSTRAINT
    ISLAND_INTS 3  ISLAND_CONSTRAINTS       number of its constraints
    ISLAND_INTS 4  ISLAND_POINTS            number of the points of its contacts
    ISLAND_INTS 5  ISLAND_CORRECTED         1 once no body of it overlaps another too much

World: one vec4 (gravity x, y), int [HEADER_INTS]

    HEADER_INTS 0   BODY_COUNT
    HEADER_INTS 1   SHAPE_COUNT
    HEADER_INTS 2   DYNAMIC_COUNT    dynamic bodies, present or not
    HEADER_INTS 3   CONTACT_COUNT
    HEADER_INTS 4   TOUCHING_COUNT   contacts that touch
    HEADER_INTS 5   SCENE_DYNAMICS   dynamic bodies of the scene: those that were added follow them
    HEADER_INTS 6   MOVING           1 if a body was awake when the step began
    HEADER_INTS 7   PAIR_COUNT       pairs of shapes that newly came near
    HEADER_INTS 8   STEP             steps made
    HEADER_INTS 9   OVERFLOW         1 if the lane was too small
    HEADER_INTS 10  ALL_ASLEEP       1 if no dynamic body is awake
    HEADER_INTS 11  EVENT_COUNT
    HEADER_INTS 12  FIRST_EVENT      where its events begin
    HEADER_INTS 13  MOVED_COUNT      shapes with a new fat AABB
    HEADER_INTS 14  WORLD_INDEX      its index in the chunk
    HEADER_INTS 15  FIRST_STEP       step at which it began, 0 unless resumed from a saved state
    HEADER_INTS 16  SCRATCH          SCRATCH_INTS numbers of the rule

Chunk, what the worlds share that are on a device together: int64 [CHUNK_NUMBERS]

    CHUNK_NUMBERS 0   PACK_VECS_AT      address of the pack's vec4s
    CHUNK_NUMBERS 1   PACK_INTS_AT      address of the pack's ints
    CHUNK_NUMBERS 2   PARAM_INTS_AT     address of the rule's parameters of each world
    CHUNK_NUMBERS 3   PARAM_FLOATS_AT
    CHUNK_NUMBERS 4   TABLE_INTS_AT     address of the rule's tables
    CHUNK_NUMBERS 5   TABLE_FLOATS_AT
    CHUNK_NUMBERS 6   EVENT_VECS_AT     address of the events of all worlds
    CHUNK_NUMBERS 7   EVENT_INTS_AT
    CHUNK_NUMBERS 8   SHAPE_DEFS_V      where the shapes' definitions begin in the pack
    CHUNK_NUMBERS 9   SHAPE_DEFS_I
    CHUNK_NUMBERS 10  INT_PARAMS        parameters of a world
    CHUNK_NUMBERS 11  FLOAT_PARAMS
    CHUNK_NUMBERS 12  MAX_EVENTS        events that a world may write; 0 for none
    CHUNK_NUMBERS 13  TRACK_IMPULSES    1 where contacts sum their impulses, for events or for a rule
    CHUNK_NUMBERS 14  MAX_SHAPES        shapes that a lane has room for
    CHUNK_NUMBERS 15  MAX_CONTACTS
    CHUNK_NUMBERS 16  OUTPUT_COUNT
    CHUNK_NUMBERS 17  SHAPES_V          where the regions of a lane begin that are named above …
    CHUNK_NUMBERS 18  CONTACTS_V
    CHUNK_NUMBERS 19  CONSTRAINTS_V
    CHUNK_NUMBERS 20  GRAVITY_V
    CHUNK_NUMBERS 21  SHAPES_I
    CHUNK_NUMBERS 22  CONTACTS_I
    CHUNK_NUMBERS 23  CONSTRAINTS_I
    CHUNK_NUMBERS 24  ISLANDS_I
    CHUNK_NUMBERS 25  DYNAMICS_I        … and lists of ints: dynamic bodies, as created
    CHUNK_NUMBERS 26  ISLAND_I          bodies of the islands that were built, island after island
    CHUNK_NUMBERS 27  STACK_I           bodies to visit while an island is built
    CHUNK_NUMBERS 28  MOVED_I           shapes with a new fat AABB
    CHUNK_NUMBERS 29  ORDER_I           used contact slots from the oldest to the newest, then the free ones
    CHUNK_NUMBERS 30  TOUCHING_I        touching contacts, newest first
    CHUNK_NUMBERS 31  PAIRS_I           pairs that newly came near, low shape * MAX_SHAPES + high shape, ascending
    CHUNK_NUMBERS 32  OUTPUTS_I         the rule's output
    CHUNK_NUMBERS 33  SCHEDULE_I        constraints of large islands, in the order in which a team solves them

Event: vec4 [events, EVENT_VECS], int [events, EVENT_INTS], in arrays of their own, world after world

    EVENT_VECS 0  EVENT_GEOMETRY  point x, y; normal x, y from body A to body B
    EVENT_VECS 1  EVENT_STRENGTH  approach speed, impulse, impulse since the begin (begin events only); unused
    EVENT_INTS 0  EVENT_KIND      BEGIN, END
    EVENT_INTS 1  EVENT_BODY_A
    EVENT_INTS 2  EVENT_BODY_B
    EVENT_INTS 3  EVENT_STEP

Pack: vec4 [body definitions, BODY_DEF_VECS], [shape definitions, SHAPE_DEF_VECS], [vertices]; int likewise

    BODY_DEF_VECS 0   DEF_MASS          inverse mass, inverse inertia, local centre of mass x, y
    BODY_DEF_VECS 1   DEF_MOTION        gravity scale; factors by which damping slows motion and rotation in a step
    BODY_DEF_INTS 0   DEF_FIRST_SHAPE
    BODY_DEF_INTS 1   DEF_SHAPES        number of shapes
    BODY_DEF_INTS 2   DEF_FLAGS         as BODY_FLAGS
    SHAPE_DEF_VECS 0  DEF_SURFACE       radius, friction, restitution; greatest distance from the centre of mass
    SHAPE_DEF_VECS 1  DEF_CENTROID      x, y; unused
    SHAPE_DEF_INTS 0  DEF_VERTICES      number of vertices, 0 for a circle
    SHAPE_DEF_INTS 1  DEF_FIRST_VERTEX  its vertices: x, y; outward normal x, y of the edge that begins there
    SHAPE_DEF_INTS 2  DEF_LAYER
    SHAPE_DEF_INTS 3  DEF_MASK
"""

from dataclasses import dataclass
from itertools import accumulate

BODY_VECS = 5
START_CENTRE_POSE, CENTRE_POSE, VELOCITY, START_TRANSFORM, TRANSFORM = range(BODY_VECS)
BODY_INTS = 4
BODY_FLAGS, BODY_DEF, BODY_FIRST_SHAPE, BODY_SHAPES = range(BODY_INTS)

# flags of a body
AWAKE = 1
DYNAMIC = 2
BULLET = 4
PRESENT = 8
IN_ISLAND = 16
ROUND = 32  # a single centred circle: its rotation moves nothing

SHAPE_VECS = 2
FAT_AABB, SWEPT_AABB = range(SHAPE_VECS)
SHAPE_INTS = 2
SHAPE_BODY, SHAPE_DEF = range(SHAPE_INTS)

CONTACT_VECS = 4
MANIFOLD_AXIS, MANIFOLD_POINTS, IMPULSES, CONTACT_SURFACE = range(CONTACT_VECS)
CONTACT_INTS = 10
SHAPE_A, SHAPE_B, BODY_A, BODY_B, CONTACT_FLAGS = range(5)
FEATURES_1, FEATURES_2, CREATED_STEP, TOI_COUNT, BEGIN_EVENT = range(5, CONTACT_INTS)

# bits of a contact's flags
POINT_COUNT = 3  # mask of the number of manifold points
MANIFOLD_SHIFT = 2  # where the kind of manifold lies
MANIFOLD_MASK = 3
TOUCHING = 16
ENABLED = 32
CONTACT_IN_ISLAND = 64
PAIR_SHIFT = 8  # where the kind of pair lies

# kinds of pair
CIRCLE_CIRCLE = 0
POLYGON_CIRCLE = 1
POLYGON_POLYGON = 2

# kinds of manifold: what the normal and the reference point belong to
CIRCLES = 0
FACE_A = 1
FACE_B = 2

CONSTRAINT_VECS = 10
CONTACT_FRAME, ARMS_1, ARMS_2, POINT_1, POINT_2 = range(5)
TOTAL_IMPULSES, BLOCK_MATRIX, BLOCK_INVERSE, BODY_MASSES, SHAPE_RADII = range(5, CONSTRAINT_VECS)
CONSTRAINT_INTS = 4
CONSTRAINT_CONTACT, CONSTRAINT_A, CONSTRAINT_B, CONSTRAINT_POINTS = range(CONSTRAINT_INTS)

ISLAND_INTS = 6
ISLAND_FIRST_BODY, ISLAND_BODIES, ISLAND_FIRST_CONSTRAINT = range(3)
ISLAND_CONSTRAINTS, ISLAND_POINTS, ISLAND_CORRECTED = range(3, ISLAND_INTS)

SCRATCH = 16
SCRATCH_INTS = 8
HEADER_INTS = SCRATCH + SCRATCH_INTS
BODY_COUNT, SHAPE_COUNT, DYNAMIC_COUNT, CONTACT_COUNT, TOUCHING_COUNT, SCENE_DYNAMICS, MOVING = range(7)
PAIR_COUNT, STEP, OVERFLOW, ALL_ASLEEP, EVENT_COUNT, FIRST_EVENT, MOVED_COUNT = range(7, 14)
WORLD_INDEX, FIRST_STEP = range(14, SCRATCH)

CHUNK_NUMBERS = 34
PACK_VECS_AT, PACK_INTS_AT, PARAM_INTS_AT, PARAM_FLOATS_AT = range(4)
TABLE_INTS_AT, TABLE_FLOATS_AT, EVENT_VECS_AT, EVENT_INTS_AT = range(4, 8)
SHAPE_DEFS_V, SHAPE_DEFS_I, INT_PARAMS, FLOAT_PARAMS, MAX_EVENTS, TRACK_IMPULSES = range(8, 14)
MAX_SHAPES, MAX_CONTACTS, OUTPUT_COUNT = range(14, 17)
SHAPES_V, CONTACTS_V, CONSTRAINTS_V, GRAVITY_V, SHAPES_I, CONTACTS_I, CONSTRAINTS_I, ISLANDS_I = range(17, 25)
DYNAMICS_I, ISLAND_I, STACK_I, MOVED_I, ORDER_I, TOUCHING_I, PAIRS_I, OUTPUTS_I, SCHEDULE_I = range(25, CHUNK_NUMBERS)

EVENT_VECS = 2
EVENT_GEOMETRY, EVENT_STRENGTH = range(EVENT_VECS)
EVENT_INTS = 4
EVENT_KIND, EVENT_BODY_A, EVENT_BODY_B, EVENT_STEP = range(EVENT_INTS)
BEGIN = 1
END = 2

BODY_DEF_VECS = 2
DEF_MASS, DEF_MOTION = range(BODY_DEF_VECS)
BODY_DEF_INTS = 3
DEF_FIRST_SHAPE, DEF_SHAPES, DEF_FLAGS = range(BODY_DEF_INTS)
SHAPE_DEF_VECS = 2
DEF_SURFACE, DEF_CENTROID = range(SHAPE_DEF_VECS)
SHAPE_DEF_INTS = 4
DEF_VERTICES, DEF_FIRST_VERTEX, DEF_LAYER, DEF_MASK = range(SHAPE_DEF_INTS)


@dataclass(frozen=True)
class Capacity:
    """How many bodies, shapes, contacts and outputs of the rule a lane can hold, and the size that this gives."""

    bodies: int
    shapes: int
    contacts: int
    output_ints: int = 0

    @property
    def vecs(self) -> int:
        """The vec4s of a lane."""
        return self.bodies * BODY_VECS + sum(self._vec_regions().values())

    @property
    def ints(self) -> int:
        """The ints of a lane."""
        return HEADER_INTS + self.bodies * BODY_INTS + sum(self._int_regions().values())

    def begins(self) -> dict[int, int]:
        """Where each region of a lane begins, by its number in the chunk's table."""
        vecs, ints = self._vec_regions(), self._int_regions()
        return _begins(self.bodies * BODY_VECS, vecs) | _begins(HEADER_INTS + self.bodies * BODY_INTS, ints)

    def _vec_regions(self) -> dict[int, int]:
        """The vec4s of each region after the bodies, in their order."""
        return {
            SHAPES_V: self.shapes * SHAPE_VECS,
            CONTACTS_V: self.contacts * CONTACT_VECS,
            CONSTRAINTS_V: self.contacts * CONSTRAINT_VECS,
            GRAVITY_V: 1,
        }

    def _int_regions(self) -> dict[int, int]:
        """The ints of each region after the header and the bodies, in their order."""
        return {
            DYNAMICS_I: self.bodies,
            ISLAND_I: self.bodies,
            STACK_I: self.bodies,
            SHAPES_I: self.shapes * SHAPE_INTS,
            MOVED_I: self.shapes,
            CONTACTS_I: self.contacts * CONTACT_INTS,
            CONSTRAINTS_I: self.contacts * CONSTRAINT_INTS,
            ORDER_I: self.contacts,
            TOUCHING_I: self.contacts,
            PAIRS_I: self.contacts,
            ISLANDS_I: self.bodies * ISLAND_INTS,
            OUTPUTS_I: self.output_ints,
            SCHEDULE_I: self.contacts,
        }


def _begins(first: int, sizes: dict[int, int]) -> dict[int, int]:
    """Where regions of these sizes begin, one after the other from `first` on."""
    ends = accumulate(sizes.values(), initial=first)
    return dict(zip(sizes, ends, strict=False))
