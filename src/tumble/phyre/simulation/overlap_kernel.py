"""The Warp kernels behind `overlap`: whether placed balls or bodies overlap the bodies of their task.

Doubles without fused multiply-add, so that every device gives the same result. In a file of its own because Warp
compiles per Python module.
"""

# mypy: disable-error-code="untyped-decorator, valid-type, no-any-return"

import warp as wp

from tumble.scene.warp_log import silence_warp

silence_warp()
wp.set_module_options({"enable_backward": False, "fuse_fp": False})


@wp.struct
class Shapes:
    """Circles and convex polygons of many scenes; the only point of a circle is its centre."""

    points: wp.array(dtype=wp.vec2d)  # [points]
    first_point: wp.array(dtype=int)  # [shapes]
    point_count: wp.array(dtype=int)  # [shapes]
    radius: wp.array(dtype=wp.float64)  # [shapes]
    first_shape: wp.array(dtype=int)  # [scenes + 1]


@wp.func
def _near_polygon(shapes: Shapes, shape: int, x: wp.float64, y: wp.float64, reach: wp.float64) -> bool:
    """Whether a point lies inside a polygon or nearer to it than `reach`."""
    first = shapes.first_point[shape]
    count = shapes.point_count[shape]
    zero = wp.float64(0.0)
    a = shapes.points[first + count - 1]
    inside = bool(True)
    for k in range(count):
        b = shapes.points[first + k]
        ex = b[0] - a[0]
        ey = b[1] - a[1]
        px = x - a[0]
        py = y - a[1]
        if ex * py - ey * px <= zero:
            inside = False
        t = (px * ex + py * ey) / (ex * ex + ey * ey)
        t = wp.min(wp.max(t, zero), wp.float64(1.0))
        dx = px - t * ex
        dy = py - t * ey
        if dx * dx + dy * dy < reach * reach:
            return True
        a = b
    return inside


@wp.kernel
def mark_clear(
    shapes: Shapes,
    scene_of: wp.array(dtype=int),
    balls: wp.array(dtype=wp.vec3d, ndim=2),
    touch: wp.float64,
    clear: wp.array(dtype=wp.uint8),
) -> None:
    """Marks with 1 the rows whose balls (x, y, radius) overlap nothing of their scene by more than `touch`."""
    row = wp.tid()
    scene = scene_of[row]
    free = wp.uint8(1)
    for k in range(balls.shape[1]):
        ball = balls[row, k]
        reach = ball[2] - touch
        for shape in range(shapes.first_shape[scene], shapes.first_shape[scene + 1]):
            if shapes.point_count[shape] == 1:
                centre = shapes.points[shapes.first_point[shape]]
                dx = ball[0] - centre[0]
                dy = ball[1] - centre[1]
                near = reach + shapes.radius[shape]
                if dx * dx + dy * dy < near * near:
                    free = wp.uint8(0)
            elif _near_polygon(shapes, shape, ball[0], ball[1], reach):
                free = wp.uint8(0)
    clear[row] = free


@wp.func
def _apart_along_edges(shapes: Shapes, shape: int, others: Shapes, other: int, touch: wp.float64) -> bool:
    """Whether an edge of a polygon has all of another polygon on its outer side, or no more than `touch` inside."""
    first = shapes.first_point[shape]
    count = shapes.point_count[shape]
    first_other = others.first_point[other]
    a = shapes.points[first + count - 1]
    for k in range(count):
        b = shapes.points[first + k]
        ex = b[0] - a[0]
        ey = b[1] - a[1]
        limit = touch * wp.sqrt(ex * ex + ey * ey)
        outside = bool(True)
        for n in range(others.point_count[other]):
            p = others.points[first_other + n]
            if ex * (p[1] - a[1]) - ey * (p[0] - a[0]) > limit:
                outside = False
        if outside:
            return True
        a = b
    return False


@wp.func
def _overlap(shapes: Shapes, shape: int, others: Shapes, other: int, touch: wp.float64) -> bool:
    """Whether two shapes overlap by more than `touch`."""
    if shapes.point_count[shape] == 1:
        centre = shapes.points[shapes.first_point[shape]]
        reach = shapes.radius[shape] - touch
        if others.point_count[other] == 1:
            d = others.points[others.first_point[other]] - centre
            near = reach + others.radius[other]
            return d[0] * d[0] + d[1] * d[1] < near * near
        return _near_polygon(others, other, centre[0], centre[1], reach)
    if others.point_count[other] == 1:
        centre = others.points[others.first_point[other]]
        return _near_polygon(shapes, shape, centre[0], centre[1], others.radius[other] - touch)
    if _apart_along_edges(shapes, shape, others, other, touch):
        return False
    return not _apart_along_edges(others, other, shapes, shape, touch)


@wp.kernel
def mark_clear_bodies(
    shapes: Shapes,
    scene_of: wp.array(dtype=int),
    placed: Shapes,
    body_of_shape: wp.array(dtype=int),
    touch: wp.float64,
    clear: wp.array(dtype=wp.uint8),
) -> None:
    """Marks with 1 the rows whose placed shapes overlap nothing of their scene, nor those of another placed body."""
    row = wp.tid()
    scene = scene_of[row]
    last = placed.first_shape[row + 1]
    free = wp.uint8(1)
    for shape in range(placed.first_shape[row], last):
        for other in range(shapes.first_shape[scene], shapes.first_shape[scene + 1]):
            if _overlap(placed, shape, shapes, other, touch):
                free = wp.uint8(0)
        for other in range(shape + 1, last):
            if body_of_shape[shape] != body_of_shape[other]:
                if _overlap(placed, shape, placed, other, touch):
                    free = wp.uint8(0)
    clear[row] = free
