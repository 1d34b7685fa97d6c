"""What birds do besides flying: taps, eggs and fuses, and when a spent bird is removed."""

import warp as wp

from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import length
from tumble.engine.rules.changes import add_body, set_velocity
from tumble.engine.rules.queries import (
    angle,
    body_aabb,
    body_count,
    current_step,
    is_present,
    mass,
    output_int,
    position,
    velocity,
)
from tumble.engine.state.world import World
from tumble.phyq.simulation.game.access import (
    body_output,
    body_table_int,
    level_float,
    level_int,
    set_body_output,
    set_shot_output,
    shot_int,
)
from tumble.phyq.simulation.game.damage import end_turn, explode, remove
from tumble.phyq.simulation.game.layout import (
    BIRD,
    BLACK,
    BLUE,
    EGG,
    FIRST_BIRD,
    FIRST_CONTACT,
    FLYING,
    KIND,
    LAST_RELEASE,
    LAUNCHED,
    LINK,
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
