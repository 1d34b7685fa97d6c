"""Which placed balls and bodies overlap those of their task: many attempts at a time, on the engine's device.

The kernels use doubles without fused multiply-add, so that every device gives the same result.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.scene import Body, Scene, initial_poses
from tumble.scene.drawing import shape_table
from tumble.scene.warp_setup import silence_warp

# mypy: disable-error-code="untyped-decorator, valid-type, no-any-return"


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


STILL_TOUCHING = 1e-5
"""Overlap in pixels that still counts as touching."""


class Obstacles:
    """The bodies of several scenes at their start."""

    def __init__(self, scenes: Sequence[Scene], device: str = "cpu") -> None:
        self.device = device
        self._shapes = _upload_shapes(scenes, device)

    def clear(self, scene_of: np.ndarray, balls: np.ndarray) -> np.ndarray:
        """bool [n]: whether balls [n, balls, (x, y, radius)] overlap no body of the scenes with indices [n]."""
        return self.clear_uploaded(scene_of, upload_balls(balls, self.device))

    def clear_uploaded(self, scene_of: np.ndarray, balls: Any) -> np.ndarray:
        """`clear` for balls of `upload_balls`, which were uploaded to the same device."""
        marks = wp.zeros(len(scene_of), dtype=wp.uint8, device=self.device)
        if len(scene_of):
            inputs = [self._shapes, _upload(scene_of, wp.int32, self.device), balls, STILL_TOUCHING]
            self._launch(mark_clear, len(scene_of), inputs, marks)
        return np.asarray(marks.numpy().astype(bool))

    def clear_bodies(self, scene_of: np.ndarray, placed: Sequence[Sequence[Body]]) -> np.ndarray:
        """bool [n]: whether n lists of placed bodies overlap no body of the scenes with indices [n], nor each other."""
        marks = wp.zeros(len(placed), dtype=wp.uint8, device=self.device)
        if len(placed):
            alone = [Scene(tuple(bodies)) for bodies in placed]
            body_of_shape = [k for bodies in placed for k, body in enumerate(bodies) for _ in body.shapes]
            inputs = [
                self._shapes,
                _upload(scene_of, wp.int32, self.device),
                _upload_shapes(alone, self.device),
                _upload(np.array(body_of_shape), wp.int32, self.device),
                STILL_TOUCHING,
            ]
            self._launch(mark_clear_bodies, len(placed), inputs, marks)
        return np.asarray(marks.numpy().astype(bool))

    def _launch(self, kernel: Any, rows: int, inputs: list[Any], marks: Any) -> None:
        with _launching:  # Warp fails where two threads load a module at once, as the first launch does
            wp.launch(kernel, dim=rows, inputs=inputs, outputs=[marks], device=self.device)


_launching = Lock()


def upload_balls(balls: np.ndarray, device: str) -> Any:
    """Balls [n, balls, (x, y, radius)] on a device, to be checked against many scenes."""
    if not balls.size:
        return None
    return wp.array(np.ascontiguousarray(balls, np.float64), dtype=wp.vec3d, ndim=2, device=device)


def _upload_shapes(scenes: Sequence[Scene], device: str) -> Any:
    """The shapes of scenes on a device, where they are at the start."""
    tables = [shape_table(scene) for scene in scenes]
    counts = np.concatenate([np.zeros(0, int), *(table.point_count for table in tables)])
    shapes = Shapes()
    shapes.points = _upload(_initial_points(scenes), wp.vec2d, device)
    shapes.first_point = _upload(np.cumsum(counts) - counts, wp.int32, device)
    shapes.point_count = _upload(counts, wp.int32, device)
    shapes.radius = _upload(np.concatenate([np.zeros(0), *(t.radius for t in tables)]), wp.float64, device)
    shapes.first_shape = _upload(np.cumsum([0, *(len(t.radius) for t in tables)]), wp.int32, device)
    return shapes


def _upload(values: np.ndarray, dtype: Any, device: str) -> Any:
    numbers = np.ascontiguousarray(values, np.int32 if dtype is wp.int32 else np.float64)
    return wp.array(numbers, dtype=dtype, device=device)


def _initial_points(scenes: Sequence[Scene]) -> np.ndarray:
    """The points [n, 2] of all shapes, transformed to where they start."""
    parts = [np.zeros((0, 2))]
    for scene in scenes:
        table = shape_table(scene)
        x, y, angle = initial_poses(scene)[table.body_of_point].T
        c, s = np.cos(angle), np.sin(angle)
        local_x, local_y = table.points.T
        parts.append(np.stack([x + local_x * c - local_y * s, y + local_x * s + local_y * c], axis=1))
    return np.concatenate(parts)
