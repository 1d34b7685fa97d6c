"""How far the goal's two bodies are from each other."""

import numpy as np

from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle


def goal_distances(task: Task, states: np.ndarray) -> np.ndarray:
    """float [frames]: pixels between the goal's two bodies in states [frames, bodies, …]."""
    body, other = (_outlines(task.scene.bodies[index], states[:, index]) for index in (task.body, task.other))
    distances = [
        np.minimum(_distances(corners, other_corners), _distances(other_corners, corners)) - radius - other_radius
        for corners, radius in body
        for other_corners, other_radius in other
    ]
    return np.asarray(np.maximum(np.min(distances, axis=0), 0.0))


def _outlines(body: Body, states: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The corners [frames, corners, 2] of each shape of a body, and the shape's radius around them."""
    c, s = np.cos(states[:, 2]), np.sin(states[:, 2])
    rotation = np.stack([np.stack([c, s], axis=1), np.stack([-s, c], axis=1)], axis=1)
    outlines = []
    for shape in body.shapes:
        corners, radius = ([shape.centre], shape.radius) if isinstance(shape, Circle) else (shape.vertices, 0.0)
        outlines.append((np.array(corners) @ rotation + states[:, None, :2], radius))
    return outlines


def _distances(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """float [frames]: the smallest distance of points [frames, n, 2] to the polygon's sides between its corners."""
    start = corners[:, None]
    side = np.roll(corners, -1, axis=1)[:, None] - start
    to_point = points[:, :, None] - start
    share = (to_point * side).sum(axis=3) / np.maximum((side**2).sum(axis=3), 1e-12)
    offset = to_point - np.clip(share, 0.0, 1.0)[..., None] * side
    return np.asarray(np.sqrt((offset**2).sum(axis=3)).min(axis=(1, 2)))
