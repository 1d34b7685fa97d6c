"""Inside the kernel: what contacts and explosions do to lives, and what happens when one ends."""

import warp as wp

from tumble.engine.rules.changes import remove_body, set_velocity
from tumble.engine.rules.queries import (
    body_box,
    body_note,
    contact_count,
    current_step,
    distance_to,
    dynamic_at,
    dynamic_count,
    is_present,
    mass,
    meeting_at,
    note,
    position,
    set_body_note,
    set_note,
    table_number,
    velocity,
)
from tumble.engine.state.layout import World
from tumble.phyq.simulation.game.access import body_mark, body_number, body_row, set_body_mark, set_shot_mark, shot_mark
from tumble.phyq.simulation.game.layout import (
    BIRD,
    BLOCK,
    CLEARED,
    COLLIDERS,
    DEFENCE,
    FACTORS,
    FIXED,
    FLYING,
    GONE,
    KILLS,
    KIND,
    LANDED,
    MET,
    OFF_LIST,
    PIG,
    PIGS,
    RELEASED,
    SCORE,
    TNT,
    TYPE,
)
from tumble.phyq.tasks.constants import DAMAGE_PER_MOMENTUM, GROUND_Y, HALF_WIDTH, OTHER_DAMAGE_SHARE
from tumble.phyq.tasks.pieces import BLOCK_SCORE, MATERIAL_NAMES, PIG_SCORE, TNT_EXPLOSION

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

OTHER_DAMAGE = DAMAGE_PER_MOMENTUM * OTHER_DAMAGE_SHARE
TNT_RADIUS, TNT_IMPULSE, TNT_DAMAGE = TNT_EXPLOSION.radius, TNT_EXPLOSION.impulse, TNT_EXPLOSION.damage
MATERIALS = len(MATERIAL_NAMES)
ABYSS = GROUND_Y - 5.0
"""What falls past the end of the ground is gone below this height; the original lets it fall for ever."""


@wp.func
def take_off_list(w: World) -> None:
    """Ends the turn of the bird in flight: the next one moves to the sling."""
    set_note(w, FLYING, 0)
    set_note(w, OFF_LIST, current_step(w))
    set_shot_mark(w, note(w, RELEASED) - 1, LANDED, current_step(w))


@wp.func
def leave(w: World, body: int) -> None:
    """Takes a body out of the world for good."""
    if note(w, FLYING) == body + 1:
        take_off_list(w)
    set_body_mark(w, body, GONE, current_step(w))
    remove_body(w, body)


@wp.func
def hurt(w: World, body: int, other: int, attacker: int, speed: float) -> None:
    """Takes from a block's, pig's or TNT's life what a contact costs it, once for each pair of colliders."""
    other_kind = body_row(w, other, KIND)
    amount = speed * OTHER_DAMAGE
    if body_row(w, body, KIND) == BLOCK and other_kind >= BIRD:
        factor = table_number(w, FACTORS + body_row(w, other, TYPE) * MATERIALS + body_row(w, body, TYPE))
        amount = speed * DAMAGE_PER_MOMENTUM * mass(w, other) * factor
    else:
        amount = amount * mass(w, attacker)
    amount = amount - body_number(w, body, DEFENCE)
    if amount > 0.0:
        amount = amount * float(body_row(w, body, COLLIDERS) * body_row(w, other, COLLIDERS))
        life = body_note(w, body) - amount
        set_body_note(w, body, life)
        points = 10 * int(wp.floor(amount + 0.5))
        if other_kind >= BIRD and life > 0.0 and points > 10:
            set_note(w, SCORE, note(w, SCORE) + points)


@wp.func
def meet(w: World, body: int, other: int, attacker: int, speed: float) -> None:
    """What a new contact means for one of the two bodies."""
    kind = body_row(w, body, KIND)
    if kind >= BIRD:
        if body_mark(w, body, MET) == 0:
            set_body_mark(w, body, MET, current_step(w))
            if note(w, FLYING) == body + 1:
                take_off_list(w)
    elif kind != FIXED:
        hurt(w, body, other, attacker, speed)


@wp.func(inline=False)
def take_hits(w: World) -> None:
    """Goes through the contacts that began in this step."""
    for k in range(contact_count(w)):
        attacker, victim, speed = meeting_at(w, k)
        if speed > 0.0:
            meet(w, attacker, victim, attacker, speed)
            meet(w, victim, attacker, attacker, speed)


@wp.func(inline=False)
def explode(w: World, source: int, radius: float, impulse: float, damage: float) -> None:
    """Hurts and pushes away all but birds within reach of a body, less with the distance of their centres."""
    centre = position(w, source)
    for k in range(dynamic_count(w)):
        body = dynamic_at(w, k)
        if body != source and is_present(w, body) and body_row(w, body, KIND) < BIRD:
            if distance_to(w, body, centre[0], centre[1]) <= radius:
                p = position(w, body)
                dx = p[0] - centre[0]
                dy = p[1] - centre[1]
                far = wp.sqrt(dx * dx + dy * dy)
                share = 1.0 - far / radius
                if share > 0.0:
                    set_body_note(w, body, body_note(w, body) - damage * share)
                    if far > 0.0:
                        push = impulse * share / (mass(w, body) * far)
                        v = velocity(w, body)
                        set_velocity(w, body, v[0] + push * dx, v[1] + push * dy, v[2])


@wp.func(inline=False)
def die(w: World, body: int) -> None:
    """Ends a block's, pig's or TNT's life."""
    kind = body_row(w, body, KIND)
    if kind == TNT:
        explode(w, body, TNT_RADIUS, TNT_IMPULSE, TNT_DAMAGE)
    if kind == BLOCK:
        set_note(w, SCORE, note(w, SCORE) + BLOCK_SCORE)
    if kind == PIG:
        pigs = note(w, PIGS) - 1
        set_note(w, PIGS, pigs)
        set_note(w, SCORE, note(w, SCORE) + PIG_SCORE)
        shots = note(w, RELEASED)
        if shots > 0:
            set_shot_mark(w, shots - 1, KILLS, shot_mark(w, shots - 1, KILLS) + 1)
        if pigs == 0:
            set_note(w, CLEARED, current_step(w))
    leave(w, body)


@wp.func
def is_outside(w: World, body: int) -> bool:
    """Whether a body is past the side of the world by more than half its width, or has fallen off the ground."""
    p = position(w, body)
    if p[1] < ABYSS:
        return True
    past = wp.abs(p[0]) - HALF_WIDTH
    if past <= 0.0:
        return False
    around = body_box(w, body)
    return past > 0.5 * (around[2] - around[0])
