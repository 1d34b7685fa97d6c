"""The rule of the game inside the kernel: turns and verdicts, and what birds do besides flying.

`start_level` is called before the first step and `step_game` after every step of the physics. Birds have taps, eggs
and fuses, and are removed when they are spent.
"""

import warp as wp

from tumble.engine.rules.changes import add_body, remove_body, set_velocity
from tumble.engine.rules.queries import (
    all_asleep,
    angle,
    body_aabb,
    body_count,
    body_scratch,
    current_step,
    dynamic_at,
    dynamic_count,
    int_param,
    is_present,
    mass,
    output_int,
    position,
    set_body_scratch,
    set_output_int,
    velocity,
)
from tumble.engine.state.geometry import length, sine_cosine
from tumble.engine.state.world import World
from tumble.phyq.catalogue.physics import (
    BIRD_CHECK_PERIOD,
    BIRD_FIRST_CHECK,
    BIRD_LIFE_TIME,
    BIRD_REST_SPEED,
    BIRDS,
    DEAD_TIME,
    EGG_EXPLOSION,
    EGG_VELOCITY,
    FUSE_TIME,
    LAUNCH_SPEED,
    TAP_CLEARANCE,
)
from tumble.phyq.simulation.game_damage import (
    apply_hits,
    body_output,
    body_table_float,
    body_table_int,
    end_turn,
    explode,
    is_outside,
    kill,
    level_float,
    level_int,
    remove,
    set_body_output,
    set_shot_output,
    shot_float,
    shot_int,
    shot_output,
)
from tumble.phyq.simulation.game_layout import (
    BIRD,
    BIRD_COUNT,
    BLACK,
    BLUE,
    CAPPED,
    CLEARED,
    EGG,
    FIRST_BIRD,
    FIRST_CONTACT,
    FLYING,
    IMMORTAL_STEPS,
    KIND,
    LANDED,
    LANDING,
    LAST_RELEASE,
    LAUNCHED,
    LIFE,
    LINK,
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
    TAP,
    TAPPED,
    TURN_ENDED,
    TYPE,
    VERDICT_STEPS,
    WAIT,
    WATCHED_SHOT,
    WHEN_AT_REST,
    WHITE,
    WON,
    YELLOW,
    steps_of,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

RADIANS = 3.141592653589793 / 180.0
_bomb = BIRDS["black"].explosion
assert _bomb is not None
BOMB_RADIUS, BOMB_IMPULSE, BOMB_DAMAGE = _bomb.radius, _bomb.impulse, _bomb.damage
EGG_RADIUS, EGG_IMPULSE, EGG_DAMAGE = EGG_EXPLOSION.radius, EGG_EXPLOSION.impulse, EGG_EXPLOSION.damage
EGG_VX, EGG_VY = EGG_VELOCITY
BOOST = BIRDS["yellow"].boost_impulse
LIFT = BIRDS["white"].lift_impulse
FAN = len(BIRDS["blue"].fan_headings)
FAN_FIRST = BIRDS["blue"].fan_headings[0] * RADIANS
FAN_STEP = (BIRDS["blue"].fan_headings[1] - BIRDS["blue"].fan_headings[0]) * RADIANS
FUSE_STEPS = steps_of(FUSE_TIME)
FIRST_CHECK_STEPS = steps_of(BIRD_FIRST_CHECK)
CHECK_STEPS = steps_of(BIRD_CHECK_PERIOD)
LIFE_STEPS = steps_of(BIRD_LIFE_TIME)


@wp.func
def split_bird(w: World, bird: int) -> None:
    """Replaces a blue bird by three split birds, in a fan about its heading."""
    p = position(w, bird)
    v = velocity(w, bird)
    bird_angle = angle(w, bird)
    first = body_table_int(w, bird, LINK)
    remove(w, bird)
    for k in range(FAN):
        sine, cosine = sine_cosine(FAN_FIRST + float(k) * FAN_STEP)
        vx = cosine * v.linear[0] - sine * v.linear[1]
        vy = sine * v.linear[0] + cosine * v.linear[1]
        add_body(w, first + k, p[0], p[1], bird_angle, vx, vy, v.angular)
        set_body_output(w, first + k, LAUNCHED, current_step(w))


@wp.func(inline=False)
def use_power(w: World, bird: int) -> None:
    """Applies the power of the bird in flight: boost, split, egg or explosion, by its colour."""
    colour = body_table_int(w, bird, TYPE)
    p = position(w, bird)
    v = velocity(w, bird)
    if colour == YELLOW:
        speed = length(v.linear)
        if speed > 0.0:
            boost = BOOST / (mass(w, bird) * speed)
            set_velocity(w, bird, v.linear[0] + boost * v.linear[0], v.linear[1] + boost * v.linear[1], v.angular)
    if colour == BLUE:
        split_bird(w, bird)
    if colour == WHITE:
        set_velocity(w, bird, v.linear[0], v.linear[1] + LIFT / mass(w, bird), v.angular)
        add_body(w, body_table_int(w, bird, LINK), p[0], p[1], 0.0, EGG_VX, EGG_VY, 0.0)
        end_turn(w)
    if colour == BLACK:
        explode(w, bird, BOMB_RADIUS, BOMB_IMPULSE, BOMB_DAMAGE)
        remove(w, bird)
    if colour == YELLOW or colour == BLUE or colour == WHITE or colour == BLACK:
        set_shot_output(w, output_int(w, RELEASED) - 1, TAPPED, current_step(w))


@wp.func
def tap(w: World) -> None:
    """Taps the bird in flight at the step of its tap; without effect on a bird that is not yet past the sling."""
    bird = output_int(w, FLYING) - 1
    if bird >= 0:
        after = shot_int(w, output_int(w, RELEASED) - 1, TAP)
        if after > 0 and current_step(w) - output_int(w, LAST_RELEASE) == after:
            box = body_aabb(w, bird)
            if position(w, bird)[0] + (box.high[0] - box.low[0]) > level_float(w, REST_X) + TAP_CLEARANCE:
                use_power(w, bird)


@wp.func
def is_spent(w: World, bird: int) -> bool:
    """Whether a bird is slow at one of the checks after its first contact, or older than birds may get."""
    step = current_step(w)
    if step - body_output(w, bird, LAUNCHED) >= LIFE_STEPS:
        return True
    contact = body_output(w, bird, FIRST_CONTACT)
    if contact == 0 or step - contact < FIRST_CHECK_STEPS or (step - contact) % CHECK_STEPS != 0:
        return False
    return length(velocity(w, bird).linear) < BIRD_REST_SPEED


@wp.func(inline=False)
def update_birds(w: World) -> None:
    """Taps the bird in flight, explodes eggs after their contact and bombs after their fuse, removes spent birds."""
    tap(w)
    step = current_step(w)
    for body in range(level_int(w, FIRST_BIRD), body_count(w)):
        if is_present(w, body):
            kind = body_table_int(w, body, KIND)
            contact = body_output(w, body, FIRST_CONTACT)
            is_bomb = kind == BIRD and body_table_int(w, body, TYPE) == BLACK
            if kind == EGG:
                if contact != 0:
                    explode(w, body, EGG_RADIUS, EGG_IMPULSE, EGG_DAMAGE)
                    remove(w, body)
            elif is_bomb and contact != 0 and step - contact >= FUSE_STEPS:
                explode(w, body, BOMB_RADIUS, BOMB_IMPULSE, BOMB_DAMAGE)
                remove(w, body)
            elif is_spent(w, body):
                remove(w, body)


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
            if shots < level_int(w, BIRD_COUNT):
                return OPEN
            if all_asleep(w):
                return LOST
            return CAPPED
        stop = int_param(w, STOP_AFTER)
        if stop != WHEN_AT_REST and next_in_place and step - output_int(w, LAST_RELEASE) >= stop:
            if shots < level_int(w, BIRD_COUNT):
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
