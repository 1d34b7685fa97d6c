"""The past that variants of a scene share.

Until a body that a variant adds comes near a moving body of the scene, the scene moves exactly as it does without it:
static bodies never move, and bodies that don't touch don't influence each other. So the scene is recorded once, step
by step; the added bodies of each variant move alone among the static ones; and a full world starts only where they
come near, merged from the two states. SWEPT_AABB makes "near" exact: it bounds all fat AABBs that a shape had during
the step, and no contact is created between shapes whose AABBs never overlapped.
"""

import warp as wp

from tumble.engine.dynamics.step import no_body_awake
from tumble.engine.math.aabb import aabbs_overlap
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    BODY_FIRST_SHAPE,
    BODY_SHAPES,
    DYNAMIC_COUNT,
    SCRATCH,
    SCRATCH_INTS,
    STEP,
    SWEPT_AABB,
)
from tumble.engine.state.memory import read_vec, write_vec
from tumble.engine.state.shapes import aabb_from, fat_aabb, set_swept_aabb, swept_aabb
from tumble.engine.state.snapshot import SnapshotStore, load_snapshot, save_snapshot
from tumble.engine.state.world import World, body_int, dynamic_body, get_int, set_int, shape_vec

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

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
