"""The Warp kernel behind `overlap`: whether balls overlap the bodies of their task.

Doubles without fused multiply-add, so that every device gives the same result. In a file of its own because Warp
compiles per Python module.
"""

# mypy: disable-error-code="untyped-decorator, valid-type"

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
