"""What failed attempts show: what each ball did, what happens without an action, and what similar actions do.

A ball that touched nothing that moves is useless wherever its partner is, and one that brought the goal's bodies
nearer to each other is useful. So the effects of an attempt count for actions that have one ball in common with it,
too.

Until a placed ball first touches a body that can move, the task's bodies move as they would without it. So the
attempt whose ball touched one last shows most of what is undisturbed, and an attempt whose ball touched none shows
all of it.
"""

from dataclasses import dataclass

import numpy as np

from tumble.phyre.catalogue.task import Task
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.attempt import Attempt
from tumble.scene import Body, Circle


def flat_balls(actions: np.ndarray) -> np.ndarray:
    """float [n, numbers]: x, y and radius of the balls that actions place, in whole pixels."""
    return placed_balls(actions).reshape(actions.shape)


def evidence_of_attempts(
    balls: np.ndarray, attempted: np.ndarray, effects: np.ndarray, reach: float, view: float
) -> np.ndarray:
    """float [n, 1 + 2 * count]: how many attempts are the same as an action, in all balls; for each of its balls, how
    many balls of attempts are similar to it, and the sum of these balls' effects.

    Given are the balls [n, numbers] of actions and those of attempts, and the effects [attempts, count] of the latter.
    What is at distance d counts as exp(-(d / reach)^2 / 2) and exp(-(d / view)^2 / 2).
    """
    count = effects.shape[1]
    squares = squared_distances(balls.reshape(-1, 3), attempted.reshape(-1, 3))
    similar = np.exp(-0.5 * squares / view**2)
    by_ball = np.stack([similar.sum(axis=1), similar @ effects.ravel()]).reshape(2, len(balls), count)
    same = _same_attempts(squares.reshape(len(balls), count, len(attempted), count), reach)
    return np.concatenate([same[:, None], by_ball[0], by_ball[1]], axis=1)


def _same_attempts(squares: np.ndarray, reach: float) -> np.ndarray:
    """float [n]: how many attempts are the same, by squared distances [n, ball, attempts, ball] of their balls.

    The order of balls does not matter.
    """
    count = squares.shape[1]
    orders = [range(count), reversed(range(count))] if count > 1 else [range(count)]
    totals = [np.sum([squares[:, own, :, other] for other, own in enumerate(order)], axis=0) for order in orders]
    return np.asarray(np.exp(-0.5 * np.min(totals, axis=0) / reach**2).sum(axis=1))


def squared_distances(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n, m]: between points [n, d] and others [m, d]."""
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2.0 * points @ others.T
    return np.asarray(np.maximum(squares, 0.0))


def goal_distances(task: Task, states: np.ndarray) -> np.ndarray:
    """float [frames]: pixels between the goal's two bodies in states [frames, bodies, …]."""
    body, other = (_outlines(task.scene.bodies[index], states[:, index]) for index in (task.body, task.other))
    distances = [
        np.minimum(_distances_to_sides(corners, other_corners), _distances_to_sides(other_corners, corners))
        - radius
        - other_radius
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


def _distances_to_sides(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """float [frames]: the smallest distance of points [frames, n, 2] to the polygon's sides between its corners."""
    start = corners[:, None]
    side = np.roll(corners, -1, axis=1)[:, None] - start
    to_point = points[:, :, None] - start
    share = (to_point * side).sum(axis=3) / np.maximum((side**2).sum(axis=3), 1e-12)
    offset = to_point - np.clip(share, 0.0, 1.0)[..., None] * side
    return np.asarray(np.sqrt((offset**2).sum(axis=3)).min(axis=(1, 2)))


@dataclass(frozen=True)
class Undisturbed:
    """The part of a rollout without an action that is known."""

    last_step: int
    """Up to which it is known; 0: only the start."""
    nearest: float
    """Pixels: the smallest distance of the goal's two bodies until then."""


def undisturbed_at_start(task: Task) -> Undisturbed:
    """What is known before the first attempt."""
    poses = [[(*body.position, body.angle, 0.0, 0.0, 0.0) for body in task.scene.bodies]]
    return Undisturbed(0, float(goal_distances(task, np.array(poses))[0]))


@dataclass(frozen=True)
class SeenInAttempt:
    """What an attempt shows."""

    nearest: float
    """Pixels: the smallest distance of the goal's two bodies."""
    touched: np.ndarray
    """bool [balls]: which placed balls touched a body that can move, or a ball that did."""
    undisturbed: Undisturbed


def seen_in_attempt(task: Task, attempt: Attempt) -> SeenInAttempt:
    """What an attempt with states and events shows; what was undisturbed is all of it, if no placed ball touched a
    body that can move."""
    assert attempt.states is not None
    assert attempt.frames is not None
    step = first_touch(task, attempt)
    last_step = attempt.steps if step is None else max(step - 1, 0)
    distances = goal_distances(task, attempt.states)
    until_then = distances[attempt.frames <= last_step]
    balls = attempt.states.shape[1] - len(task.scene.bodies)
    return SeenInAttempt(
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


CROWDING_CELL = 6.0
"""The side of a cell of the grid in which balls are counted, in pixels."""


def crowding(balls: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n]: how many of some actions' balls are close to those of each action: the mean over its balls of
    log(1 + number).

    Given are the balls [n, numbers] of actions and [m, numbers] of the others. Close are those in the same cell of a
    grid of x, y and radius, and in the cells next to it.
    """
    own, near = ((table.reshape(-1, 3) // CROWDING_CELL).astype(int) + 1 for table in (balls, others))
    shape = np.concatenate([own, near]).max(axis=0, initial=0) + 2
    counts = np.zeros(shape)
    np.add.at(counts, tuple(near.T), 1.0)
    for axis in range(3):  # cells at the edges are empty
        counts = counts + np.roll(counts, 1, axis) + np.roll(counts, -1, axis)
    return np.asarray(np.log1p(counts[tuple(own.T)]).reshape(len(balls), balls.shape[1] // 3).mean(axis=1))
