"""Bodies within a step: waking them, and keeping their transforms true to their centre and angle."""

import warp as wp

from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import rotate
from tumble.engine.state.layout import (
    AWAKE,
    BODY_DEF,
    BODY_FLAGS,
    DEF_MASS,
    PLACE,
    ROUND,
    SWEEP,
    World,
    body_def_vec,
    body_int,
    body_vec,
    put_body_int,
    put_body_vec,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def wake(w: World, body: int) -> None:
    """Wakes a sleeping body; one that is awake keeps its sleep clock."""
    flags = body_int(w, body, BODY_FLAGS)
    if (flags & AWAKE) == 0:
        put_body_int(w, body, BODY_FLAGS, flags | AWAKE)
        sweep = body_vec(w, body, SWEEP)
        put_body_vec(w, body, SWEEP, wp.vec4(sweep[0], sweep[1], sweep[2], 0.0))


@wp.func
def transform(w: World, body: int, flags: int, x: float, y: float, angle: float) -> wp.vec4:
    """The transform of a body whose centre of mass lies at x, y."""
    if (flags & ROUND) != 0:
        return wp.vec4(x, y, 0.0, 1.0)
    sine, cosine = sine_cosine(angle)
    mass = body_def_vec(w, body_int(w, body, BODY_DEF), DEF_MASS)
    t = wp.vec4(0.0, 0.0, sine, cosine)
    arm = rotate(t, wp.vec2(mass[2], mass[3]))
    return wp.vec4(x - arm[0], y - arm[1], sine, cosine)


@wp.func
def move_to(w: World, body: int, x: float, y: float, angle: float, sleep_time: float) -> None:
    """Puts a body's centre of mass and angle, and the transform with them."""
    put_body_vec(w, body, SWEEP, wp.vec4(x, y, angle, sleep_time))
    put_body_vec(w, body, PLACE, transform(w, body, body_int(w, body, BODY_FLAGS), x, y, angle))
