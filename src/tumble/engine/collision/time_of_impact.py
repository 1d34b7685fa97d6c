"""When two moving shapes first touch within a step: conservative advancement along separating axes.

The target distance d* is a little less than the sum of the radii, so that the shapes touch but never pass through
each other. From t1, the last time known to be safe:

1. find the distance at t1 (GJK) and the axis of the nearest features; done if the distance is within tolerance of d*;
2. on that axis, push t2 back from 1: find the deepest points at t2; if their separation s(t2) exceeds d*, the shapes
   stay apart along the axis; otherwise solve s(t) = d* for these points by turns of bisection and false position, and
   continue from that t2;
3. once no point is deeper than d* at t2, the axis separates up to t2: advance t1 to t2 and begin again.

A cheap test comes before it and rules most impacts out: `stays_separated`, whether a moving shape surely stays apart
from a static one in a step.
"""

import warp as wp

from tumble.engine.collision.distance import PointSet, Simplex, point_of, shape_distance, support
from tumble.engine.state.bodies import (
    CentrePose,
    Outline,
    StartPose,
    centre_pose,
    outline_of,
    start_pose,
    start_transform,
    surface_of,
    transform_of,
    vertex_at,
    vertex_position,
)
from tumble.engine.state.constants import (
    LINEAR_SLOP,
    MAX_PUSH_BACKS,
    MAX_ROOT_ITERATIONS,
    MAX_TOI_ITERATIONS,
    TOI_SLOP,
    TOI_TOLERANCE,
    TWO_PI,
)
from tumble.engine.state.geometry import (
    Transform,
    length_squared,
    midpoint,
    normalized,
    right_normal,
    rotate,
    sine_cosine,
    to_local,
    to_world,
    unrotate,
)
from tumble.engine.state.layout import BODY_FLAGS, ROUND
from tumble.engine.state.world import World, body_int, pack_vecs

wp.set_module_options({"enable_backward": False, "fuse_fp": False})

# kinds of axis: between two points, or normal to a face of A or B
ON_POINTS = 0
ON_FACE_A = 1
ON_FACE_B = 2

NO_IMPACT = 2.0
"""Later than the end of the step."""


@wp.struct
class Motion:
    """A point set and the motion of its body through the step: the pose is linear in time."""

    points: PointSet
    start: wp.vec2  # centre of mass
    end: wp.vec2
    start_angle: float
    end_angle: float
    local_centre: wp.vec2  # centre of mass in body coordinates
    is_round: int  # 1 where rotation moves nothing


@wp.struct
class SeparationAxis:
    """A direction, fixed to one of the bodies (or to the world for ON_POINTS), along which shapes are separated."""

    kind: int
    local_point: wp.vec2
    direction: wp.vec2


@wp.func
def normalize_angles(motion: Motion) -> Motion:
    """The motion with full turns subtracted from its angles."""
    turns = TWO_PI * wp.floor(motion.start_angle / TWO_PI)
    motion.start_angle = motion.start_angle - turns
    motion.end_angle = motion.end_angle - turns
    return motion


@wp.func
def transform_during(motion: Motion, t: float) -> Transform:
    """The body's transform at a fraction of the step: centre = (1 - t) start + t end, likewise the angle."""
    x = (1.0 - t) * motion.start[0] + t * motion.end[0]
    y = (1.0 - t) * motion.start[1] + t * motion.end[1]
    centre = wp.vec2(x, y)
    if motion.is_round == 1:
        return Transform(centre, 0.0, 1.0)
    sine, cosine = sine_cosine((1.0 - t) * motion.start_angle + t * motion.end_angle)
    rotation = Transform(wp.vec2(0.0, 0.0), sine, cosine)
    return Transform(centre - rotate(rotation, motion.local_centre), sine, cosine)


@wp.func
def separation_axis(pack: wp.uint64, a: Motion, b: Motion, simplex: Simplex, t: float) -> SeparationAxis:
    """The axis that the nearest features at time t define."""
    axis = SeparationAxis()
    transform_a = transform_during(a, t)
    transform_b = transform_during(b, t)
    a1 = point_of(pack, a.points, simplex.a1)
    b1 = point_of(pack, b.points, simplex.b1)
    if simplex.count == 1:
        axis.kind = ON_POINTS
        axis.direction = normalized(to_world(transform_b, b1) - to_world(transform_a, a1))
        return axis
    a2 = point_of(pack, a.points, simplex.a2)
    b2 = point_of(pack, b.points, simplex.b2)
    if simplex.a1 == simplex.a2:
        axis.kind = ON_FACE_B
        axis.direction = normalized(right_normal(b2 - b1))
        axis.local_point = midpoint(b1, b2)
        normal_b = rotate(transform_b, axis.direction)
        if wp.dot(to_world(transform_a, a1) - to_world(transform_b, axis.local_point), normal_b) < 0.0:
            axis.direction = -axis.direction
        return axis
    axis.kind = ON_FACE_A
    axis.direction = normalized(right_normal(a2 - a1))
    axis.local_point = midpoint(a1, a2)
    normal_a = rotate(transform_a, axis.direction)
    if wp.dot(to_world(transform_b, b1) - to_world(transform_a, axis.local_point), normal_a) < 0.0:
        axis.direction = -axis.direction
    return axis


@wp.func
def deepest_or_given(
    pack: wp.uint64, points: PointSet, transform: Transform, direction: wp.vec2, search: int, given: int
) -> int:
    """The point that lies farthest in a direction (`search`), or the given one."""
    if search == 1:
        return support(pack, points, unrotate(transform, direction))
    return given


@wp.func
def separation_along(
    pack: wp.uint64, a: Motion, b: Motion, axis: SeparationAxis, t: float, search: int, index_a: int, index_b: int
) -> tuple[float, int, int]:
    """The separation along an axis at time t, and the indices of its points: the deepest (`search`) or the given."""
    transform_a = transform_during(a, t)
    transform_b = transform_during(b, t)
    if axis.kind == ON_POINTS:
        ia = deepest_or_given(pack, a.points, transform_a, axis.direction, search, index_a)
        ib = deepest_or_given(pack, b.points, transform_b, -axis.direction, search, index_b)
        point_a = to_world(transform_a, point_of(pack, a.points, ia))
        point_b = to_world(transform_b, point_of(pack, b.points, ib))
        return wp.dot(point_b - point_a, axis.direction), ia, ib
    if axis.kind == ON_FACE_A:
        normal_a = rotate(transform_a, axis.direction)
        behind_a = deepest_or_given(pack, b.points, transform_b, -normal_a, search, index_b)
        face_a = to_world(transform_a, axis.local_point)
        on_b = to_world(transform_b, point_of(pack, b.points, behind_a))
        return wp.dot(on_b - face_a, normal_a), index_a, behind_a
    normal_b = rotate(transform_b, axis.direction)
    behind_b = deepest_or_given(pack, a.points, transform_a, -normal_b, search, index_a)
    face_b = to_world(transform_b, axis.local_point)
    on_a = to_world(transform_a, point_of(pack, a.points, behind_b))
    return wp.dot(on_a - face_b, normal_b), behind_b, index_b


@wp.func
def target_distance(radius: float) -> float:
    """d*: the distance of two point sets at the time of impact, whose radii have this sum."""
    return wp.max(radius - TOI_SLOP, LINEAR_SLOP)


@wp.struct
class Interval:
    """Two times, and the separations at them."""

    low: float
    high: float
    s_low: float
    s_high: float


@wp.func
def next_time(i: Interval, target: float, by_false_position: int) -> float:
    """The middle of an interval, or where the line through both separations meets the target."""
    if by_false_position != 0:
        return i.low + (target - i.s_low) * (i.high - i.low) / (i.s_high - i.s_low)
    return 0.5 * (i.low + i.high)


@wp.func
def time_at_target(
    pack: wp.uint64,
    a: Motion,
    b: Motion,
    axis: SeparationAxis,
    index_a: int,
    index_b: int,
    interval: Interval,
    target: float,
) -> float:
    """The time in an interval at which two points have the target separation; its end if the search fails."""
    end = float(interval.high)
    for root in range(MAX_ROOT_ITERATIONS):
        t = next_time(interval, target, root & 1)
        s, _ja, _jb = separation_along(pack, a, b, axis, t, 0, index_a, index_b)
        if wp.abs(s - target) < TOI_TOLERANCE:
            return t
        if s > target:
            interval.low = t
            interval.s_low = s
        else:
            interval.high = t
            interval.s_high = s
    return end


@wp.func(inline=False)
def time_of_impact(pack: wp.uint64, a: Motion, b: Motion, radius: float) -> float:
    """The fraction of the motion at which two shapes first touch; 1 or more where they don't."""
    motion_a = normalize_angles(a)
    motion_b = normalize_angles(b)
    target = target_distance(radius)
    simplex = Simplex()
    at = Interval()  # from t1 = low to t2 = high
    for _advance in range(MAX_TOI_ITERATIONS):
        t1 = float(at.low)
        distance, simplex = shape_distance(
            pack,
            motion_a.points,
            transform_during(motion_a, t1),
            motion_b.points,
            transform_during(motion_b, t1),
            simplex,
        )
        if distance <= 0.0:
            return NO_IMPACT  # they overlap already
        if distance < target + TOI_TOLERANCE:
            return t1
        axis = separation_axis(pack, motion_a, motion_b, simplex, t1)
        at.high = 1.0
        for _push_back in range(MAX_PUSH_BACKS):
            s2, ia, ib = separation_along(pack, motion_a, motion_b, axis, at.high, 1, -1, -1)
            if s2 > target + TOI_TOLERANCE:
                return NO_IMPACT  # separated along the axis to the end
            if s2 > target - TOI_TOLERANCE:
                at.low = at.high
                break
            s1, _ia, _ib = separation_along(pack, motion_a, motion_b, axis, t1, 0, ia, ib)
            if s1 < target - TOI_TOLERANCE:
                return NO_IMPACT  # these points were deeper from the start
            if s1 <= target + TOI_TOLERANCE:
                return t1
            at.s_low = s1
            at.s_high = s2
            at.high = time_at_target(pack, motion_a, motion_b, axis, ia, ib, at, target)
    return NO_IMPACT


@wp.func
def vertex_separates(w: World, wall: Outline, p0: wp.vec2, p1: wp.vec2, limit: float) -> bool:
    """Whether a point that moves from p0 to p1, in a polygon's coordinates, surely stays farther than `limit` from it,
    as the line across its vertex nearest to p0 shows: with u = p0 - vertex, the polygon lies where dot(u, p - vertex)
    <= 0.
    """
    for k in range(wall.count):
        following = wp.where(k + 1 == wall.count, 0, k + 1)
        preceding = wp.where(k == 0, wall.count, k) - 1
        v = vertex_position(pack_vecs(w), wall.first + k)
        u = p0 - v
        if wp.dot(u, vertex_position(pack_vecs(w), wall.first + following) - v) <= 0.0:
            if wp.dot(u, vertex_position(pack_vecs(w), wall.first + preceding) - v) <= 0.0:
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
        face = vertex_at(pack_vecs(w), outline.first + k)
        n0 = rotate(before, face.normal)
        n1 = rotate(after, face.normal)
        v0 = to_world(before, face.position)
        v1 = to_world(after, face.position)
        beyond = int(0)  # vertices of the wall beyond the face
        vertices = wp.max(wall.count, 1)
        while beyond < vertices:
            q = to_world(wall_transform, vertex_position(pack_vecs(w), wall.first + beyond))
            distance = wp.abs(q[0] - start.position[0]) + wp.abs(q[1] - start.position[1]) + way
            least = limit + 0.125 * angle * (angle * distance + 2.0 * way)
            if wp.dot(n0, q - v0) <= least or wp.dot(n1, q - v1) <= least:
                break
            beyond = beyond + 1
        if beyond == vertices:
            return True
    return False


@wp.func
def nearest_fraction(along: float, way: float) -> float:
    """Where on a way its point nearest to another point is, by that one's place along it."""
    if along > 0.0:
        if along < way:
            return along / way
        return 1.0
    return 0.0


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
    bulge = wp.where((body_int(w, body, BODY_FLAGS) & ROUND) == 0, reach * angle * angle * 0.125, 0.0)
    wall = outline_of(w, wall_def)
    if wall.count == 0:
        # the point of the way from start to end that is nearest to the static circle's centre
        c = to_world(wall_transform, vertex_position(pack_vecs(w), wall.first))
        x = start.position[0] - c[0]
        y = start.position[1] - c[1]
        dx = end.position[0] - start.position[0]
        dy = end.position[1] - start.position[1]
        t = nearest_fraction(-(x * dx + y * dy), dx * dx + dy * dy)
        x = x + t * dx
        y = y + t * dy
        clearance = limit + reach
        if length_squared(wp.vec2(x, y)) > clearance * clearance:
            return True
        if outline.count == 0:
            return False
    elif outline.count == 0:
        p = vertex_position(pack_vecs(w), outline.first)
        p0 = to_local(wall_transform, to_world(before, p))
        p1 = to_local(wall_transform, to_world(after, p))
        for k in range(wall.count):
            face = vertex_at(pack_vecs(w), wall.first + k)
            s0 = wp.dot(face.normal, p0 - face.position)
            s1 = wp.dot(face.normal, p1 - face.position)
            if s0 > limit + bulge and s1 > limit + bulge:
                return True
        return vertex_separates(w, wall, p0, p1, limit + bulge)
    for k in range(wall.count):
        side = vertex_at(pack_vecs(w), wall.first + k)
        n = rotate(wall_transform, side.normal)
        v = to_world(wall_transform, side.position)
        behind = n[0] * v[0] + n[1] * v[1] + limit + bulge
        beyond = int(0)  # vertices of the moving polygon beyond the side
        while beyond < outline.count:
            q = vertex_position(pack_vecs(w), outline.first + beyond)
            if wp.dot(n, to_world(before, q)) <= behind or wp.dot(n, to_world(after, q)) <= behind:
                break
            beyond = beyond + 1
        if beyond == outline.count:
            return True
    return moving_face_separates(w, wall, wall_transform, outline, before, after, start, end, limit)
