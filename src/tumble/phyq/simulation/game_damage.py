"""Damage: what contacts and explosions do to the lives of blocks, pigs and TNT, and what happens when one ends.

Part of the rule of the game, inside the kernel. Here is also the named access to the rule's parameters, tables and
outputs (`game_layout`), which all parts of the rule use.
"""

import warp as wp

from tumble.engine.rules.changes import remove_body, set_velocity
from tumble.engine.rules.queries import (
    body_aabb,
    body_count,
    body_scratch,
    contact_count,
    current_step,
    distance_to,
    dynamic_at,
    dynamic_count,
    float_param,
    hit_at,
    int_param,
    is_present,
    mass,
    output_int,
    position,
    set_body_scratch,
    set_output_int,
    table_float,
    table_int,
    velocity,
)
from tumble.engine.state.world import World
from tumble.phyq.catalogue.physics import (
    BLOCK_SCORE,
    DAMAGE_PER_MOMENTUM,
    GROUND_Y,
    HALF_WIDTH,
    MATERIAL_NAMES,
    OTHER_DAMAGE_SHARE,
    PIG_SCORE,
    TNT_EXPLOSION,
)
from tumble.phyq.simulation.game_layout import (
    BIRD,
    BLOCK,
    BODY_FLOATS,
    BODY_INTS,
    BODY_OUTPUTS,
    CLEARED,
    COLLIDERS,
    DEFENCE,
    FACTORS,
    FIRST_CONTACT,
    FIXED,
    FLOAT_TABLE,
    FLOATS_PER_BODY,
    FLOATS_PER_SHOT,
    FLYING,
    INT_TABLE,
    INTS_PER_BODY,
    INTS_PER_SHOT,
    KILLED_BY,
    KILLS,
    KIND,
    LANDED,
    OUTPUTS_PER_BODY,
    OUTPUTS_PER_SHOT,
    PIG,
    PIGS,
    RELEASED,
    REMOVED,
    SCORE,
    SHOT_INTS,
    TNT,
    TURN_ENDED,
    TYPE,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def level_int(w: World, field: int) -> int:
    return table_int(w, int_param(w, INT_TABLE) + field)


@wp.func
def level_float(w: World, field: int) -> float:
    return table_float(w, int_param(w, FLOAT_TABLE) + field)


@wp.func
def body_table_int(w: World, body: int, field: int) -> int:
    return table_int(w, int_param(w, INT_TABLE) + BODY_INTS + body * INTS_PER_BODY + field)


@wp.func
def body_table_float(w: World, body: int, field: int) -> float:
    return table_float(w, int_param(w, FLOAT_TABLE) + BODY_FLOATS + body * FLOATS_PER_BODY + field)


@wp.func
def shot_int(w: World, shot: int, field: int) -> int:
    return int_param(w, SHOT_INTS + shot * INTS_PER_SHOT + field)


@wp.func
def shot_float(w: World, shot: int, field: int) -> float:
    return float_param(w, shot * FLOATS_PER_SHOT + field)


@wp.func
def body_output(w: World, body: int, field: int) -> int:
    return output_int(w, BODY_OUTPUTS + body * OUTPUTS_PER_BODY + field)


@wp.func
def set_body_output(w: World, body: int, field: int, value: int) -> None:
    set_output_int(w, BODY_OUTPUTS + body * OUTPUTS_PER_BODY + field, value)


@wp.func
def shot_output(w: World, shot: int, field: int) -> int:
    return output_int(w, BODY_OUTPUTS + body_count(w) * OUTPUTS_PER_BODY + shot * OUTPUTS_PER_SHOT + field)


@wp.func
def set_shot_output(w: World, shot: int, field: int, value: int) -> None:
    set_output_int(w, BODY_OUTPUTS + body_count(w) * OUTPUTS_PER_BODY + shot * OUTPUTS_PER_SHOT + field, value)


OTHER_DAMAGE = DAMAGE_PER_MOMENTUM * OTHER_DAMAGE_SHARE
TNT_RADIUS, TNT_IMPULSE, TNT_DAMAGE = TNT_EXPLOSION.radius, TNT_EXPLOSION.impulse, TNT_EXPLOSION.damage
MATERIALS = len(MATERIAL_NAMES)
LOWEST_Y = GROUND_Y - 5.0
"""What falls past the end of the ground is removed below this height; the original lets it fall for ever."""


@wp.func
def end_turn(w: World) -> None:
    """Ends the turn of the bird in flight: the next one moves to the sling."""
    set_output_int(w, FLYING, 0)
    set_output_int(w, TURN_ENDED, current_step(w))
    set_shot_output(w, output_int(w, RELEASED) - 1, LANDED, current_step(w))


@wp.func
def remove(w: World, body: int) -> None:
    """Removes a body from the world for good."""
    if output_int(w, FLYING) == body + 1:
        end_turn(w)
    set_body_output(w, body, REMOVED, current_step(w))
    remove_body(w, body)


@wp.func
def reduce_life(w: World, body: int, amount: float, cause: int) -> float:
    """Subtracts damage from the life of a body, and returns what is left; records the cause of death (KILLED_BY)."""
    before = body_scratch(w, body)
    life = before - amount
    set_body_scratch(w, body, life)
    if before > 0.0 and life <= 0.0:
        set_body_output(w, body, KILLED_BY, cause)
    return life


@wp.func
def damage_by_contact(w: World, body: int, other: int, attacker: int, speed: float) -> None:
    """Subtracts the damage of a contact from the life of a block, a pig or TNT, once for each pair of colliders.

    damage = speed * mass * factor - defence: for a block that a bird hits, the bird's mass and the factor of bird and
    material; else the attacker's mass and a constant factor.
    """
    other_kind = body_table_int(w, other, KIND)
    amount = speed * OTHER_DAMAGE
    if body_table_int(w, body, KIND) == BLOCK and other_kind >= BIRD:
        factor = table_float(w, FACTORS + body_table_int(w, other, TYPE) * MATERIALS + body_table_int(w, body, TYPE))
        amount = speed * DAMAGE_PER_MOMENTUM * mass(w, other) * factor
    else:
        amount = amount * mass(w, attacker)
    amount = amount - body_table_float(w, body, DEFENCE)
    if amount > 0.0:
        amount = amount * float(body_table_int(w, body, COLLIDERS) * body_table_int(w, other, COLLIDERS))
        life = reduce_life(w, body, amount, other + 1)
        points = 10 * int(wp.floor(amount + 0.5))
        if other_kind >= BIRD and life > 0.0 and points > 10:
            set_output_int(w, SCORE, output_int(w, SCORE) + points)


@wp.func
def begin_contact(w: World, body: int, other: int, attacker: int, speed: float) -> None:
    """Handles a new contact for one of its two bodies: a bird's first ends its turn, others damage."""
    kind = body_table_int(w, body, KIND)
    if kind >= BIRD:
        if body_output(w, body, FIRST_CONTACT) == 0:
            set_body_output(w, body, FIRST_CONTACT, current_step(w))
            if output_int(w, FLYING) == body + 1:
                end_turn(w)
    elif kind != FIXED:
        damage_by_contact(w, body, other, attacker, speed)


@wp.func(inline=False)
def apply_hits(w: World) -> None:
    """Handles the contacts that began in this step."""
    for k in range(contact_count(w)):
        attacker, victim, speed = hit_at(w, k)
        if speed > 0.0:
            begin_contact(w, attacker, victim, attacker, speed)
            begin_contact(w, victim, attacker, attacker, speed)


@wp.func(inline=False)
def explode(w: World, source: int, radius: float, impulse: float, damage: float) -> None:
    """Damages and pushes away all but birds within a radius of a body, by a share of 1 - distance / radius."""
    centre = position(w, source)
    for k in range(dynamic_count(w)):
        body = dynamic_at(w, k)
        if body != source and is_present(w, body) and body_table_int(w, body, KIND) < BIRD:
            if distance_to(w, body, centre[0], centre[1]) <= radius:
                p = position(w, body)
                dx = p[0] - centre[0]
                dy = p[1] - centre[1]
                far = wp.sqrt(dx * dx + dy * dy)
                share = 1.0 - far / radius
                if share > 0.0:
                    reduce_life(w, body, damage * share, -(source + 1))
                    if far > 0.0:
                        push = impulse * share / (mass(w, body) * far)
                        v = velocity(w, body)
                        set_velocity(w, body, v.linear[0] + push * dx, v.linear[1] + push * dy, v.angular)


@wp.func(inline=False)
def kill(w: World, body: int) -> None:
    """Scores the death of a block, pig or TNT, whose body stays for DEAD_STEPS (see `remove_dead`)."""
    kind = body_table_int(w, body, KIND)
    if kind == TNT:
        explode(w, body, TNT_RADIUS, TNT_IMPULSE, TNT_DAMAGE)
    if kind == BLOCK:
        set_output_int(w, SCORE, output_int(w, SCORE) + BLOCK_SCORE)
    if kind == PIG:
        pigs = output_int(w, PIGS) - 1
        set_output_int(w, PIGS, pigs)
        set_output_int(w, SCORE, output_int(w, SCORE) + PIG_SCORE)
        shots = output_int(w, RELEASED)
        if shots > 0:
            set_shot_output(w, shots - 1, KILLS, shot_output(w, shots - 1, KILLS) + 1)
        if pigs == 0:
            set_output_int(w, CLEARED, current_step(w))
    set_body_output(w, body, REMOVED, current_step(w))


@wp.func
def is_outside(w: World, body: int) -> bool:
    """Whether a body is past the side of the world by more than half its width, or has fallen off the ground."""
    p = position(w, body)
    if p[1] < LOWEST_Y:
        return True
    past = wp.abs(p[0]) - HALF_WIDTH
    if past <= 0.0:
        return False
    box = body_aabb(w, body)
    return past > 0.5 * (box.high[0] - box.low[0])
