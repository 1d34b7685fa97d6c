"""Actions that solved tasks, carried over to other tasks: a ball is placed relative to a body as it was there.

Within templates, 0.6 % of two-ball solutions solve a test task as they are, 3.3 % relative to bodies of the same
role and 24.5 % relative to the bodies of a task that is alike (`benchmarks/phyre_transfer.py`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tumble.phyre.generation import training_pool
from tumble.phyre.generation.solutions import solution
from tumble.phyre.simulation.actions import exact_balls, from_balls
from tumble.phyre.tasks.builder import WALLS
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.scene import Scene

OF_EACH = 10
"""Solutions of a training task that are remembered, at most."""
SPREADS = (0.0, 3.0, 10.0)
"""Standard deviations, in pixels, by which balls of solutions that are alike are moved; each takes one of these."""

Layout = tuple[tuple[object, ...], ...]


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


@dataclass
class SolutionMemory:
    """Solutions of tasks. Those of scenes with the same bodies, in other places or of other sizes, are alike."""

    by_layout: dict[Layout, list[Placement]] = field(default_factory=dict)
    _all: Placement | None = None
    """All placements, once they were asked for."""

    def add(self, task: Task, actions: np.ndarray) -> None:
        """Adds solutions [n, numbers] of a task."""
        if len(actions) and _moving(task.scene):
            self.by_layout.setdefault(layout(task.scene), []).append(_placement(task.scene, actions))
            self._all = None

    def alike(self, task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` actions [n, numbers] drawn from solutions of scenes that are alike, or none if there are none."""
        known = self.by_layout.get(layout(task.scene), [])
        if not known:
            return np.zeros((0, TIERS[task.tier].numbers))
        one = _joined(known)
        row, centres = rng.integers(len(one.radii), size=count), _centres(task.scene)
        to_nearest = centres[one.nearest[row]] + one.from_nearest[row]
        to_moving = centres[one.moving[row]] + one.from_moving[row]
        places = np.where(rng.random((count, 1, 1)) < 0.5, to_nearest, to_moving)
        places += rng.choice(SPREADS, (count, 1, 1)) * rng.normal(size=places.shape)
        return _actions(places, one.radii[row])

    def by_role(self, task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` actions drawn from all solutions: balls are relative to a moving body of the same role, if any."""
        moving = _moving(task.scene)
        if not self.by_layout or not moving:
            return np.zeros((0, TIERS[task.tier].numbers))
        one = self._everything()
        row, centres = rng.integers(len(one.radii), size=count), _centres(task.scene)
        roles, chance = one.roles[row], rng.random(one.roles[row].shape)
        anchors = np.zeros(roles.shape, int)
        for role in np.unique(roles):
            fitting = [k for k in moving if task.scene.bodies[k].role == role] or moving
            anchors = np.where(roles == role, np.array(fitting)[(chance * len(fitting)).astype(int)], anchors)
        offsets = one.from_moving[row] * np.where(rng.random((count, 1, 1)) < 0.5, (-1.0, 1.0), 1.0)
        return _actions(centres[anchors] + offsets, one.radii[row])

    def _everything(self) -> Placement:
        if self._all is None:
            self._all = _joined(one for some in self.by_layout.values() for one in some)
        return self._all


def memory_of(tasks: Sequence[Task], pool: str | Path | None) -> SolutionMemory:
    """Solutions of tasks: some of each that a training pool has, or the package's solution of each if there is none."""
    memory = SolutionMemory()
    if pool is None:
        for task in tasks:
            known = solution(task.id)
            memory.add(task, np.zeros((0, TIERS[task.tier].numbers)) if known is None else known[None])
        return memory
    tried = training_pool.load(pool, tasks, 0).of_tasks
    for row, task in enumerate(tried.tasks):
        actions = tried.solving(row)
        memory.add(task, actions[generator_for(f"{task.id}/memory").permutation(len(actions))[:OF_EACH]])
    return memory


def layout(scene: Scene) -> Layout:
    """What scenes that are alike have in common: the roles and shapes of their bodies."""
    return tuple((body.role, body.dynamic, *(type(shape).__name__ for shape in body.shapes)) for body in scene.bodies)


def _placement(scene: Scene, actions: np.ndarray) -> Placement:
    balls, centres, moving = exact_balls(actions), _centres(scene), np.array(_moving(scene))
    squares = ((balls[:, :, None, :2] - centres) ** 2).sum(axis=3)
    squares[:, :, [k for k, body in enumerate(scene.bodies) if body in WALLS]] = np.inf
    nearest, nearest_moving = squares.argmin(axis=2), moving[squares[:, :, moving].argmin(axis=2)]
    roles = np.array([body.role for body in scene.bodies], str)
    places = balls[..., :2]
    return Placement(
        balls[..., 2],
        nearest,
        places - centres[nearest],
        nearest_moving,
        places - centres[nearest_moving],
        roles[nearest_moving],
    )


def _joined(placements: Iterable[Placement]) -> Placement:
    every = list(placements)
    names = ("radii", "nearest", "from_nearest", "moving", "from_moving", "roles")
    return Placement(*(np.concatenate([getattr(one, name) for one in every]) for name in names))


def _actions(places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Actions [n, numbers] with balls at places [n, ball, 2]; those outside the scene are moved to its border."""
    return from_balls(np.concatenate([places, radii[..., None]], axis=2)).clip(0.0, 1.0)


def _centres(scene: Scene) -> np.ndarray:
    """float [body, 2]."""
    return np.array([body.position for body in scene.bodies])


def _moving(scene: Scene) -> list[int]:
    """The bodies that can move."""
    return [k for k, body in enumerate(scene.bodies) if body.dynamic]
