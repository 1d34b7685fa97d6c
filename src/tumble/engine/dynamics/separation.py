"""A cheap test that rules most impacts out: whether a moving shape surely stays apart from a static one in a step."""

import warp as wp

from tumble.engine.math.vectors import Transform, length_squared, rotate, to_local, to_world
from tumble.engine.state.bodies import CentrePose, StartPose, centre_pose, start_pose, start_transform, transform_of
from tumble.engine.state.definitions import Outline, outline_of, surface_of, vertex_at, vertex_position
from tumble.engine.state.layout import BODY_FLAGS, ROUND
from tumble.engine.state.world import World, body_int, pack_vecs

wp.set_module_options({"enable_backward": False, "fuse_fp": False})


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
