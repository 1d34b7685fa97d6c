"""How long pairs of bodies touch: one rollout of a world tells which of many goals an action would solve."""

from collections.abc import Sequence

import numpy as np
import warp as wp

from tumble import engine
from tumble.engine import Rule
from tumble.engine.rules.queries import (
    contact_count,
    current_step,
    int_param,
    output_int,
    position,
    scratch_int,
    set_output_int,
    set_scratch_int,
    table_float,
    table_int,
    touching_at,
)
from tumble.engine.state.layout import World
from tumble.phyre.simulation.ball_worlds import build_worlds
from tumble.phyre.tasks.task import HOLD_STEPS, touching_reach
from tumble.scene import Scene

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

PAIRS = 16
"""Pairs of bodies that a rollout measures at most."""
Pair = tuple[int, int]

# Columns of `Rule.ints`: the scene's first entry in `Rule.table_ints`, its numbers of bodies and of pairs, and its
# first entry in `Rule.table_floats`. Its ints are the two bodies of each pair, then for all bodies a and b the number
# of the pair that a contact of a and b is of, or -1. Its floats are the reach of each pair.
FIRST_INT, BODIES, COUNT, FIRST_FLOAT = 0, 1, 2, 3


@wp.func(inline=False)
def _touching_pairs(w: World) -> int:
    """The pairs that touch now, as bits."""
    first = int_param(w, FIRST_INT)
    bodies = int_param(w, BODIES)
    pairs = int_param(w, COUNT)
    found = int(0)
    for k in range(contact_count(w)):
        a, b = touching_at(w, k)
        if a >= 0 and a < bodies and b < bodies:
            pair = table_int(w, first + 2 * pairs + a * bodies + b)
            if pair >= 0:
                found = found | (1 << pair)
    for pair in range(pairs):
        reach = table_float(w, int_param(w, FIRST_FLOAT) + pair)
        if reach > 0.0:
            pa = position(w, table_int(w, first + 2 * pair))
            pb = position(w, table_int(w, first + 2 * pair + 1))
            x = pa[0] - pb[0]
            y = pa[1] - pb[1]
            if wp.sqrt(x * x + y * y) < reach:
                found = found | (1 << pair)
    return found


@wp.func
def _count_steps(w: World) -> int:
    """Output ints: of each pair the most steps in a row, then of each the steps in a row up to now."""
    before = scratch_int(w, 0)
    now = _touching_pairs(w)
    set_scratch_int(w, 0, now)
    if (before | now) != 0:
        for pair in range(int_param(w, COUNT)):
            if ((now >> pair) & 1) != 0:
                held = output_int(w, PAIRS + pair) + 1
                set_output_int(w, PAIRS + pair, held)
                set_output_int(w, pair, wp.max(output_int(w, pair), held))
            elif ((before >> pair) & 1) != 0:
                set_output_int(w, PAIRS + pair, 0)
    return 0


@wp.func
def _keep_touching(w: World, max_steps: int) -> tuple[int, int]:
    left = max_steps - current_step(w)
    for pair in range(int_param(w, COUNT)):
        if ((scratch_int(w, 0) >> pair) & 1) != 0:
            set_output_int(w, pair, wp.max(output_int(w, pair), output_int(w, PAIRS + pair) + left))
    return 0, max_steps


@wp.func
def _too_late(w: World, max_steps: int) -> bool:
    """Whether no more pair will have touched for HOLD_STEPS."""
    left = max_steps - current_step(w)
    if left >= HOLD_STEPS:
        return False
    for pair in range(int_param(w, COUNT)):
        if output_int(w, pair) < HOLD_STEPS and output_int(w, PAIRS + pair) + left >= HOLD_STEPS:
            return False
    return True


def touching_pairs_rule(scenes: Sequence[Scene], pairs: Sequence[Sequence[Pair]], scene_of: np.ndarray) -> Rule:
    """The rule that measures pairs of bodies of each scene; `scene_of` is int [world]: the index of its scene.

    Two bodies touch as they do for the goal of a task. A world ends when no more pair can reach HOLD_STEPS, so numbers
    below that may be too low.
    """
    tables, reaches = [np.zeros(0, np.int32)], [0.0]
    columns = np.zeros((len(scenes), 4), np.int32)
    first = 0
    for row, (scene, some) in enumerate(zip(scenes, pairs, strict=True)):
        count = len(scene.bodies)
        columns[row] = first, count, len(some), len(reaches)
        of_contact = np.full((count, count), -1, np.int32)
        for number, (a, b) in enumerate(some):
            reach = touching_reach(scene, a, b)
            reaches.append(reach)
            if not reach:
                of_contact[a, b] = of_contact[b, a] = number
        tables.append(np.concatenate([np.array(some, np.int32).ravel(), of_contact.ravel()]))
        first += len(tables[-1])
    return Rule(
        _count_steps,
        _keep_touching,
        columns[scene_of],
        too_late=_too_late,
        output_ints=2 * PAIRS,
        table_ints=np.concatenate(tables),
        table_floats=np.array(reaches, np.float32),
    )


def held_steps(
    scenes: Sequence[Scene],
    pairs: Sequence[Sequence[Pair]],
    scene_of: np.ndarray,
    balls: np.ndarray,
    options: engine.Options,
) -> np.ndarray:
    """int32 [world, PAIRS]: the most steps in a row for which each of up to PAIRS pairs of bodies touched.

    Worlds have placed balls [world, ball, (x, y, radius)]. Exact are only numbers of HOLD_STEPS and more.
    """
    most = max((len(some) for some in pairs), default=0)
    if most > PAIRS:
        raise ValueError(f"a rollout measures up to {PAIRS} pairs of bodies, not {most}")
    worlds = build_worlds(tuple(scenes), scene_of, balls)
    rollouts = engine.rollout(worlds, touching_pairs_rule(scenes, pairs, scene_of), options)
    return np.asarray(rollouts.output_ints[:, :PAIRS])
