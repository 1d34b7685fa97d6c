"""Saved worlds: snapshots, whole worlds to resume from, and the past that variants of a scene share.

A snapshot has some of a world's dynamic bodies with their fat AABBs, and its contacts from old to new.

Until a body that a variant adds comes near a moving body of the scene, the scene moves exactly as it does without it:
static bodies never move, and bodies that don't touch don't influence each other. So the scene is recorded once, step
by step; the added bodies of each variant move alone among the static ones; and a full world starts only where they
come near, merged from the two states. SWEPT_AABB makes "near" exact: it bounds all fat AABBs that a shape had during
the step, and no contact is created between shapes whose AABBs never overlapped.
"""

import warp as wp

from tumble.engine.dynamics.step import no_body_awake
from tumble.engine.state.bodies import aabb_from, fat_aabb, set_swept_aabb, swept_aabb
from tumble.engine.state.geometry import aabbs_overlap
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    BEGIN_EVENT,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    BODY_VECS,
    CONTACT_COUNT,
    CONTACT_INTS,
    CONTACT_VECS,
    CREATED_STEP,
    DYNAMIC_COUNT,
    FAT_AABB,
    FIRST_STEP,
    MAX_CONTACTS,
    ORDER_I,
    OUTPUT_COUNT,
    OUTPUTS_I,
    SCRATCH,
    SCRATCH_INTS,
    SHAPE_A,
    SHAPE_B,
    STEP,
    SWEPT_AABB,
)
from tumble.engine.state.native import read_int, read_vec, write_int, write_vec
from tumble.engine.state.world import (
    World,
    body_int,
    body_vec,
    chunk_int,
    contact_int,
    contact_vec,
    dynamic_body,
    get_int,
    mark_overflow,
    ordered_contact,
    set_body_int,
    set_body_vec,
    set_contact_int,
    set_contact_vec,
    set_int,
    set_shape_vec,
    shape_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class SnapshotStore:
    """Room for snapshots, each of at most this many bodies, shapes and contacts.

    vec4 of each snapshot: bodies [bodies, BODY_VECS], fat AABBs [shapes], contacts [contacts, CONTACT_VECS];
    int: number of contacts, flags [bodies], contacts [contacts, CONTACT_INTS].
    """

    bodies: int
    shapes: int
    contacts: int
    vecs: wp.uint64  # addresses
    ints: wp.uint64


def vecs_per_snapshot(bodies: int, shapes: int, contacts: int) -> int:
    """The vec4s of a snapshot."""
    return bodies * BODY_VECS + shapes + contacts * CONTACT_VECS


def ints_per_snapshot(bodies: int, contacts: int) -> int:
    """The ints of a snapshot."""
    return 1 + bodies + contacts * CONTACT_INTS


@wp.func(inline=False)
def save_snapshot(w: World, store: SnapshotStore, index: int, first: int, last: int) -> None:
    """Saves the dynamic bodies from the first-th up to the last-th, and all contacts."""
    count = get_int(w, CONTACT_COUNT)
    if count > store.contacts:
        mark_overflow(w)
        return
    v = index * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = index * (1 + store.bodies + store.contacts * CONTACT_INTS)
    write_int(store.ints, i, 0, count)
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = dynamic_body(w, k)
        for field in range(BODY_VECS):
            write_vec(store.vecs, v, (k - first) * BODY_VECS + field, body_vec(w, body, field))
        write_int(store.ints, i, 1 + k - first, body_int(w, body, BODY_FLAGS))
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            write_vec(store.vecs, box, 0, shape_vec(w, shape, FAT_AABB))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(count):
        contact = ordered_contact(w, k)
        for field in range(CONTACT_VECS):
            write_vec(store.vecs, v, k * CONTACT_VECS + field, contact_vec(w, contact, field))
        for field in range(CONTACT_INTS):
            write_int(store.ints, i, k * CONTACT_INTS + field, contact_int(w, contact, field))


@wp.func
def is_older(w: World, contact: int, other: int) -> bool:
    """Whether a contact was created before another: in an earlier step, or for an earlier pair of shapes."""
    created = contact_int(w, contact, CREATED_STEP)
    other_created = contact_int(w, other, CREATED_STEP)
    if created != other_created:
        return created < other_created
    low = wp.min(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_low = wp.min(contact_int(w, other, SHAPE_A), contact_int(w, other, SHAPE_B))
    if low != other_low:
        return low < other_low
    high = wp.max(contact_int(w, contact, SHAPE_A), contact_int(w, contact, SHAPE_B))
    other_high = wp.max(contact_int(w, other, SHAPE_A), contact_int(w, other, SHAPE_B))
    return high < other_high


@wp.func(inline=False)
def load_snapshot(w: World, store: SnapshotStore, index: int, first: int, last: int) -> None:
    """Restores saved bodies; their contacts are merged with those that the world has, by age."""
    v = index * (store.bodies * BODY_VECS + store.shapes + store.contacts * CONTACT_VECS)
    i = index * (1 + store.bodies + store.contacts * CONTACT_INTS)
    incoming = read_int(store.ints, i, 0)
    present = get_int(w, CONTACT_COUNT)
    if present + incoming > chunk_int(w, MAX_CONTACTS):
        mark_overflow(w)
        return
    box = v + store.bodies * BODY_VECS
    for k in range(first, last):
        body = dynamic_body(w, k)
        for field in range(BODY_VECS):
            set_body_vec(w, body, field, read_vec(store.vecs, v, (k - first) * BODY_VECS + field))
        set_body_int(w, body, BODY_FLAGS, read_int(store.ints, i, 1 + k - first))
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            set_shape_vec(w, shape, FAT_AABB, read_vec(store.vecs, box, 0))
            box = box + 1
    v = v + store.bodies * BODY_VECS + store.shapes
    i = i + 1 + store.bodies
    for k in range(incoming):
        contact = ordered_contact(w, present + k)
        for field in range(CONTACT_VECS):
            set_contact_vec(w, contact, field, read_vec(store.vecs, v, k * CONTACT_VECS + field))
        for field in range(CONTACT_INTS):
            set_contact_int(w, contact, field, read_int(store.ints, i, k * CONTACT_INTS + field))
        at = present + k
        while at > k:
            before = ordered_contact(w, at - 1)
            if is_older(w, before, contact):
                break
            set_int(w, chunk_int(w, ORDER_I) + at, before)
            at = at - 1
        set_int(w, chunk_int(w, ORDER_I) + at, contact)
    set_int(w, CONTACT_COUNT, present + incoming)


# ints of a checkpoint's header
HEADER_STEP = 0
HEADER_SCRATCH = 1
HEADER_OUTPUTS = HEADER_SCRATCH + SCRATCH_INTS


@wp.struct
class CheckpointStore:
    """Saved worlds: a snapshot of bodies and contacts for each, and a header of step, scratch and output ints."""

    snapshots: SnapshotStore
    headers: wp.uint64  # address


@wp.struct
class Resume:
    """Where worlds start from and where they are saved at their end."""

    has_start: int  # 0 where worlds start from their scenes
    start_of: wp.array(dtype=int)  # [worlds]: the checkpoint that each starts from
    start: CheckpointStore
    saves_end: int  # 1 where worlds are saved at their end
    end: CheckpointStore


@wp.func(inline=False)
def save_checkpoint(w: World, store: CheckpointStore, index: int) -> None:
    """Saves a world as it is."""
    save_snapshot(w, store.snapshots, index, 0, get_int(w, DYNAMIC_COUNT))
    header = index * (HEADER_OUTPUTS + chunk_int(w, OUTPUT_COUNT))
    write_int(store.headers, header, HEADER_STEP, get_int(w, STEP))
    for k in range(SCRATCH_INTS):
        write_int(store.headers, header, HEADER_SCRATCH + k, get_int(w, SCRATCH + k))
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        write_int(store.headers, header, HEADER_OUTPUTS + k, get_int(w, chunk_int(w, OUTPUTS_I) + k))


@wp.func(inline=False)
def load_checkpoint(w: World, store: CheckpointStore, index: int) -> None:
    """Restores a world, just populated, to what it was when it was saved; its list of events starts empty."""
    load_snapshot(w, store.snapshots, index, 0, get_int(w, DYNAMIC_COUNT))
    for k in range(get_int(w, CONTACT_COUNT)):
        set_contact_int(w, ordered_contact(w, k), BEGIN_EVENT, -1)
    header = index * (HEADER_OUTPUTS + chunk_int(w, OUTPUT_COUNT))
    step = read_int(store.headers, header, HEADER_STEP)
    set_int(w, STEP, step)
    set_int(w, FIRST_STEP, step)
    for k in range(SCRATCH_INTS):
        set_int(w, SCRATCH + k, read_int(store.headers, header, HEADER_SCRATCH + k))
    for k in range(chunk_int(w, OUTPUT_COUNT)):
        set_int(w, chunk_int(w, OUTPUTS_I) + k, read_int(store.headers, header, HEADER_OUTPUTS + k))
    set_int(w, ALL_ASLEEP, 0)
    if no_body_awake(w):
        set_int(w, ALL_ASLEEP, 1)


AT_START = -1
"""As the step of approach: the world's added bodies are near those of its scene from the start."""
NO_APPROACH = 0


@wp.struct
class Recording:
    """Recorded scenes: of each, a snapshot for every step from 0 on until all slept or the rule decided."""

    slot_of: wp.array(dtype=int)  # [scenes of the batch]: its index among the recorded ones
    steps: int  # snapshots that each scene has room for
    snapshots: SnapshotStore  # [recorded scenes, steps]
    swept_aabbs: wp.uint64  # address; vec4 [recorded scenes, steps, shapes]
    scratch: wp.array(dtype=int)  # [recorded scenes, steps, SCRATCH_INTS]
    last_steps: wp.array(dtype=int)  # [recorded scenes]: the last recorded step
    verdicts: wp.array(dtype=wp.int8)  # [recorded scenes]: the verdict without additions …
    end_steps: wp.array(dtype=int)  # … and after how many steps
    decided_steps: wp.array(dtype=int)  # the step after which that was known


@wp.struct
class Branches:
    """Worlds that branch off a recording: how far the added bodies of each came alone."""

    approach_steps: wp.array(dtype=int)  # [worlds]: step in which they first come near the scene's; or a constant above
    added: SnapshotStore  # [worlds]: their state before that step
    order: wp.array(dtype=int)  # the worlds that come near, in the order in which they are rolled out


@wp.func
def begin_sweep(w: World, first: int) -> None:
    """Restarts the swept AABBs of dynamic bodies, from the first-th such body on, from their fat AABBs."""
    for k in range(first, get_int(w, DYNAMIC_COUNT)):
        body = dynamic_body(w, k)
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            set_swept_aabb(w, shape, fat_aabb(w, shape))


@wp.func(inline=False)
def record_bodies(w: World, recording: Recording, scene: int) -> None:
    """Records the bodies and contacts of a scene after its current step."""
    step = get_int(w, STEP)
    dynamics = get_int(w, DYNAMIC_COUNT)
    save_snapshot(w, recording.snapshots, scene * recording.steps + step, 0, dynamics)
    row = (scene * recording.steps + step) * recording.snapshots.shapes
    for k in range(dynamics):
        body = dynamic_body(w, k)
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            write_vec(recording.swept_aabbs, row, 0, shape_vec(w, shape, SWEPT_AABB))
            row = row + 1
    recording.last_steps[scene] = step


@wp.func(inline=False)
def record_scratch(w: World, recording: Recording, scene: int) -> None:
    """Records the rule's scratch ints after the current step; they keep changing after all bodies sleep."""
    row = (scene * recording.steps + get_int(w, STEP)) * SCRATCH_INTS
    for k in range(SCRATCH_INTS):
        recording.scratch[row + k] = get_int(w, SCRATCH + k)


@wp.func
def came_near(w: World, recording: Recording, scene: int, step: int, first: int) -> bool:
    """Whether an added body (the dynamic ones from the first-th on) may have met one of the scene's during a step."""
    recorded_step = wp.min(step, recording.last_steps[scene])
    row = (scene * recording.steps + recorded_step) * recording.snapshots.shapes
    scene_shapes = int(0)
    for k in range(first):
        scene_shapes = scene_shapes + body_int(w, dynamic_body(w, k), BODY_SHAPES)
    for k in range(first, get_int(w, DYNAMIC_COUNT)):
        body = dynamic_body(w, k)
        first_shape = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first_shape, first_shape + body_int(w, body, BODY_SHAPES)):
            box = swept_aabb(w, shape)
            for other in range(scene_shapes):
                if aabbs_overlap(box, aabb_from(read_vec(recording.swept_aabbs, row, other))):
                    return True
    return False


@wp.func(inline=False)
def merge(w: World, recording: Recording, scene: int, step: int, first: int, added: SnapshotStore, world: int) -> None:
    """Makes a full world of the scene's recorded state after a step and the saved state of its added bodies."""
    load_snapshot(w, added, world, first, get_int(w, DYNAMIC_COUNT))
    recorded_step = wp.min(step, recording.last_steps[scene])
    load_snapshot(w, recording.snapshots, scene * recording.steps + recorded_step, 0, first)
    row = (scene * recording.steps + step) * SCRATCH_INTS
    for k in range(SCRATCH_INTS):
        set_int(w, SCRATCH + k, recording.scratch[row + k])
    set_int(w, STEP, step)
    set_int(w, ALL_ASLEEP, 0)
    if no_body_awake(w):
        set_int(w, ALL_ASLEEP, 1)


@wp.func(inline=False)
def next_approach(w: World, recording: Recording, scene: int, first: int) -> int:
    """The next step in which the scene comes near added bodies that are at rest, or NO_APPROACH."""
    for step in range(get_int(w, STEP) + 1, wp.min(recording.last_steps[scene], recording.decided_steps[scene]) + 1):
        if came_near(w, recording, scene, step, first):
            return step
    return NO_APPROACH
