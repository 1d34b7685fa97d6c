"""Turns and verdicts, and the whole rule: what is called before the first step and after every step."""

import warp as wp

from tumble.engine.rules.changes import add_body, remove_body
from tumble.engine.rules.queries import (
    all_asleep,
    body_scratch,
    current_step,
    dynamic_at,
    dynamic_count,
    int_param,
    is_present,
    output_int,
    set_body_scratch,
    set_output_int,
)
from tumble.engine.state.world import World
from tumble.phyq.simulation.game.access import (
    body_output,
    body_table_float,
    body_table_int,
    level_float,
    level_int,
    set_body_output,
    set_shot_output,
    shot_float,
    shot_int,
    shot_output,
)
from tumble.phyq.simulation.game.damage import apply_hits, is_outside, kill, remove
from tumble.phyq.simulation.game.layout import (
    BIRD,
    BIRDS,
    CAPPED,
    CLEARED,
    FIRST_BIRD,
    FLYING,
    IMMORTAL_STEPS,
    KIND,
    LANDED,
    LANDING,
    LAST_RELEASE,
    LAUNCHED,
    LIFE,
    LOST,
    NEXT_READY,
    OPEN,
    PIG,
    PIGS,
    PULL_X,
    PULL_Y,
    READY,
    READY_FROM,
    RELEASED,
    REMOVED,
    REST_X,
    REST_Y,
    SETTLED,
    SHOT_AT,
    SHOT_COUNT,
    STOP_AFTER,
    STOPPED,
    TURN_ENDED,
    VERDICT_STEPS,
    WAIT,
    WATCHED_SHOT,
    WHEN_AT_REST,
    WON,
    steps_of,
)
from tumble.phyq.simulation.game.powers import update_birds
from tumble.phyq.tasks.constants import DEAD_TIME, LAUNCH_SPEED

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

LONGEST_SETTLING = steps_of(10.0)
"""Steps after which a level is ready even if it has not come to rest."""
NEXT_BIRD_STEPS = steps_of(0.1)
"""Steps that the next bird takes to move to the sling."""
DEAD_STEPS = steps_of(DEAD_TIME)
REST_CAP = steps_of(30.0)
"""Steps after the end of a turn from which on the next bird may be shot, or the level ends, even if things move."""


@wp.func
def launch(w: World) -> None:
    """Launches the next bird from where it was pulled to."""
    shot = output_int(w, RELEASED)
    bird = level_int(w, FIRST_BIRD) + shot
    px = shot_float(w, shot, PULL_X)
    py = shot_float(w, shot, PULL_Y)
    x = level_float(w, REST_X) - px
    y = level_float(w, REST_Y) - py
    step = current_step(w)
    set_output_int(w, RELEASED, shot + 1)
    set_output_int(w, FLYING, bird + 1)
    set_output_int(w, LAST_RELEASE, step)
    set_output_int(w, NEXT_READY, 0)
    set_body_output(w, bird, LAUNCHED, step)
    set_shot_output(w, shot, SHOT_AT, step)
    add_body(w, bird, x, y, 0.0, LAUNCH_SPEED * px, LAUNCH_SPEED * py, 0.0)


@wp.func
def has_settled(w: World, since: int) -> bool:
    """Whether everything sleeps, or REST_CAP steps have passed since a step."""
    return all_asleep(w) or current_step(w) - since >= REST_CAP


@wp.func
def launch_when_due(w: World) -> None:
    """Launches the next bird if there is a shot for it, the last turn is over, and its time has come."""
    shot = output_int(w, RELEASED)
    may_launch = output_int(w, READY) == 1 and output_int(w, FLYING) == 0 and output_int(w, PIGS) > 0
    if may_launch and shot < int_param(w, SHOT_COUNT):
        step = current_step(w)
        wait = shot_int(w, shot, WAIT)
        if shot == 0 or step - output_int(w, TURN_ENDED) >= NEXT_BIRD_STEPS:
            if wait == WHEN_AT_REST:
                if shot == 0 or has_settled(w, output_int(w, TURN_ENDED)):
                    launch(w)
            elif step - output_int(w, LAST_RELEASE) >= wait:
                launch(w)


@wp.func
def verdict(w: World) -> int:
    """The verdict, if the level is over or can't continue without a further shot; else 0."""
    step = current_step(w)
    watched = int_param(w, WATCHED_SHOT)
    shots = output_int(w, RELEASED)
    if watched > 0 and shots >= watched and shot_output(w, watched - 1, LANDED) != 0:
        return LANDING
    if output_int(w, PIGS) == 0:
        if step - output_int(w, CLEARED) >= VERDICT_STEPS:
            return WON
    elif output_int(w, READY) == 1 and output_int(w, FLYING) == 0 and shots == int_param(w, SHOT_COUNT):
        if shots == 0:
            return SETTLED
        ended = output_int(w, TURN_ENDED)
        next_in_place = step - ended >= NEXT_BIRD_STEPS
        rests = has_settled(w, ended)
        if next_in_place and rests and output_int(w, NEXT_READY) == 0:
            set_output_int(w, NEXT_READY, step)
        if step - ended >= VERDICT_STEPS and rests:
            if shots < level_int(w, BIRDS):
                return OPEN
            if all_asleep(w):
                return LOST
            return CAPPED
        stop = int_param(w, STOP_AFTER)
        if stop != WHEN_AT_REST and next_in_place and step - output_int(w, LAST_RELEASE) >= stop:
            if shots < level_int(w, BIRDS):
                return STOPPED
    return 0


@wp.func(inline=False)
def remove_dead(w: World) -> None:
    """Removes what has left the world, and DEAD_STEPS after its death what has no life left."""
    for k in range(dynamic_count(w)):
        body = dynamic_at(w, k)
        if is_present(w, body):
            if body_table_int(w, body, KIND) >= BIRD:
                if is_outside(w, body):
                    remove(w, body)
            else:
                outside = is_outside(w, body)
                died = body_output(w, body, REMOVED)
                if died == 0 and (outside or body_scratch(w, body) <= 0.0):
                    kill(w, body)
                    died = current_step(w)
                if died != 0 and (outside or current_step(w) - died >= DEAD_STEPS):
                    remove_body(w, body)


@wp.func
def start_level(w: World) -> None:
    """Sets all lives at the start; a level that is resumed launches its next shot."""
    if current_step(w) == 0:
        for k in range(dynamic_count(w)):
            body = dynamic_at(w, k)
            set_body_scratch(w, body, body_table_float(w, body, LIFE))
            if body_table_int(w, body, KIND) == PIG:
                set_output_int(w, PIGS, output_int(w, PIGS) + 1)
    else:
        launch_when_due(w)


@wp.func
def step_game(w: World) -> int:
    """One step of the game after one of the physics."""
    step = current_step(w)
    if step > IMMORTAL_STEPS:
        apply_hits(w)
    update_birds(w)
    remove_dead(w)
    if output_int(w, READY) == 0 and step >= int_param(w, READY_FROM):
        if all_asleep(w) or step >= LONGEST_SETTLING:
            set_output_int(w, READY, 1)
            set_output_int(w, LAST_RELEASE, step)
            set_output_int(w, TURN_ENDED, step)
    launch_when_due(w)
    return verdict(w)
