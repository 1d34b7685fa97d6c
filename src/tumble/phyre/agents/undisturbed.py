"""What a task does without an action, as far as attempts have shown it.

Until a placed ball first touches a body that can move, the task's bodies move as they would without it. So the attempt
whose ball touched one last shows most of it, and an attempt whose ball touched none shows all of it.
"""

from dataclasses import dataclass

import numpy as np

from tumble.phyre.agents.goal_distance import goal_distances
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.tasks.task import Task


@dataclass(frozen=True)
class Undisturbed:
    """The part of a rollout without an action that is known."""

    last_step: int
    """Up to which it is known; 0: only the start."""
    nearest: float
    """Pixels: the smallest distance of the goal's two bodies until then."""


def at_start(task: Task) -> Undisturbed:
    """What is known before the first attempt."""
    poses = [[(*body.position, body.angle, 0.0, 0.0, 0.0) for body in task.scene.bodies]]
    return Undisturbed(0, float(goal_distances(task, np.array(poses))[0]))


@dataclass(frozen=True)
class Seen:
    """What an attempt shows."""

    nearest: float
    """Pixels: the smallest distance of the goal's two bodies."""
    touched: np.ndarray
    """bool [balls]: which placed balls touched a body that can move, or a ball that did."""
    undisturbed: Undisturbed


def seen_in(task: Task, attempt: Attempt) -> Seen:
    """What an attempt with states and events shows; what was undisturbed is all of it, if no placed ball touched a
    body that can move."""
    assert attempt.states is not None
    assert attempt.frames is not None
    step = first_touch(task, attempt)
    last_step = attempt.steps if step is None else max(step - 1, 0)
    distances = goal_distances(task, attempt.states)
    until_then = distances[attempt.frames <= last_step]
    balls = attempt.states.shape[1] - len(task.scene.bodies)
    return Seen(
        float(distances.min()), _touching(task, attempt, balls), Undisturbed(last_step, float(until_then.min()))
    )


def first_touch(task: Task, attempt: Attempt) -> int | None:
    """The step at which a placed ball first touches a body of the task that can move; None if none does."""
    begins, touches = _touches(task, attempt)
    return int(begins["step"][touches].min()) if touches.any() else None


def _touches(task: Task, attempt: Attempt) -> tuple[np.ndarray, np.ndarray]:
    """The beginnings of contacts, and bool [n]: which are between a placed ball and a body that can move."""
    assert attempt.events is not None
    begins = attempt.events[attempt.events["begin"]]
    pairs = np.stack([begins["body_a"], begins["body_b"]], axis=1)
    count = len(task.scene.bodies)
    movable = np.append([body.dynamic for body in task.scene.bodies], False)
    return begins, (pairs >= count).any(axis=1) & movable[np.minimum(pairs, count)].any(axis=1)


def _touching(task: Task, attempt: Attempt, balls: int) -> np.ndarray:
    """bool [balls]: which placed balls touched a body that can move, or a ball that did."""
    begins, touches = _touches(task, attempt)
    touching = np.zeros(balls, bool)
    first = len(task.scene.bodies)
    pairs = np.stack([begins["body_a"], begins["body_b"]], axis=1) - first
    touching[pairs[touches].max(axis=1)] = True  # a placed ball comes after the task's bodies
    if touching.any() and (pairs >= 0).all(axis=1).any():
        touching[:] = True  # there are two balls at most
    return touching
