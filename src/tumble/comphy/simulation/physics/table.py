"""Friction with the table: cubes and cylinders slide on four points, spheres skid until they roll."""

import math

import warp as wp

from tumble.comphy.simulation.physics.contacts import CUBE, ONE, ZERO, cross, turn
from tumble.comphy.simulation.physics.worlds import (
    BALL_RADIUS,
    CUBE_INERTIA,
    ROUND_INERTIA,
    Worlds,
    heading_of,
)
from tumble.comphy.tasks.constants import CUBE_HALF_SIZE, RADIUS

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FRICTION_ROUNDS = 3
"""Rounds over the support points of a body."""
SLIP_SHARE = wp.constant(wp.float64(2.0 / 7.0))
"""Impulse per mass that ends a unit of a sphere's slip: 1 / (1 + m r^2 / I), with I = 2/5 m r^2."""
SPIN_PER_IMPULSE = wp.constant(wp.float64(2.5 / RADIUS))
"""Angular velocity of a sphere by a unit of impulse per mass at its surface: r m / I."""
SUPPORT = wp.constant(wp.float64(CUBE_HALF_SIZE))
"""Cubes stand on their corners (SUPPORT, SUPPORT), …, cylinders on four points of their rim."""
RIM = wp.constant(wp.float64(RADIUS / math.sqrt(2.0)))


@wp.func
def clipped(v: wp.vec2d, limit: wp.float64) -> wp.vec2d:
    """The vector, at most as long as the limit."""
    length = wp.sqrt(v[0] * v[0] + v[1] * v[1])
    if length <= limit:
        return v
    return v * (limit / length)


@wp.func
def support_of(shape: int, heading: wp.vec2d, k: int) -> wp.vec2d:
    """One of the four points on which a cube or cylinder stands, from its centre."""
    reach = SUPPORT
    if shape != CUBE:
        reach = RIM
    x, y = reach, reach
    if k == 1 or k == 2:
        x = -reach
    if k >= 2:
        y = -reach
    return turn(heading, wp.vec2d(x, y))


@wp.func
def slide(worlds: Worlds, w: int, k: int, shape: int, limit: wp.float64) -> None:
    """Friction of a cube or cylinder, a quarter at each support point; `limit` is the impulse per mass of a step."""
    before_slide = worlds.velocity[w, k]
    velocity, spin = wp.vec2d(before_slide[0], before_slide[1]), wp.float64(worlds.spin[w, k][2])
    if spin == ZERO:
        worlds.velocity[w, k] = velocity - clipped(velocity, limit)
        return
    inertia = CUBE_INERTIA
    if shape != CUBE:
        inertia = ROUND_INERTIA
    heading = heading_of(worlds.rotation[w, k])
    share = limit * wp.float64(0.25)
    given = wp.matrix(shape=(4, 2), dtype=wp.float64)
    for _ in range(FRICTION_ROUNDS):
        for point in range(4):
            arm = support_of(shape, heading, point)
            moves = velocity + wp.vec2d(-spin * arm[1], spin * arm[0])
            effective = ONE / (ONE + (arm[0] * arm[0] + arm[1] * arm[1]) / inertia)
            before = wp.vec2d(given[point, 0], given[point, 1])
            after = clipped(before - moves * effective, share)
            given[point, 0] = after[0]
            given[point, 1] = after[1]
            velocity = velocity + (after - before)
            spin = spin + cross(arm, after - before) / inertia
    worlds.velocity[w, k] = velocity
    worlds.spin[w, k] = wp.vec3d(ZERO, ZERO, spin)


@wp.func
def roll(worlds: Worlds, w: int, k: int, limit: wp.float64) -> None:
    """Friction of a sphere, which ends its skidding."""
    velocity, spin = worlds.velocity[w, k], worlds.spin[w, k]
    slip = wp.vec2d(velocity[0] - BALL_RADIUS * spin[1], velocity[1] + BALL_RADIUS * spin[0])
    change = clipped(-slip * SLIP_SHARE, limit)
    worlds.velocity[w, k] = velocity + change
    worlds.spin[w, k] = wp.vec3d(
        spin[0] + SPIN_PER_IMPULSE * change[1], spin[1] - SPIN_PER_IMPULSE * change[0], spin[2]
    )
