"""Interventions: changes of a world before its next step, a list for each world, applied in the kernel.

`with_interventions` adds the lists to a rule's parameters, after its own: rows of OP_INTS ints (what to do, to which
body) and of OP_FLOATS floats (pose or impulse, then velocity), then the number of rows.
"""

from dataclasses import replace

import numpy as np
import warp as wp

from tumble.engine.rules.changes import (
    add_body,
    apply_impulse,
    destroy_contacts_of,
    move_body,
    remove_body,
    set_velocity,
    update_surfaces,
)
from tumble.engine.rules.queries import float_param, int_param
from tumble.engine.rules.rule import Rule, RuleError
from tumble.engine.state.bodies import centre_pose
from tumble.engine.state.layout import ALL_ASLEEP, BODY_DEF, BODY_FLAGS, DEF_FLAGS, FLOAT_PARAMS, INT_PARAMS
from tumble.engine.state.world import World, body_def_int, body_int, chunk_int, set_body_int, set_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

OP_INTS = 2
OP_FLOATS = 6
NOTHING, PUSH, PUSH_AT, SET_VELOCITY, MOVE, PLACE, REMOVE, UPDATE_SURFACE = range(8)
"""What to do with a body, and its floats, in metres, kg and radians:

NOTHING; PUSH (impulse x, y) at its centre of mass; PUSH_AT (impulse x, y, point x, y); SET_VELOCITY (-, -, -, x, y,
angular); MOVE (x, y, angle) of a body that is present, which keeps its velocity; PLACE (x, y, angle, velocity x, y,
angular) of any body, which becomes what its definition says; REMOVE; UPDATE_SURFACE after a change of its definition.
"""


@wp.func(inline=False)
def _apply(w: World, code: int, body: int, at: int) -> None:
    """Applies one intervention, whose floats begin with the at-th parameter."""
    x = float_param(w, at)
    y = float_param(w, at + 1)
    angle = float_param(w, at + 2)
    vx = float_param(w, at + 3)
    vy = float_param(w, at + 4)
    angular = float_param(w, at + 5)
    if code == PUSH:
        centre = centre_pose(w, body).position
        apply_impulse(w, body, x, y, centre[0], centre[1])
    elif code == PUSH_AT:
        apply_impulse(w, body, x, y, angle, vx)
    elif code == SET_VELOCITY:
        set_velocity(w, body, vx, vy, angular)
    elif code == MOVE:
        move_body(w, body, x, y, angle)
    elif code == PLACE:
        destroy_contacts_of(w, body)
        set_body_int(w, body, BODY_FLAGS, body_def_int(w, body_int(w, body, BODY_DEF), DEF_FLAGS))
        add_body(w, body, x, y, angle, vx, vy, angular)
    elif code == REMOVE:
        destroy_contacts_of(w, body)  # those of a static body, which its scene leaves out, are still there
        remove_body(w, body)
        set_int(w, ALL_ASLEEP, 0)
    elif code == UPDATE_SURFACE:
        update_surfaces(w, body)


@wp.func
def _intervene(w: World) -> None:
    width = int_param(w, chunk_int(w, INT_PARAMS) - 1)
    ints = chunk_int(w, INT_PARAMS) - 1 - width * OP_INTS
    floats = chunk_int(w, FLOAT_PARAMS) - width * OP_FLOATS
    for k in range(width):
        _apply(w, int_param(w, ints + k * OP_INTS), int_param(w, ints + k * OP_INTS + 1), floats + k * OP_FLOATS)


def with_interventions(rule: Rule, ints: np.ndarray, floats: np.ndarray) -> Rule:
    """A resumable rule that changes worlds before their first step and then decides as `rule` does.

    `ints` is int [worlds, interventions, OP_INTS], `floats` float [worlds, interventions, OP_FLOATS]. What follows from
    `rule` in a world at rest is found step by step, so that the numbers that it keeps are those of every step.
    """
    if rule.begin is not None:
        raise RuleError("a rule with a begin function of its own can't be combined with interventions")
    count, width = ints.shape[:2]
    own = rule.for_worlds(count)
    rows = [own.ints, ints.reshape(count, width * OP_INTS), np.full((count, 1), width)]
    return replace(
        own,
        settled=None,
        too_late=None,
        begin=_intervene,
        resumable=True,
        ints=np.concatenate(rows, axis=1).astype(np.int32),
        floats=np.concatenate([own.floats, floats.reshape(count, width * OP_FLOATS)], axis=1).astype(np.float32),
    )
