"""What an attempt that failed came to: whether it changed anything, and how near it brought the goal's two bodies."""

import numpy as np

from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle

WITHIN = np.array([0.5, 0.5, 0.05])
"""Pixels and radians by which bodies may end elsewhere and count as unchanged."""


def effect(task: Task, attempt: Attempt, untouched: Attempt) -> float:
    """-1 if it changed nothing, 0 if something, up to 1 if it brought the goal's bodies together.

    Measured by how near they came at their nearest, beside how near they come with no action (`untouched`).
    """
    assert attempt.states is not None
    assert untouched.states is not None
    bodies = untouched.states.shape[1]
    if (np.abs(attempt.states[-1, :bodies, :3] - untouched.states[-1, :, :3]) < WITHIN).all():
        return -1.0
    before, now = (gaps(task, seen.states).min() for seen in (untouched, attempt) if seen.states is not None)
    return float(np.clip((before - now) / max(before, 1.0), 0.0, 1.0))


def gaps(task: Task, states: np.ndarray) -> np.ndarray:
    """Pixels between the goal's two bodies, in each frame of states [frames, bodies, …]."""
    one, other = (_outlines(task.scene.bodies[body], states[:, body]) for body in (task.body, task.other))
    nearest = [
        np.minimum(_apart(first, second), _apart(second, first)) - reach - other_reach
        for first, reach in one
        for second, other_reach in other
    ]
    return np.asarray(np.maximum(np.min(nearest, axis=0), 0.0))


def _outlines(body: Body, states: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """The corners [frames, corners, 2] of each shape of a body, and how far the shape reaches around them."""
    c, s = np.cos(states[:, 2]), np.sin(states[:, 2])
    turn = np.stack([np.stack([c, s], axis=1), np.stack([-s, c], axis=1)], axis=1)
    outlines = []
    for shape in body.shapes:
        corners, radius = ([shape.centre], shape.radius) if isinstance(shape, Circle) else (shape.vertices, 0.0)
        outlines.append((np.array(corners) @ turn + states[:, None, :2], radius))
    return outlines


def _apart(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How near any of some points comes to the sides between corners, in each frame."""
    begin = corners[:, None]
    along = np.roll(corners, -1, axis=1)[:, None] - begin
    there = points[:, :, None] - begin
    share = (there * along).sum(axis=3) / np.maximum((along**2).sum(axis=3), 1e-12)
    away = there - np.clip(share, 0.0, 1.0)[..., None] * along
    return np.asarray(np.sqrt((away**2).sum(axis=3)).min(axis=(1, 2)))
