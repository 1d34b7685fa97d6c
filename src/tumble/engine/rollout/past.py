"""The past that variants of a scene share.

Until a body that a variant adds comes near a moving body of the scene, the scene moves exactly as it does without it:
static bodies never move, and bodies that don't touch don't influence each other. So the scene is recorded once,
step by step; the added bodies of each variant move alone among the static ones; and a full world begins only where
they come near, from the two states merged. `COVERED` makes "near" exact: it bounds all fat boxes that a shape had
during the step, and no contact is made between shapes whose boxes never met.
"""

import warp as wp

from tumble.engine.collision.broad_phase import boxes_meet
from tumble.engine.dynamics.step import is_still
from tumble.engine.state.layout import (
    BODY_FIRST_SHAPE,
    BODY_SHAPES,
    COVERED,
    DYNAMICS,
    FAT,
    MEMORY,
    MEMORY_INTS,
    STEP,
    STILL,
    World,
    body_int,
    get,
    put,
    put_shape_vec,
    shape_vec,
)
from tumble.engine.state.memory import read_vec, write_vec
from tumble.engine.state.snapshot import Store, load_state, save_state

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Past:
    """Recorded scenes: of each, a state for every step from 0 on until all slept or the rule decided."""

    slots: wp.array(dtype=int)  # of each scene of the batch: its place among the recorded ones
    steps: int  # states that each scene has room for
    states: Store
    covers: wp.uint64  # address; per state: what each shape's boxes covered during the step
    memories: wp.array(dtype=int)  # per step: what the rule remembered
    lasts: wp.array(dtype=int)  # per scene: the last recorded step
    verdicts: wp.array(dtype=wp.int8)  # per scene: how it ends without additions
    ends: wp.array(dtype=int)  # per scene: and after how many steps


@wp.struct
class Branches:
    """Worlds that branch off: how far each came alone, and what to continue from."""

    approaches: wp.array(dtype=int)  # per world: the step in which it first comes near its scene's bodies; 0 never
    kept: Store  # per world: the state of its added bodies before that step
    waiting: wp.array(dtype=int)  # the worlds that come near, to be rolled out in this order


@wp.func
def begin_cover(w: World, first: int) -> None:
    """Has the shapes of dynamic bodies, from the first-th such body on, cover only their boxes of now."""
    for k in range(first, get(w, DYNAMICS)):
        body = get(w, w.dynamics_i + k)
        shape_0 = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(shape_0, shape_0 + body_int(w, body, BODY_SHAPES)):
            put_shape_vec(w, shape, COVERED, shape_vec(w, shape, FAT))


@wp.func(inline=False)
def record_state(w: World, past: Past, scene: int) -> None:
    """Keeps the state of a scene after its current step."""
    step = get(w, STEP)
    dynamics = get(w, DYNAMICS)
    save_state(w, past.states, scene * past.steps + step, 0, dynamics)
    cover = (scene * past.steps + step) * past.states.shapes
    for k in range(dynamics):
        body = get(w, w.dynamics_i + k)
        shape_0 = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(shape_0, shape_0 + body_int(w, body, BODY_SHAPES)):
            write_vec(past.covers, cover, 0, 1, shape_vec(w, shape, COVERED))
            cover = cover + 1
    past.lasts[scene] = step


@wp.func(inline=False)
def record_memory(w: World, past: Past, scene: int) -> None:
    """Keeps what the rule remembers after the current step; it goes on counting after all bodies sleep."""
    at = (scene * past.steps + get(w, STEP)) * MEMORY_INTS
    for k in range(MEMORY_INTS):
        past.memories[at + k] = get(w, MEMORY + k)


@wp.func
def came_near(w: World, past: Past, scene: int, step: int, first: int) -> bool:
    """Whether an added body (the dynamic ones from the first-th on) may have met one of the scene's during a step."""
    at = wp.min(step, past.lasts[scene])
    cover = (scene * past.steps + at) * past.states.shapes
    scene_shapes = int(0)
    for k in range(first):
        scene_shapes = scene_shapes + body_int(w, get(w, w.dynamics_i + k), BODY_SHAPES)
    for k in range(first, get(w, DYNAMICS)):
        body = get(w, w.dynamics_i + k)
        shape_0 = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(shape_0, shape_0 + body_int(w, body, BODY_SHAPES)):
            box = shape_vec(w, shape, COVERED)
            for other in range(scene_shapes):
                if boxes_meet(box, read_vec(past.covers, cover, other, 1)):
                    return True
    return False


@wp.func(inline=False)
def merge(w: World, past: Past, scene: int, step: int, first: int, kept: Store, number: int) -> None:
    """Makes a full world of the scene's state after a step and the kept state of the bodies that the world adds."""
    load_state(w, kept, number, first, get(w, DYNAMICS))
    load_state(w, past.states, scene * past.steps + wp.min(step, past.lasts[scene]), 0, first)
    memories = (scene * past.steps + step) * MEMORY_INTS
    for k in range(MEMORY_INTS):
        put(w, MEMORY + k, past.memories[memories + k])
    put(w, STEP, step)
    put(w, STILL, 0)
    if is_still(w):
        put(w, STILL, 1)


@wp.func(inline=False)
def first_approach(w: World, past: Past, scene: int, first: int) -> int:
    """The first step from now on in which the scene comes near added bodies that lie still; 0 if it never does."""
    for step in range(get(w, STEP) + 1, wp.min(past.lasts[scene], past.ends[scene]) + 1):
        if came_near(w, past, scene, step, first):
            return step
    return 0
