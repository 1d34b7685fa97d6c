"""Inside the kernel: whose turn it is and how the level ends; the whole rule, which runs after every step."""

import warp as wp

from tumble.engine.rules.changes import add_body
from tumble.engine.rules.queries import (
    all_sleep,
    body_note,
    current_step,
    dynamic_at,
    dynamic_count,
    is_present,
    note,
    parameter,
    set_body_note,
    set_note,
)
from tumble.engine.state.layout import World
from tumble.phyq.simulation.game.access import (
    body_number,
    body_row,
    level_int,
    level_number,
    set_body_mark,
    set_shot_mark,
    shot_int,
    shot_mark,
    shot_number,
)
from tumble.phyq.simulation.game.damage import die, is_outside, leave, take_hits
from tumble.phyq.simulation.game.layout import (
    BIRD,
    BIRDS,
    BORN,
    CAPPED,
    CLEARED,
    FIRST_BIRD,
    FLYING,
    GIVEN,
    IMMORTAL_STEPS,
    KIND,
    LANDED,
    LANDING,
    LAST_RELEASE,
    LIFE,
    LOST,
    OFF_LIST,
    OPEN,
    PIG,
    PIGS,
    PULL_X,
    PULL_Y,
    READY,
    READY_FROM,
    RELEASED,
    REST_X,
    REST_Y,
    SETTLED,
    SHOT_AT,
    VERDICT_STEPS,
    WAIT,
    WATCHED,
    WHEN_AT_REST,
    WON,
    steps_of,
)
from tumble.phyq.simulation.game.powers import act_birds
from tumble.phyq.tasks.constants import LAUNCH_SPEED

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LONGEST_SETTLING = steps_of(10.0)
"""A level that doesn't come to rest is ready after so many steps all the same."""
NEXT_BIRD_STEPS = steps_of(0.1)
"""How long the next bird moves to the sling."""
REST_CAP = steps_of(30.0)
"""So long after a bird is off the list the next one may be shot, or the level ends, even if things still move."""


@wp.func
def launch(w: World) -> None:
    """Releases the next bird from where it was pulled to."""
    shot = note(w, RELEASED)
    bird = level_int(w, FIRST_BIRD) + shot
    px = shot_number(w, shot, PULL_X)
    py = shot_number(w, shot, PULL_Y)
    x = level_number(w, REST_X) - px
    y = level_number(w, REST_Y) - py
    step = current_step(w)
    set_note(w, RELEASED, shot + 1)
    set_note(w, FLYING, bird + 1)
    set_note(w, LAST_RELEASE, step)
    set_body_mark(w, bird, BORN, step)
    set_shot_mark(w, shot, SHOT_AT, step)
    add_body(w, bird, x, y, 0.0, LAUNCH_SPEED * px, LAUNCH_SPEED * py, 0.0)


@wp.func
def has_calmed(w: World, since: int) -> bool:
    """Whether everything sleeps, or has had its time since a step."""
    return all_sleep(w) or current_step(w) - since >= REST_CAP


@wp.func
def launch_when_due(w: World) -> None:
    """Releases the next bird if one is given, sits on the sling, and its time has come."""
    shot = note(w, RELEASED)
    if note(w, READY) == 1 and note(w, FLYING) == 0 and note(w, PIGS) > 0 and shot < parameter(w, GIVEN):
        step = current_step(w)
        wait = shot_int(w, shot, WAIT)
        if shot == 0 or step - note(w, OFF_LIST) >= NEXT_BIRD_STEPS:
            if wait == WHEN_AT_REST:
                if shot == 0 or has_calmed(w, note(w, OFF_LIST)):
                    launch(w)
            elif step - note(w, LAST_RELEASE) >= wait:
                launch(w)


@wp.func
def verdict(w: World) -> int:
    """Whether the level is over, or can't go on without a further shot."""
    step = current_step(w)
    watched = parameter(w, WATCHED)
    shots = note(w, RELEASED)
    if watched > 0 and shots >= watched and shot_mark(w, watched - 1, LANDED) != 0:
        return LANDING
    if note(w, PIGS) == 0:
        if step - note(w, CLEARED) >= VERDICT_STEPS:
            return WON
    elif note(w, READY) == 1 and note(w, FLYING) == 0 and shots == parameter(w, GIVEN):
        if shots == 0:
            return SETTLED
        off = note(w, OFF_LIST)
        if step - off >= VERDICT_STEPS and has_calmed(w, off):
            if shots < level_int(w, BIRDS):
                return OPEN
            if all_sleep(w):
                return LOST
            return CAPPED
    return 0


@wp.func(inline=False)
def clear_away(w: World) -> None:
    """Takes away what has no life left or left the world."""
    for k in range(dynamic_count(w)):
        body = dynamic_at(w, k)
        if is_present(w, body):
            if body_row(w, body, KIND) >= BIRD:
                if is_outside(w, body):
                    leave(w, body)
            elif body_note(w, body) <= 0.0 or is_outside(w, body):
                die(w, body)


@wp.func
def begin_level(w: World) -> None:
    """Gives everything its life; a level that goes on takes its next shot."""
    if current_step(w) == 0:
        for k in range(dynamic_count(w)):
            body = dynamic_at(w, k)
            set_body_note(w, body, body_number(w, body, LIFE))
            if body_row(w, body, KIND) == PIG:
                set_note(w, PIGS, note(w, PIGS) + 1)
    else:
        launch_when_due(w)


@wp.func
def play_on(w: World) -> int:
    """One step of the game after one of the physics."""
    step = current_step(w)
    if step > IMMORTAL_STEPS:
        take_hits(w)
    act_birds(w)
    clear_away(w)
    if note(w, READY) == 0 and step >= parameter(w, READY_FROM):
        if all_sleep(w) or step >= LONGEST_SETTLING:
            set_note(w, READY, 1)
            set_note(w, LAST_RELEASE, step)
            set_note(w, OFF_LIST, step)
    launch_when_due(w)
    return verdict(w)
