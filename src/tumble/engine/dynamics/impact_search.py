"""The search for impacts: whether bodies of a contact meet in the rest of the step, and when.

A cheap test (`separation.py`) rules most pairs out; the exact search is `collision/time_of_impact.py`.
"""

import warp as wp

from tumble.engine.collision.distance import PointSet
from tumble.engine.collision.time_of_impact import Motion, target_distance, time_of_impact
from tumble.engine.dynamics.separation import stays_separated
from tumble.engine.math.constants import MAX_SUB_STEPS, TOI_LATEST, TOI_TOLERANCE
from tumble.engine.state.bodies import CentrePose, StartPose, centre_pose, is_active, start_pose, transform_of
from tumble.engine.state.contacts import contact_radii
from tumble.engine.state.definitions import body_mass, outline_of
from tumble.engine.state.layout import (
    BODY_A,
    BODY_B,
    BODY_FLAGS,
    BULLET,
    CONTACT_COUNT,
    CONTACT_FLAGS,
    DYNAMIC,
    ENABLED,
    ROUND,
    SHAPE_A,
    SHAPE_B,
    SHAPE_DEF,
    STEP,
    TOI_COUNT,
)
from tumble.engine.state.world import (
    World,
    body_int,
    contact_int,
    get_int,
    ordered_contact,
    pack_vecs,
    shape_int,
)

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

FILTER_MARGIN = 1.0e-4
"""Metres by which a pair must stay farther apart than at an impact for the exact search to be skipped."""


@wp.func
def interpolate(start: StartPose, end: CentrePose, alpha: float) -> StartPose:
    """The pose at fraction alpha of the step, linear between the start (at its own fraction) and the end (at 1).

    beta = (alpha - alpha0) / (1 - alpha0), pose = (1 - beta) start + beta end.
    """
    beta = (alpha - start.fraction) / (1.0 - start.fraction)
    x = (1.0 - beta) * start.position[0] + beta * end.position[0]
    y = (1.0 - beta) * start.position[1] + beta * end.position[1]
    angle = (1.0 - beta) * start.angle + beta * end.angle
    return StartPose(wp.vec2(x, y), angle, alpha)


@wp.func
def motion_of(w: World, body: int, shape_def: int, alpha: float) -> Motion:
    """The motion of a shape through the rest of the step, from a fraction of it on."""
    outline = outline_of(w, shape_def)
    points = PointSet(outline.first, outline.count)
    if points.count == 0:
        points.count = 1
    flags = body_int(w, body, BODY_FLAGS)
    start = start_pose(w, body)
    end = centre_pose(w, body)
    m = Motion()
    m.points = points
    m.start = start.position
    m.start_angle = start.angle
    if (flags & DYNAMIC) != 0 and start.fraction < alpha:
        later = interpolate(start, end, alpha)
        m.start = later.position
        m.start_angle = later.angle
    m.end = end.position
    m.end_angle = end.angle
    m.local_centre = body_mass(w, body).centre
    if (flags & ROUND) != 0:
        m.is_round = 1
    return m


@wp.func
def may_impact(w: World, contact: int, only_bullets: int) -> bool:
    """Whether the bodies of a contact may meet in the rest of the step; if not, no exact search is needed."""
    flags = contact_int(w, contact, CONTACT_FLAGS)
    impacts = contact_int(w, contact, TOI_COUNT)
    if (flags & ENABLED) == 0 or (impacts // 16 == get_int(w, STEP) and impacts % 16 > MAX_SUB_STEPS):
        return False
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    flags_a = body_int(w, a, BODY_FLAGS)
    flags_b = body_int(w, b, BODY_FLAGS)
    if not (is_active(flags_a) or is_active(flags_b)):
        return False
    a_dynamic = (flags_a & DYNAMIC) != 0
    b_dynamic = (flags_b & DYNAMIC) != 0
    if ((flags_a | flags_b) & BULLET) == 0:
        if only_bullets != 0 or (a_dynamic and b_dynamic):
            return False
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius_a, radius_b = contact_radii(w, contact)
    limit = target_distance(radius_a + radius_b) + TOI_TOLERANCE + FILTER_MARGIN
    if a_dynamic and b_dynamic:
        return True
    fixed = wp.where(a_dynamic, b, a)
    fixed_def = wp.where(a_dynamic, def_b, def_a)
    moving = wp.where(a_dynamic, a, b)
    moving_def = wp.where(a_dynamic, def_a, def_b)
    return not stays_separated(w, fixed_def, transform_of(w, fixed), moving, moving_def, limit)


@wp.func
def start_fraction(w: World, body: int) -> float:
    """The fraction of the step at which a body's motion begins; 0 for a static body."""
    if (body_int(w, body, BODY_FLAGS) & DYNAMIC) == 0:
        return 0.0
    return start_pose(w, body).fraction


@wp.func
def impact_time(w: World, contact: int) -> float:
    """The fraction of the step at which the bodies of a contact next meet; 1 where they don't."""
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius_a, radius_b = contact_radii(w, contact)
    # both motions from the later of their starts on
    alpha = wp.max(start_fraction(w, a), start_fraction(w, b))
    motion_a = motion_of(w, a, def_a, alpha)
    motion_b = motion_of(w, b, def_b, alpha)
    t = time_of_impact(pack_vecs(w), motion_a, motion_b, radius_a + radius_b)
    if t > 1.0:
        return 1.0
    when = alpha + (1.0 - alpha) * t
    if when > 1.0:
        return 1.0
    return when


@wp.struct
class ImpactLoop:
    """Where the loop over all contacts is, and what it found."""

    at: int  # place in the order of contacts
    candidate: int  # the contact that is searched next, or -1
    first: int  # the contact whose bodies meet first so far, or -1
    earliest: float  # … and when


@wp.func
def earliest_impact(w: World, only_bullets: int) -> tuple[int, float]:
    """The contact whose bodies meet first in the rest of the step, or -1, and at which fraction of the step."""
    loop = ImpactLoop(get_int(w, CONTACT_COUNT) - 1, -1, -1, 1.0)
    while loop.at >= 0:
        # neighbouring lanes of a GPU find a contact to search each, then search together
        loop.candidate = -1
        while loop.at >= 0 and loop.candidate < 0:
            contact = ordered_contact(w, loop.at)
            loop.at = loop.at - 1
            if may_impact(w, contact, only_bullets):
                loop.candidate = contact
        if loop.candidate >= 0:
            when = impact_time(w, loop.candidate)
            if when < loop.earliest:
                loop.earliest = when
                loop.first = loop.candidate
    if loop.earliest > TOI_LATEST:
        return -1, loop.earliest
    return loop.first, loop.earliest


@wp.func
def needs_impacts(w: World, only_bullets: int) -> bool:
    """Whether `resolve_impacts` may have anything to do."""
    for k in range(get_int(w, CONTACT_COUNT)):
        if may_impact(w, ordered_contact(w, k), only_bullets):
            return True
    return False
