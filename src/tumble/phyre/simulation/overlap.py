"""Which placed balls and bodies overlap those of their task: many attempts at a time, on the engine's device."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
import warp as wp

from tumble.phyre.simulation.overlap_kernel import Shapes, mark_clear, mark_clear_bodies
from tumble.scene import Body, Scene, initial_poses
from tumble.scene.shape_table import shape_table

TOLERANCE = 1e-5
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
            inputs = [self._shapes, _upload(scene_of, wp.int32, self.device), balls, TOLERANCE]
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
                TOLERANCE,
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
