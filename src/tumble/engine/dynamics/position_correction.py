"""Position correction: bodies that overlap are moved apart, by nonlinear Gauss-Seidel."""

import warp as wp

from tumble.engine.collision.manifold_points import point_separation
from tumble.engine.dynamics.contact_constraint import inverse_effective_mass
from tumble.engine.math.constants import LINEAR_SLOP, MAX_LINEAR_CORRECTION
from tumble.engine.math.vectors import cross
from tumble.engine.state.bodies import centre_pose, set_centre_pose, set_transform, transform_at, transform_of
from tumble.engine.state.constraints import pair_mass, shape_radii
from tumble.engine.state.contacts import manifold_of
from tumble.engine.state.layout import BODY_FLAGS, CONSTRAINT_A, CONSTRAINT_B, CONSTRAINT_CONTACT, DYNAMIC
from tumble.engine.state.world import World, body_int, constraint_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.func
def correct_position(w: World, constraint: int, baumgarte: float, body_1: int, body_2: int) -> float:
    """Moves the two bodies apart where they overlap, by a share of the overlap; returns the smallest separation met.

    With the separation s of a point where the bodies are now,

        C = clamp(baumgarte (s + slop), -max correction, 0),   P = -C / k n

    and P changes the poses as an impulse would change the velocities. Only `body_1` and `body_2` may move, or all where
    `body_1` is -1.
    """
    contact = constraint_int(w, constraint, CONSTRAINT_CONTACT)
    body_a = constraint_int(w, constraint, CONSTRAINT_A)
    body_b = constraint_int(w, constraint, CONSTRAINT_B)
    m = pair_mass(w, constraint)
    if body_1 >= 0:
        if body_a != body_1 and body_a != body_2:
            m.inverse_mass_a = 0.0
            m.inverse_inertia_a = 0.0
        if body_b != body_1 and body_b != body_2:
            m.inverse_mass_b = 0.0
            m.inverse_inertia_b = 0.0
    radius_a, radius_b = shape_radii(w, constraint)
    manifold = manifold_of(w, contact)
    transform_a = transform_of(w, body_a)
    transform_b = transform_of(w, body_b)
    pose_a = centre_pose(w, body_a)
    pose_b = centre_pose(w, body_b)
    smallest = float(0.0)
    moved = int(0)
    point = manifold.point_1
    for k in range(manifold.count):
        if k == 1:
            point = manifold.point_2
        n, p, s = point_separation(manifold, point, transform_a, radius_a, transform_b, radius_b)
        if s < smallest:
            smallest = s
        c = baumgarte * (s + LINEAR_SLOP)
        if c < -MAX_LINEAR_CORRECTION:
            c = float(-MAX_LINEAR_CORRECTION)
        if c < 0.0:
            ra = p - pose_a.position
            rb = p - pose_b.position
            lever_a = cross(ra, n)
            lever_b = cross(rb, n)
            inverse = inverse_effective_mass(m, lever_a, lever_b, lever_a, lever_b)
            impulse = float(0.0)
            if inverse > 0.0:
                impulse = -c / inverse
            push = wp.vec2(impulse * n[0], impulse * n[1])
            moved = int(1)
            turn_a = m.inverse_inertia_a * cross(ra, push)
            turn_b = m.inverse_inertia_b * cross(rb, push)
            flags_a = body_int(w, body_a, BODY_FLAGS)
            flags_b = body_int(w, body_b, BODY_FLAGS)
            if (flags_a & DYNAMIC) != 0:
                x_a = pose_a.position[0] - m.inverse_mass_a * push[0]
                y_a = pose_a.position[1] - m.inverse_mass_a * push[1]
                pose_a.position = wp.vec2(x_a, y_a)
                pose_a.angle = pose_a.angle - turn_a
                transform_a = transform_at(w, body_a, flags_a, pose_a.position, pose_a.angle)
            if (flags_b & DYNAMIC) != 0:
                x_b = pose_b.position[0] + m.inverse_mass_b * push[0]
                y_b = pose_b.position[1] + m.inverse_mass_b * push[1]
                pose_b.position = wp.vec2(x_b, y_b)
                pose_b.angle = pose_b.angle + turn_b
                transform_b = transform_at(w, body_b, flags_b, pose_b.position, pose_b.angle)
    if moved == 1:
        set_centre_pose(w, body_a, pose_a)
        set_centre_pose(w, body_b, pose_b)
        set_transform(w, body_a, transform_a)
        set_transform(w, body_b, transform_b)
    return smallest
