"""What tells whether a solution that is carried over to another task solves it: the features of `transfer_model.py`."""

import numpy as np

from tumble.phyre.agents.carried import Carried
from tumble.phyre.agents.crowding import crowding
from tumble.phyre.agents.evidence import flat_balls
from tumble.phyre.agents.placement import (
    SEPARATOR,
    bodies_under,
    boxes_of,
    centres_of,
    goal_of,
    kinds_under,
    moving_kinds,
)
from tumble.phyre.simulation.actions import exact_balls
from tumble.phyre.tasks.task import Task

SIZE = 256.0
"""Of a scene, in pixels: the unit of distances."""
LARGEST_OFFSET = 3.0
REFERENCE = 500
"""Actions, about, among which crowding is counted, so that it does not depend on how many there are."""


def features_of(task: Task, carried: Carried) -> np.ndarray:
    """float [n, feature]: how much each action's origin has in common with the task, and what its balls do there."""
    balls = exact_balls(carried.actions)
    under = bodies_under(task.scene, balls)
    return np.stack([*_in_common(task, under, carried), *_in_the_task(task, balls, under), _crowding(carried)], axis=1)


def _in_common(task: Task, under: np.ndarray, carried: Carried) -> list[np.ndarray]:
    """Whether the balls fall onto the same kinds of bodies, for the same kind of goal; the share of the kinds of bodies
    that both scenes have; and how the action was carried over."""
    own, (names, row) = set(moving_kinds(task.scene)), np.unique(carried.scene_kinds, return_inverse=True)
    theirs = [set(name.split(SEPARATOR)) for name in names.tolist()]
    shares = np.array([len(own & other) / len(own | other) for other in theirs])
    return [
        (kinds_under(task.scene, under) == carried.landings).mean(axis=1),
        (carried.goals == goal_of(task)).astype(float),
        shares[row],
        carried.was_moved.astype(float),
        carried.by_kind.astype(float),
    ]


def _in_the_task(task: Task, balls: np.ndarray, under: np.ndarray) -> list[np.ndarray]:
    """What is `under` balls [n, ball, 3], from how high and how far off its centre they fall, and where they are
    relative to the goal's bodies and to each other."""
    scene, centres = task.scene, centres_of(task.scene)
    falls = under >= 0
    boxes = boxes_of(scene) + np.tile(centres, 2)
    left, _, right, top = np.moveaxis(np.where(falls[..., None], boxes[under], (0.0, 0.0, SIZE, 0.0)), 2, 0)
    fall = (balls[..., 1] - balls[..., 2] - top) / SIZE
    offset = np.abs(balls[..., 0] - (left + right) / 2) / np.maximum((right - left) / 2, 1.0)
    on_moving = falls & np.array([body.dynamic for body in scene.bodies])[under]
    on_goal = [under == body for body in (task.body, task.other)]
    to_goal = [balls[..., :2] - centres[body] for body in (task.body, task.other)]
    is_between = np.sign(to_goal[0][..., 0]) != np.sign(to_goal[1][..., 0])
    radii = balls[..., 2] / SIZE
    return [
        *(part for one in (*on_goal, on_moving, is_between) for part in (one.mean(axis=1), one.any(axis=1))),
        *(part for one in (radii, fall) for part in (one.mean(axis=1), one.max(axis=1))),
        np.minimum(offset, LARGEST_OFFSET).mean(axis=1),
        (fall * on_moving).mean(axis=1),
        *(np.hypot(*np.moveaxis(one, 2, 0)).min(axis=1) / SIZE for one in to_goal),
        np.hypot(*(balls[:, 0, :2] - balls[:, -1, :2]).T) / SIZE,
    ]


def _crowding(carried: Carried) -> np.ndarray:
    balls = flat_balls(carried.actions)
    return crowding(balls, balls[:: max(1, len(balls) // REFERENCE)])
