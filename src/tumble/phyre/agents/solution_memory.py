"""Actions that solved tasks, carried over to other tasks: a ball is placed relative to a body as it was there.

Within templates, 0.6 % of two-ball solutions solve a test task as they are, 3.3 % relative to bodies of the same
role and 24.5 % relative to the bodies of a task that is alike (`benchmarks/phyre_transfer.py`).

Across templates no task is alike. There, balls are also carried over by kind: to a body of the same role and shape, at
the same distance from its bounding box or at the same share of its width and height.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from tumble.phyre.generation import training_pool
from tumble.phyre.generation.solutions import solution
from tumble.phyre.observation import view
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
FEWEST_BY_KIND = 200
"""Solutions whose bodies are all of kinds that a task has, at least; with fewer, all solutions are carried over."""

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
    kinds: np.ndarray
    """str [n, ball]: of the bodies that move, role and shape."""
    boxes: np.ndarray
    """float [n, ball, 4]: left, bottom, right and top of the bodies that move, from their centres."""


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
        anchors = _anchors(one.roles[row], _roles(task.scene), moving, rng)
        offsets = one.from_moving[row] * np.where(rng.random((count, 1, 1)) < 0.5, (-1.0, 1.0), 1.0)
        return _actions(centres[anchors] + offsets, one.radii[row])

    def by_kind(self, task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` actions drawn from solutions whose bodies are of kinds that the task has, if there are enough: balls
        are relative to the bounding box of a moving body of the same kind."""
        moving = _moving(task.scene)
        if not self.by_layout or not moving:
            return np.zeros((0, TIERS[task.tier].numbers))
        one, kinds = self._everything(), _kinds(task.scene)
        rows = np.flatnonzero(np.isin(one.kinds, kinds[moving]).all(axis=1))
        if len(rows) < FEWEST_BY_KIND:
            rows = np.arange(len(one.radii))
        row = rows[rng.integers(len(rows), size=count)]
        anchors = _anchors(one.kinds[row], kinds, moving, rng)
        mirrored = rng.random((count, 1, 1)) < 0.5
        places = one.from_moving[row] * np.where(mirrored, (-1.0, 1.0), 1.0)
        boxes = np.where(mirrored, one.boxes[row][..., [2, 1, 0, 3]] * (-1.0, 1.0, -1.0, 1.0), one.boxes[row])
        offsets = _from_box_to_box(places, boxes, _boxes(task.scene)[anchors])
        return _actions(_centres(task.scene)[anchors] + offsets, one.radii[row])

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
    places = balls[..., :2]
    return Placement(
        balls[..., 2],
        nearest,
        places - centres[nearest],
        nearest_moving,
        places - centres[nearest_moving],
        _roles(scene)[nearest_moving],
        _kinds(scene)[nearest_moving],
        _boxes(scene)[nearest_moving],
    )


def _joined(placements: Iterable[Placement]) -> Placement:
    every = list(placements)
    return Placement(*(np.concatenate([getattr(one, part.name) for one in every]) for part in fields(Placement)))


def _anchors(wanted: np.ndarray, names: np.ndarray, moving: list[int], rng: np.random.Generator) -> np.ndarray:
    """int [n, ball]: a random moving body whose name is the wanted one [n, ball], or any if there is none."""
    anchors, chance = np.zeros(wanted.shape, int), rng.random(wanted.shape)
    for name in np.unique(wanted):
        fitting = [k for k in moving if names[k] == name] or moving
        anchors = np.where(wanted == name, np.array(fitting)[(chance * len(fitting)).astype(int)], anchors)
    return anchors


def _from_box_to_box(places: np.ndarray, boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n, ball, 2]: places [n, ball, 2] relative to other boxes [n, ball, 4] as they are relative to boxes: in
    each direction at the same distance outside, or at the same share of the size inside."""
    low, high, to_low, to_high = boxes[..., :2], boxes[..., 2:], others[..., :2], others[..., 2:]
    inside = to_low + (places - low) / np.maximum(high - low, 1e-6) * (to_high - to_low)
    above, below = to_high + places - high, to_low + places - low
    return np.asarray(np.where(places > high, above, np.where(places < low, below, inside)))


def _actions(places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Actions [n, numbers] with balls at places [n, ball, 2]; those outside the scene are moved to its border."""
    return from_balls(np.concatenate([places, radii[..., None]], axis=2)).clip(0.0, 1.0)


def _centres(scene: Scene) -> np.ndarray:
    """float [body, 2]."""
    return np.array([body.position for body in scene.bodies])


def _roles(scene: Scene) -> np.ndarray:
    """str [body]."""
    return np.array([body.role for body in scene.bodies], str)


def _kinds(scene: Scene) -> np.ndarray:
    """str [body]: role and shape."""
    return np.array([f"{body.role} {view.kind(body)}" for body in scene.bodies], str)


def _boxes(scene: Scene) -> np.ndarray:
    """float [body, 4]: left, bottom, right and top of bodies, from their centres; 0 of those outside the view."""
    boxes, visible = np.zeros((len(scene.bodies), 4)), view.objects(scene)
    boxes[visible] = view.boxes(scene) - np.tile(_centres(scene)[visible], 2)
    return boxes


def _moving(scene: Scene) -> list[int]:
    """The bodies that can move."""
    return [k for k, body in enumerate(scene.bodies) if body.dynamic]
