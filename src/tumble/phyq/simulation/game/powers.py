"""Inside the kernel: what birds do besides flying. Taps, eggs and fuses, and when a spent bird is taken away."""

import warp as wp

from tumble.engine.math.trig import sine_cosine
from tumble.engine.rules.changes import add_body, set_velocity
from tumble.engine.rules.queries import (
    angle,
    body_box,
    body_count,
    current_step,
    is_present,
    mass,
    note,
    position,
    velocity,
)
from tumble.engine.state.layout import World
from tumble.phyq.simulation.game.access import (
    body_mark,
    body_row,
    level_int,
    level_number,
    set_body_mark,
    set_shot_mark,
    shot_int,
)
from tumble.phyq.simulation.game.damage import explode, leave, take_off_list
from tumble.phyq.simulation.game.layout import (
    BIRD,
    BLACK,
    BLUE,
    BORN,
    EGG,
    FIRST_BIRD,
    FLYING,
    KIND,
    LAST_RELEASE,
    LINK,
    MET,
    RELEASED,
    REST_X,
    TAP,
    TAPPED,
    TYPE,
    WHITE,
    YELLOW,
    steps_of,
)
from tumble.phyq.tasks.constants import (
    BIRD_CHECK_PERIOD,
    BIRD_FIRST_CHECK,
    BIRD_LIFE_TIME,
    BIRD_REST_SPEED,
    TAP_CLEARANCE,
)
from tumble.phyq.tasks.pieces import BIRDS, EGG_EXPLOSION, EGG_VELOCITY, FUSE_TIME

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
def split(w: World, bird: int) -> None:
    """Replaces a blue bird by its fledglings, in a fan about its heading."""
    p = position(w, bird)
    v = velocity(w, bird)
    turned = angle(w, bird)
    first = body_row(w, bird, LINK)
    leave(w, bird)
    for k in range(FAN):
        sine, cosine = sine_cosine(FAN_FIRST + float(k) * FAN_STEP)
        vx = cosine * v[0] - sine * v[1]
        vy = sine * v[0] + cosine * v[1]
        add_body(w, first + k, p[0], p[1], turned, vx, vy, v[2])
        set_body_mark(w, first + k, BORN, current_step(w))


@wp.func(inline=False)
def use_power(w: World, bird: int) -> None:
    """Does what a tap does to the bird in flight."""
    colour = body_row(w, bird, TYPE)
    p = position(w, bird)
    v = velocity(w, bird)
    if colour == YELLOW:
        speed = wp.sqrt(v[0] * v[0] + v[1] * v[1])
        if speed > 0.0:
            more = BOOST / (mass(w, bird) * speed)
            set_velocity(w, bird, v[0] + more * v[0], v[1] + more * v[1], v[2])
    if colour == BLUE:
        split(w, bird)
    if colour == WHITE:
        set_velocity(w, bird, v[0], v[1] + LIFT / mass(w, bird), v[2])
        add_body(w, body_row(w, bird, LINK), p[0], p[1], 0.0, EGG_VX, EGG_VY, 0.0)
        take_off_list(w)
    if colour == BLACK:
        explode(w, bird, BOMB_RADIUS, BOMB_IMPULSE, BOMB_DAMAGE)
        leave(w, bird)
    if colour == YELLOW or colour == BLUE or colour == WHITE or colour == BLACK:
        set_shot_mark(w, note(w, RELEASED) - 1, TAPPED, current_step(w))


@wp.func
def tap(w: World) -> None:
    """Taps the bird in flight when its time has come; the tap is lost on one that is not yet past the sling."""
    bird = note(w, FLYING) - 1
    if bird >= 0:
        after = shot_int(w, note(w, RELEASED) - 1, TAP)
        if after > 0 and current_step(w) - note(w, LAST_RELEASE) == after:
            around = body_box(w, bird)
            if position(w, bird)[0] + (around[2] - around[0]) > level_number(w, REST_X) + TAP_CLEARANCE:
                use_power(w, bird)


@wp.func
def is_spent(w: World, bird: int) -> bool:
    """Whether a bird has lain still for long enough, or has been about for too long."""
    step = current_step(w)
    if step - body_mark(w, bird, BORN) >= LIFE_STEPS:
        return True
    met = body_mark(w, bird, MET)
    if met == 0 or step - met < FIRST_CHECK_STEPS or (step - met) % CHECK_STEPS != 0:
        return False
    v = velocity(w, bird)
    return wp.sqrt(v[0] * v[0] + v[1] * v[1]) < BIRD_REST_SPEED


@wp.func(inline=False)
def act_birds(w: World) -> None:
    """Taps, bursting eggs, fuses that have burnt down, and spent birds."""
    tap(w)
    step = current_step(w)
    for body in range(level_int(w, FIRST_BIRD), body_count(w)):
        if is_present(w, body):
            kind = body_row(w, body, KIND)
            met = body_mark(w, body, MET)
            if kind == EGG:
                if met != 0:
                    explode(w, body, EGG_RADIUS, EGG_IMPULSE, EGG_DAMAGE)
                    leave(w, body)
            elif kind == BIRD and body_row(w, body, TYPE) == BLACK and met != 0 and step - met >= FUSE_STEPS:
                explode(w, body, BOMB_RADIUS, BOMB_IMPULSE, BOMB_DAMAGE)
                leave(w, body)
            elif is_spent(w, body):
                leave(w, body)
