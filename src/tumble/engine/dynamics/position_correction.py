"""Position correction: bodies that overlap are moved apart, by nonlinear Gauss-Seidel."""

import warp as wp

from tumble.engine.collision.manifold_points import point_separation
from tumble.engine.dynamics.contact_constraint import inverse_effective_mass
from tumble.engine.math.constants import LINEAR_SLOP, MAX_LINEAR_CORRECTION
from tumble.engine.math.vectors import Transform, cross
from tumble.engine.state.bodies import (
    CentrePose,
    centre_pose,
    set_centre_pose,
    set_transform,
    transform_at,
    transform_of,
)
from tumble.engine.state.constraints import PairMass, pair_mass, shape_radii
from tumble.engine.state.contacts import manifold_of
from tumble.engine.state.layout import BODY_FLAGS, CONSTRAINT_A, CONSTRAINT_B, CONSTRAINT_CONTACT, DYNAMIC
from tumble.engine.state.world import World, body_int, constraint_int

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class PairPose:
    """Where the two bodies of a constraint are while its points are corrected."""

    pose_a: CentrePose
    pose_b: CentrePose
    transform_a: Transform
    transform_b: Transform
    moved: int  # 1 once a point was corrected


@wp.func
def pair_pose(w: World, body_a: int, body_b: int) -> PairPose:
    pose_a, pose_b = centre_pose(w, body_a), centre_pose(w, body_b)
    return PairPose(pose_a, pose_b, transform_of(w, body_a), transform_of(w, body_b), 0)


@wp.func
def movable_masses(m: PairMass, body_a: int, body_b: int, body_1: int, body_2: int) -> PairMass:
    """The masses where only two bodies may move, or all where `body_1` is -1."""
    if body_1 < 0:
        return m
    if body_a != body_1 and body_a != body_2:
        m.inverse_mass_a = 0.0
        m.inverse_inertia_a = 0.0
    if body_b != body_1 and body_b != body_2:
        m.inverse_mass_b = 0.0
        m.inverse_inertia_b = 0.0
    return m


@wp.func
def correction_impulse(c: float, inverse_mass: float) -> float:
    """-C / k, or 0 where neither body can move."""
    if inverse_mass > 0.0:
        return -c / inverse_mass
    return 0.0


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
    m = movable_masses(pair_mass(w, constraint), body_a, body_b, body_1, body_2)
    radius_a, radius_b = shape_radii(w, constraint)
    manifold = manifold_of(w, contact)
    at = pair_pose(w, body_a, body_b)
    smallest = float(0.0)
    for k in range(manifold.count):
        point = wp.where(k == 0, manifold.point_1, manifold.point_2)
        n, p, s = point_separation(manifold, point, at.transform_a, radius_a, at.transform_b, radius_b)
        if s < smallest:
            smallest = s
        c = wp.max(baumgarte * (s + LINEAR_SLOP), -MAX_LINEAR_CORRECTION)
        if c < 0.0:
            ra = p - at.pose_a.position
            rb = p - at.pose_b.position
            lever_a = cross(ra, n)
            lever_b = cross(rb, n)
            impulse = correction_impulse(c, inverse_effective_mass(m, lever_a, lever_b, lever_a, lever_b))
            push = wp.vec2(impulse * n[0], impulse * n[1])
            flags_a = body_int(w, body_a, BODY_FLAGS)
            flags_b = body_int(w, body_b, BODY_FLAGS)
            at.moved = 1
            if (flags_a & DYNAMIC) != 0:
                x_a = at.pose_a.position[0] - m.inverse_mass_a * push[0]
                y_a = at.pose_a.position[1] - m.inverse_mass_a * push[1]
                angle_a = at.pose_a.angle - m.inverse_inertia_a * cross(ra, push)
                at.pose_a = CentrePose(wp.vec2(x_a, y_a), angle_a, at.pose_a.sleep_time)
                at.transform_a = transform_at(w, body_a, flags_a, wp.vec2(x_a, y_a), angle_a)
            if (flags_b & DYNAMIC) != 0:
                x_b = at.pose_b.position[0] + m.inverse_mass_b * push[0]
                y_b = at.pose_b.position[1] + m.inverse_mass_b * push[1]
                angle_b = at.pose_b.angle + m.inverse_inertia_b * cross(rb, push)
                at.pose_b = CentrePose(wp.vec2(x_b, y_b), angle_b, at.pose_b.sleep_time)
                at.transform_b = transform_at(w, body_b, flags_b, wp.vec2(x_b, y_b), angle_b)
    if at.moved == 1:
        set_centre_pose(w, body_a, at.pose_a)
        set_centre_pose(w, body_b, at.pose_b)
        set_transform(w, body_a, at.transform_a)
        set_transform(w, body_b, at.transform_b)
    return smallest
