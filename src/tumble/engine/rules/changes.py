"""What a rule can change in its world, inside the kernel and between two steps; and interventions.

Interventions are changes of a world before its next step, a list for each world. `with_interventions` adds the lists
to a rule's parameters, after its own: rows of OP_INTS ints (what to do, to which body) and of OP_FLOATS floats (pose
or impulse, then velocity), then the number of rows.
"""

from dataclasses import replace

import numpy as np
import warp as wp

from tumble.engine.collision.broad_phase import clear_aabb, mark_moved, place_body
from tumble.engine.collision.contacts import create_contacts, destroy_contact, mixed_surface
from tumble.engine.rules.queries import float_param, int_param
from tumble.engine.rules.rule import Rule, RuleError
from tumble.engine.state.bodies import Velocity, body_mass, centre_pose, set_velocity_of, velocity_of, wake
from tumble.engine.state.contacts import contact_surface, set_contact_surface
from tumble.engine.state.geometry import cross
from tumble.engine.state.layout import (
    ALL_ASLEEP,
    AWAKE,
    BODY_A,
    BODY_B,
    BODY_DEF,
    BODY_FIRST_SHAPE,
    BODY_FLAGS,
    BODY_SHAPES,
    CONTACT_COUNT,
    DEF_FLAGS,
    DYNAMIC,
    FLOAT_PARAMS,
    INT_PARAMS,
    PRESENT,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
)
from tumble.engine.state.world import (
    World,
    body_def_int,
    body_int,
    chunk_int,
    contact_int,
    get_int,
    ordered_contact,
    set_body_int,
    set_int,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def destroy_contacts_of(w: World, body: int) -> None:
    """Destroys all contacts of a body; what it touched wakes up."""
    at = get_int(w, CONTACT_COUNT) - 1
    while at >= 0:
        contact = ordered_contact(w, at)
        if contact_int(w, contact, BODY_A) == body or contact_int(w, contact, BODY_B) == body:
            destroy_contact(w, at)
        at = at - 1


@wp.func
def remove_body(w: World, body: int) -> None:
    """Removes a body from the world; what it touched wakes up."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & PRESENT) != 0:
        destroy_contacts_of(w, body)
        set_body_int(w, body, BODY_FLAGS, flags & (~(PRESENT | AWAKE)))
        first = body_int(w, body, BODY_FIRST_SHAPE)
        for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
            clear_aabb(w, shape)
        set_int(w, ALL_ASLEEP, 0)


@wp.func
def _find_contacts(w: World, body: int) -> None:
    """Creates the contacts of a body that was placed anew."""
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        mark_moved(w, shape)
    create_contacts(w)
    set_int(w, ALL_ASLEEP, 0)


@wp.func
def add_body(w: World, body: int, x: float, y: float, angle: float, vx: float, vy: float, angular: float) -> None:
    """Adds a dormant or removed body to the world, its origin at (x, y); it keeps its position in the order."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & PRESENT) == 0:
        set_body_int(w, body, BODY_FLAGS, flags | PRESENT | AWAKE)
        place_body(w, body, wp.vec2(x, y), angle, wp.vec2(vx, vy), angular)
        _find_contacts(w, body)


@wp.func
def move_body(w: World, body: int, x: float, y: float, angle: float) -> None:
    """Moves a body that is present to a new pose, its origin at (x, y); it keeps its velocity and is awake."""
    destroy_contacts_of(w, body)
    wake(w, body)
    v = velocity_of(w, body)
    place_body(w, body, wp.vec2(x, y), angle, v.linear, v.angular)
    set_velocity_of(w, body, v)
    _find_contacts(w, body)


@wp.func
def update_surfaces(w: World, body: int) -> None:
    """Gives the contacts of a body the surfaces that its definition has now; the bodies that it is near wake up."""
    wake(w, body)
    for k in range(get_int(w, CONTACT_COUNT)):
        contact = ordered_contact(w, k)
        a = contact_int(w, contact, BODY_A)
        b = contact_int(w, contact, BODY_B)
        if a == body or b == body:
            def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
            def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
            surface = mixed_surface(w, def_a, def_b)
            old = contact_surface(w, contact)
            surface.step_impulse = old.step_impulse
            surface.hit_speed = old.hit_speed
            set_contact_surface(w, contact, surface)
            wake(w, a)
            wake(w, b)
    set_int(w, ALL_ASLEEP, 0)


@wp.func
def set_velocity(w: World, body: int, vx: float, vy: float, angular: float) -> None:
    """Sets the velocity of a dynamic body and wakes it."""
    if (body_int(w, body, BODY_FLAGS) & (DYNAMIC | PRESENT)) == (DYNAMIC | PRESENT):
        wake(w, body)
        set_velocity_of(w, body, Velocity(wp.vec2(vx, vy), angular, velocity_of(w, body).scratch))
        set_int(w, ALL_ASLEEP, 0)


@wp.func
def apply_impulse(w: World, body: int, px: float, py: float, x: float, y: float) -> None:
    """Applies an impulse in kg m/s to a dynamic body at a point of the world, and wakes it."""
    v = velocity_of(w, body)
    m = body_mass(w, body)
    arm = wp.vec2(x, y) - centre_pose(w, body).position
    turn = m.inverse_inertia * cross(arm, wp.vec2(px, py))
    set_velocity(w, body, v.linear[0] + m.inverse_mass * px, v.linear[1] + m.inverse_mass * py, v.angular + turn)


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
