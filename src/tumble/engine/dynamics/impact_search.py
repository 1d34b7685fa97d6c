"""The search for impacts: whether bodies of a contact meet in the rest of the step, and when.

A cheap test (`stays_separated`) rules most pairs out; the exact search is `collision/time_of_impact.py`.
"""

import warp as wp

from tumble.engine.collision.distance import PointSet
from tumble.engine.collision.time_of_impact import Motion, target_distance, time_of_impact
from tumble.engine.math.constants import (
    MAX_SUB_STEPS,
    TOI_LATEST,
    TOI_TOLERANCE,
)
from tumble.engine.math.vectors import Transform, length_squared, rotate, to_local, to_world
from tumble.engine.state.bodies import (
    CentrePose,
    StartPose,
    centre_pose,
    is_active,
    start_pose,
    start_transform,
    transform_of,
)
from tumble.engine.state.contacts import contact_radii
from tumble.engine.state.definitions import Outline, body_mass, outline_of, surface_of, vertex_at, vertex_position
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
    World,
    body_int,
    contact_int,
    get_int,
    ordered_contact,
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
def vertex_separates(w: World, wall: Outline, p0: wp.vec2, p1: wp.vec2, limit: float) -> bool:
    """Whether a point that moves from p0 to p1, in a polygon's coordinates, surely stays farther than `limit` from it,
    as the line across its vertex nearest to p0 shows: with u = p0 - vertex, the polygon lies where dot(u, p - vertex)
    <= 0.
    """
    for k in range(wall.count):
        following = k + 1
        if following == wall.count:
            following = int(0)
        preceding = k - 1
        if preceding < 0:
            preceding = wall.count - 1
        v = vertex_position(w.pack_vecs, wall.first + k)
        u = p0 - v
        if wp.dot(u, vertex_position(w.pack_vecs, wall.first + following) - v) <= 0.0:
            if wp.dot(u, vertex_position(w.pack_vecs, wall.first + preceding) - v) <= 0.0:
                size = length_squared(u)
                along = wp.dot(u, p1 - v)
                least = limit * limit * size
                return size * size > least and along > 0.0 and along * along > least
    return False


@wp.func
def moving_face_separates(
    w: World,
    wall: Outline,
    wall_transform: Transform,
    outline: Outline,
    before: Transform,
    after: Transform,
    start: StartPose,
    end: CentrePose,
    limit: float,
) -> bool:
    """Whether a moving polygon surely stays farther than `limit` from a static shape, as one of its own faces shows.

    The face's normal n turns with the body: a vertex q is dot(n, q - c) away from it, less a constant, where c is the
    body's centre. In between start and end that is less than on the straight line by at most an eighth of its greatest
    second derivative, angle² |q - c| + 2 angle |way of c|.
    """
    angle = wp.abs(end.angle - start.angle)
    way = wp.abs(end.position[0] - start.position[0]) + wp.abs(end.position[1] - start.position[1])
    for k in range(outline.count):
        face = vertex_at(w.pack_vecs, outline.first + k)
        n0 = rotate(before, face.normal)
        n1 = rotate(after, face.normal)
        v0 = to_world(before, face.position)
        v1 = to_world(after, face.position)
        beyond = int(1)
        for j in range(wp.max(wall.count, 1)):
            q = to_world(wall_transform, vertex_position(w.pack_vecs, wall.first + j))
            distance = wp.abs(q[0] - start.position[0]) + wp.abs(q[1] - start.position[1]) + way
            least = limit + 0.125 * angle * (angle * distance + 2.0 * way)
            if wp.dot(n0, q - v0) <= least or wp.dot(n1, q - v1) <= least:
                beyond = int(0)
                break
        if beyond == 1:
            return True
    return False


@wp.func
def stays_separated(
    w: World, wall_def: int, wall_transform: Transform, body: int, shape_def: int, limit: float
) -> bool:
    """Whether a moving shape surely stays farther than `limit` from a static one through the whole step.

    From a polygon it does if one face separates it at the start and at the end; in between, a rotating vertex comes
    nearer than the straight line by at most reach angle² / 8. If no face does, what may is the line across the vertex
    that is nearest to a circle, or a face of the moving polygon. From a circle it does if the circle of radius `reach`
    around the body's centre of mass does, or as one of its own faces shows.
    """
    before = start_transform(w, body)
    after = transform_of(w, body)
    outline = outline_of(w, shape_def)
    reach = surface_of(w, shape_def).reach
    start = start_pose(w, body)
    end = centre_pose(w, body)
    angle = end.angle - start.angle
    bulge = float(0.0)
    if (body_int(w, body, BODY_FLAGS) & ROUND) == 0:
        bulge = reach * angle * angle * 0.125
    wall = outline_of(w, wall_def)
    if wall.count == 0:
        # the point of the way from start to end that is nearest to the static circle's centre
        c = to_world(wall_transform, vertex_position(w.pack_vecs, wall.first))
        x = start.position[0] - c[0]
        y = start.position[1] - c[1]
        dx = end.position[0] - start.position[0]
        dy = end.position[1] - start.position[1]
        t = float(0.0)
        along = -(x * dx + y * dy)
        way = dx * dx + dy * dy
        if along > 0.0:
            t = float(1.0)
            if along < way:
                t = along / way
        x = x + t * dx
        y = y + t * dy
        clearance = limit + reach
        if length_squared(wp.vec2(x, y)) > clearance * clearance:
            return True
        if outline.count == 0:
            return False
    elif outline.count == 0:
        p = vertex_position(w.pack_vecs, outline.first)
        p0 = to_local(wall_transform, to_world(before, p))
        p1 = to_local(wall_transform, to_world(after, p))
        for k in range(wall.count):
            face = vertex_at(w.pack_vecs, wall.first + k)
            s0 = wp.dot(face.normal, p0 - face.position)
            s1 = wp.dot(face.normal, p1 - face.position)
            if s0 > limit + bulge and s1 > limit + bulge:
                return True
        return vertex_separates(w, wall, p0, p1, limit + bulge)
    for k in range(wall.count):
        side = vertex_at(w.pack_vecs, wall.first + k)
        n = rotate(wall_transform, side.normal)
        v = to_world(wall_transform, side.position)
        behind = n[0] * v[0] + n[1] * v[1] + limit + bulge
        beyond = int(1)
        for j in range(outline.count):
            q = vertex_position(w.pack_vecs, outline.first + j)
            if wp.dot(n, to_world(before, q)) <= behind or wp.dot(n, to_world(after, q)) <= behind:
                beyond = int(0)
                break
        if beyond == 1:
            return True
    return moving_face_separates(w, wall, wall_transform, outline, before, after, start, end, limit)


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
    if (flags & DYNAMIC) != 0 and start.fraction < alpha:
        start = interpolate(start, end, alpha)
    m = Motion()
    m.points = points
    m.start = start.position
    m.end = end.position
    m.start_angle = start.angle
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
    if not a_dynamic:
        if stays_separated(w, def_a, transform_of(w, a), b, def_b, limit):
            return False
    elif not b_dynamic:
        if stays_separated(w, def_b, transform_of(w, b), a, def_a, limit):
            return False
    return True


@wp.func
def impact_time(w: World, contact: int) -> float:
    """The fraction of the step at which the bodies of a contact next meet; 1 where they don't."""
    a = contact_int(w, contact, BODY_A)
    b = contact_int(w, contact, BODY_B)
    def_a = shape_int(w, contact_int(w, contact, SHAPE_A), SHAPE_DEF)
    def_b = shape_int(w, contact_int(w, contact, SHAPE_B), SHAPE_DEF)
    radius_a, radius_b = contact_radii(w, contact)
    # both motions from the later of their starts on
    alpha = float(0.0)
    if (body_int(w, a, BODY_FLAGS) & DYNAMIC) != 0:
        alpha = start_pose(w, a).fraction
    if (body_int(w, b, BODY_FLAGS) & DYNAMIC) != 0:
        alpha_b = start_pose(w, b).fraction
        if alpha_b > alpha:
            alpha = alpha_b
    motion_a = motion_of(w, a, def_a, alpha)
    motion_b = motion_of(w, b, def_b, alpha)
    t = time_of_impact(w.pack_vecs, motion_a, motion_b, radius_a + radius_b)
    if t > 1.0:
        return 1.0
    when = alpha + (1.0 - alpha) * t
    if when > 1.0:
        return 1.0
    return when


@wp.func
def earliest_impact(w: World, only_bullets: int) -> tuple[int, float]:
    """The contact whose bodies meet first in the rest of the step, or -1, and at which fraction of the step."""
    earliest = float(1.0)
    first = int(-1)
    at = get_int(w, CONTACT_COUNT) - 1
    while at >= 0:
        # neighbouring lanes of a GPU find a contact to search each, then search together
        candidate = int(-1)
        while at >= 0:
            contact = ordered_contact(w, at)
            at = at - 1
            if may_impact(w, contact, only_bullets):
                candidate = contact
                break
        if candidate >= 0:
            when = impact_time(w, candidate)
            if when < earliest:
                earliest = when
                first = candidate
    if earliest > TOI_LATEST:
        first = int(-1)
    return first, earliest


@wp.func
def needs_impacts(w: World, only_bullets: int) -> bool:
    """Whether `resolve_impacts` may have anything to do."""
    for k in range(get_int(w, CONTACT_COUNT)):
        if may_impact(w, ordered_contact(w, k), only_bullets):
            return True
    return False
