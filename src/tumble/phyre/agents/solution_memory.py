"""Actions that solved tasks, carried over to other tasks: a ball is placed relative to a body as it was there.

Within templates, 0.6 % of two-ball solutions solve a test task as they are, 3.3 % relative to bodies of the same
role and 24.5 % relative to the bodies of a task that is alike (`benchmarks/phyre_transfer.py`).

Across templates no task is alike. There, balls are also carried over by kind: to a body of the same role and shape, at
the same distance from its bounding box or at the same share of its width and height. They are mirrored at random or,
if they are `aimed`, where the goal's other body is on the other side. `transfer_model.py` tells which of them fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tumble.phyre.agents.carried import Carried
from tumble.phyre.agents.placement import (
    Placement,
    boxes_of,
    centres_of,
    direction_of,
    joined,
    kinds_of,
    moving_in,
    placement_of,
    roles_of,
)
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.solutions import solution
from tumble.phyre.simulation.actions import exact_balls, from_balls
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
CLEAR = 8.0
"""Pixels to the left or right from which on a direction is clear."""
AT_RANDOM = 0.2
"""The share of solutions that are mirrored at random although the direction is clear."""

Layout = tuple[tuple[object, ...], ...]


@dataclass
class SolutionMemory:
    """Solutions of tasks. Those of scenes with the same bodies, in other places or of other sizes, are alike."""

    by_layout: dict[Layout, list[Placement]] = field(default_factory=dict)
    _all: Placement | None = None
    """All placements, once they were asked for."""

    def add(self, task: Task, actions: np.ndarray) -> None:
        """Adds solutions [n, numbers] of a task."""
        if len(actions) and moving_in(task.scene):
            self.add_placement(layout(task.scene), placement_of(task, actions))

    def add_placement(self, of_layout: Layout, placement: Placement) -> None:
        """Adds solutions of a task with a layout."""
        self.by_layout.setdefault(of_layout, []).append(placement)
        self._all = None

    def alike(self, task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` actions [n, numbers] drawn from solutions of scenes that are alike, or none if there are none."""
        known = self.by_layout.get(layout(task.scene), [])
        if not known:
            return _no_actions(task)
        one = joined(known)
        row, centres = rng.integers(len(one.radii), size=count), centres_of(task.scene)
        to_nearest = centres[one.nearest[row]] + one.from_nearest[row]
        to_moving = centres[one.moving[row]] + one.from_moving[row]
        places = np.where(rng.random((count, 1, 1)) < 0.5, to_nearest, to_moving)
        places += rng.choice(SPREADS, (count, 1, 1)) * rng.normal(size=places.shape)
        return _actions(places, one.radii[row])

    def by_role(self, task: Task, count: int, rng: np.random.Generator, aimed: bool = False) -> Carried:
        """`count` actions drawn from all solutions: balls are relative to a moving body of the same role, if any."""
        if not count or not self._has_any_for(task):
            return _nothing_carried(task)
        one = self._everything()
        row = rng.integers(len(one.radii), size=count)
        anchors = _anchors(one.roles[row], roles_of(task.scene), moving_in(task.scene), rng)
        mirrored = _mirrored(one.directions[row], task, aimed, rng)
        offsets = one.from_moving[row] * np.where(mirrored, (-1.0, 1.0), 1.0)
        return _carried(one, row, centres_of(task.scene)[anchors] + offsets, by_kind=False)

    def by_kind(self, task: Task, count: int, rng: np.random.Generator, aimed: bool = False) -> Carried:
        """`count` actions drawn from solutions whose bodies are of kinds that the task has, if there are enough: balls
        are relative to the bounding box of a moving body of the same kind."""
        if not count or not self._has_any_for(task):
            return _nothing_carried(task)
        one, kinds, moving = self._everything(), kinds_of(task.scene), moving_in(task.scene)
        rows = np.flatnonzero(np.isin(one.kinds, kinds[moving]).all(axis=1))
        if len(rows) < FEWEST_BY_KIND:
            rows = np.arange(len(one.radii))
        row = rows[rng.integers(len(rows), size=count)]
        anchors = _anchors(one.kinds[row], kinds, moving, rng)
        mirrored = _mirrored(one.directions[row], task, aimed, rng)
        places = one.from_moving[row] * np.where(mirrored, (-1.0, 1.0), 1.0)
        boxes = np.where(mirrored, one.boxes[row][..., [2, 1, 0, 3]] * (-1.0, 1.0, -1.0, 1.0), one.boxes[row])
        offsets = _from_box_to_box(places, boxes, boxes_of(task.scene)[anchors])
        return _carried(one, row, centres_of(task.scene)[anchors] + offsets, by_kind=True)

    def _has_any_for(self, task: Task) -> bool:
        """Whether there are solutions, and the task has a body to place balls at."""
        return bool(self.by_layout and moving_in(task.scene))

    def _everything(self) -> Placement:
        if self._all is None:
            self._all = joined(one for some in self.by_layout.values() for one in some)
        return self._all


def memory_of(tasks: Sequence[Task], pool: str | Path | None) -> SolutionMemory:
    """Solutions of tasks: some of each that a training pool has, or the package's solution of each if there is none."""
    memory = SolutionMemory()
    if pool is None:
        for task in tasks:
            known = solution(task.id)
            memory.add(task, _no_actions(task) if known is None else known[None])
        return memory
    tried = training_pool.load(pool, tasks, 0).of_tasks
    for row, task in enumerate(tried.tasks):
        actions = tried.solving(row)
        memory.add(task, actions[generator_for(f"{task.id}/memory").permutation(len(actions))[:OF_EACH]])
    return memory


def layout(scene: Scene) -> Layout:
    """What scenes that are alike have in common: the roles and shapes of their bodies."""
    return tuple((body.role, body.dynamic, *(type(shape).__name__ for shape in body.shapes)) for body in scene.bodies)


def _no_actions(task: Task) -> np.ndarray:
    return np.zeros((0, TIERS[task.tier].numbers))


def _anchors(wanted: np.ndarray, names: np.ndarray, moving: list[int], rng: np.random.Generator) -> np.ndarray:
    """int [n, ball]: a random moving body whose name is the wanted one [n, ball], or any if there is none."""
    anchors, chance = np.zeros(wanted.shape, int), rng.random(wanted.shape)
    for name in np.unique(wanted):
        fitting = [k for k in moving if names[k] == name] or moving
        anchors = np.where(wanted == name, np.array(fitting)[(chance * len(fitting)).astype(int)], anchors)
    return anchors


def _mirrored(directions: np.ndarray, task: Task, aimed: bool, rng: np.random.Generator) -> np.ndarray:
    """bool [n, 1, 1]: which solutions, whose goals have these directions [n], are mirrored.

    At random or, if they are aimed, such that the direction is the task's where it is clear.
    """
    at_random = rng.random((len(directions), 1, 1)) < 0.5
    if not aimed:
        return at_random
    direction = direction_of(task)
    is_unclear = np.minimum(np.abs(directions), abs(direction)) < CLEAR
    is_unclear |= rng.random(len(directions)) < AT_RANDOM
    is_other = np.sign(directions) != np.sign(direction)
    return np.where(is_unclear[:, None, None], at_random, is_other[:, None, None])


def _from_box_to_box(places: np.ndarray, boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """float [n, ball, 2]: places [n, ball, 2] relative to other boxes [n, ball, 4] as they are relative to boxes: in
    each direction at the same distance outside, or at the same share of the size inside."""
    low, high, to_low, to_high = boxes[..., :2], boxes[..., 2:], others[..., :2], others[..., 2:]
    inside = to_low + (places - low) / np.maximum(high - low, 1e-6) * (to_high - to_low)
    above, below = to_high + places - high, to_low + places - low
    return np.asarray(np.where(places > high, above, np.where(places < low, below, inside)))


def _carried(one: Placement, row: np.ndarray, places: np.ndarray, by_kind: bool) -> Carried:
    """Actions with the balls of rows of a placement at places [n, ball, 2]."""
    actions = _actions(places, one.radii[row])
    was_moved = (np.abs(exact_balls(actions)[..., :2] - places) > 1.0).any(axis=(1, 2))
    source = one.landings[row], one.goals[row], one.scene_kinds[row], one.task_ids[row]
    return Carried(actions, *source, was_moved, np.full(len(row), by_kind))


def _nothing_carried(task: Task) -> Carried:
    balls = TIERS[task.tier].numbers // 3
    nothing = np.zeros(0, str)
    return Carried(
        _no_actions(task), np.zeros((0, balls), str), nothing, nothing, nothing, np.zeros(0, bool), np.zeros(0, bool)
    )


def _actions(places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Actions [n, numbers] with balls at places [n, ball, 2]; those outside the scene are moved to its border."""
    return from_balls(np.concatenate([places, radii[..., None]], axis=2)).clip(0.0, 1.0)
