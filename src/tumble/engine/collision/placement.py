"""Placing a body in the world: its poses, its velocity and the boxes of its shapes."""

import warp as wp

from tumble.engine.collision.broad_phase import clear_aabb, init_aabb
from tumble.engine.math.trig import sine_cosine
from tumble.engine.math.vectors import Transform, to_world
from tumble.engine.state.bodies import (
    CentrePose,
    StartPose,
    Velocity,
    set_centre_pose,
    set_start_pose,
    set_start_transform,
    set_transform,
    set_velocity_of,
)
from tumble.engine.state.definitions import body_mass
from tumble.engine.state.layout import BODY_FIRST_SHAPE, BODY_FLAGS, BODY_SHAPES, DYNAMIC, PRESENT, ROUND
from tumble.engine.state.world import World, body_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func(inline=False)
def place_body(w: World, body: int, origin: wp.vec2, angle: float, linear: wp.vec2, angular: float) -> None:
    """Places a body with its origin at a point; `linear` is the velocity of its centre of mass."""
    flags = body_int(w, body, BODY_FLAGS)
    transform = Transform(origin, 0.0, 1.0)
    if (flags & ROUND) == 0:
        sine, cosine = sine_cosine(angle)
        transform = Transform(origin, sine, cosine)
    centre = to_world(transform, body_mass(w, body).centre)
    set_start_pose(w, body, StartPose(centre, angle, 0.0))
    set_centre_pose(w, body, CentrePose(centre, angle, 0.0))
    set_start_transform(w, body, transform)
    set_transform(w, body, transform)
    if (flags & DYNAMIC) != 0:
        set_velocity_of(w, body, Velocity(linear, angular, 0.0))
    else:
        set_velocity_of(w, body, Velocity(wp.vec2(0.0, 0.0), 0.0, 0.0))
    first = body_int(w, body, BODY_FIRST_SHAPE)
    for shape in range(first, first + body_int(w, body, BODY_SHAPES)):
        if (flags & PRESENT) != 0:
            init_aabb(w, shape, transform)
        else:
            clear_aabb(w, shape)
