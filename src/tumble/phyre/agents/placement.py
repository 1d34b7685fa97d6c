"""Where the balls of solutions are, relative to the bodies of their task, and what they have in common with others."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import exact_balls
from tumble.phyre.tasks.builder import WALLS
from tumble.phyre.tasks.task import Task
from tumble.scene import Scene

UNDER = 0.7
"""The share of a ball's radius within which a body is under it."""
GROUND = "ground"
SEPARATOR = ", "


@dataclass(frozen=True)
class Placement:
    """Where the balls of solutions of a task are: each relative to the nearest body, and to the nearest that moves."""

    radii: np.ndarray
    """float [n, ball]."""
    nearest: np.ndarray
    """int [n, ball]: bodies of the scene."""
    from_nearest: np.ndarray
    """float [n, ball, 2]."""
    moving: np.ndarray
    """int [n, ball]: bodies that move."""
    from_moving: np.ndarray
    """float [n, ball, 2]."""
    roles: np.ndarray
    """str [n, ball]: of the bodies that move."""
    kinds: np.ndarray
    """str [n, ball]: of the bodies that move, role and shape."""
    boxes: np.ndarray
    """float [n, ball, 4]: left, bottom, right and top of the bodies that move, from their centres."""
    landings: np.ndarray
    """str [n, ball]: the kind of body that a ball falls onto."""
    goals: np.ndarray
    """str [n]: what the goal is about."""
    directions: np.ndarray
    """float [n]: from the goal's first body to the other one, in pixels to the right."""
    scene_kinds: np.ndarray
    """str [n]: the kinds of all bodies of the scene, joined by SEPARATOR."""
    task_ids: np.ndarray
    """str [n]: the tasks."""


def placement_of(task: Task, actions: np.ndarray) -> Placement:
    """Where the balls of a task's solutions [n, numbers] are."""
    scene = task.scene
    balls, centres, moving = exact_balls(actions), centres_of(scene), np.array(moving_in(scene))
    squares = ((balls[:, :, None, :2] - centres) ** 2).sum(axis=3)
    squares[:, :, [k for k, body in enumerate(scene.bodies) if body in WALLS]] = np.inf
    nearest, nearest_moving = squares.argmin(axis=2), moving[squares[:, :, moving].argmin(axis=2)]
    places = balls[..., :2]
    return Placement(
        balls[..., 2],
        nearest,
        places - centres[nearest],
        nearest_moving,
        places - centres[nearest_moving],
        roles_of(scene)[nearest_moving],
        kinds_of(scene)[nearest_moving],
        boxes_of(scene)[nearest_moving],
        landings(scene, balls),
        np.full(len(actions), goal_of(task)),
        np.full(len(actions), direction_of(task)),
        np.full(len(actions), SEPARATOR.join(sorted(set(moving_kinds(scene))))),
        np.full(len(actions), task.id),
    )


def joined(placements: Iterable[Placement]) -> Placement:
    """All rows of some placements."""
    every = list(placements)
    return Placement(*(np.concatenate([getattr(one, part.name) for one in every]) for part in fields(Placement)))


def landings(scene: Scene, balls: np.ndarray) -> np.ndarray:
    """str [n, ball]: the kinds of the bodies that balls [n, ball, 3] fall onto."""
    return kinds_under(scene, bodies_under(scene, balls))


def kinds_under(scene: Scene, under: np.ndarray) -> np.ndarray:
    """str [n, ball]: the kinds of the bodies that balls fall onto, as in `bodies_under`."""
    return np.asarray(np.append(moving_kinds(scene), GROUND)[under])


def bodies_under(scene: Scene, balls: np.ndarray) -> np.ndarray:
    """int [n, ball]: the bodies that balls [n, ball, 3] fall onto, as far as bounding boxes tell; -1 for the ground."""
    bodies, boxes = _visible(scene)
    x, y, radius = (balls[..., None, k] for k in range(3))
    is_under = (boxes[:, 0] < x + UNDER * radius) & (boxes[:, 2] > x - UNDER * radius) & (boxes[:, 3] < y + radius)
    highest = np.where(is_under, boxes[:, 3], -np.inf).argmax(axis=2)
    return np.asarray(np.append(bodies, -1)[np.where(is_under.any(axis=2), highest, -1)])


def goal_of(task: Task) -> str:
    """What a goal is about: the kinds of its bodies, and which of them is higher."""
    kinds, heights = moving_kinds(task.scene), centres_of(task.scene)[:, 1]
    return f"{kinds[task.body]}, {kinds[task.other]}, {heights[task.body] > heights[task.other]}"


def direction_of(task: Task) -> float:
    """From the goal's first body to the other one, in pixels to the right."""
    x = centres_of(task.scene)[:, 0]
    return float(x[task.other] - x[task.body])


def centres_of(scene: Scene) -> np.ndarray:
    """float [body, 2]."""
    return np.array([body.position for body in scene.bodies])


def roles_of(scene: Scene) -> np.ndarray:
    """str [body]."""
    return np.array([body.role for body in scene.bodies], str)


def kinds_of(scene: Scene) -> np.ndarray:
    """str [body]: role and shape."""
    return np.array([f"{body.role} {view.kind(body)}" for body in scene.bodies], str)


def moving_kinds(scene: Scene) -> np.ndarray:
    """str [body]: role, shape and whether it moves."""
    return np.array([f"{body.role} {view.kind(body)} {body.dynamic}" for body in scene.bodies], str)


def boxes_of(scene: Scene) -> np.ndarray:
    """float [body, 4]: left, bottom, right and top of bodies, from their centres; 0 of those outside the view."""
    bodies, boxes = _visible(scene)
    found = np.zeros((len(scene.bodies), 4))
    found[bodies] = boxes - np.tile(centres_of(scene)[bodies], 2)
    return found


@lru_cache(maxsize=1024)
def _visible(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """int [n], float [n, 4]: the bodies in the view, and their boxes in the scene."""
    return view.objects(scene), view.boxes(scene)


def moving_in(scene: Scene) -> list[int]:
    """The bodies that can move."""
    return [k for k, body in enumerate(scene.bodies) if body.dynamic]
