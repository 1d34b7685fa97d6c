"""Actions that solved tasks, carried over to other tasks: a ball is placed relative to a body as it was there.

Within templates, 0.6 % of two-ball solutions solve a test task as they are, 3.3 % relative to bodies of the same
role and 24.5 % relative to the bodies of a task that is alike (commit 3ca3c8ba, benchmarks/phyre_transfer.py).

Across templates no task is alike. There, balls are also carried over by kind: to a body of the same role and shape,
at the same distance from its bounding box or at the same share of its width and height. They are mirrored at random
or, if they are `aimed`, where the goal's other body is on the other side. `transfer.py` tells which of them fit.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path

import numpy as np

from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.catalogue.template import WALLS
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.variations import generator_for
from tumble.phyre.observation import view
from tumble.phyre.simulation.actions import exact_balls, from_balls
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


def joined_placements(placements: Iterable[Placement]) -> Placement:
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


@dataclass(frozen=True)
class Carried:
    """Actions on a task."""

    actions: np.ndarray
    """float [n, numbers]."""
    landings: np.ndarray
    """str [n, ball]: the kinds of bodies that the balls fell onto in the tasks that they come from."""
    goals: np.ndarray
    """str [n]: what the goals of these tasks are about."""
    scene_kinds: np.ndarray
    """str [n]: the kinds of their bodies."""
    task_ids: np.ndarray
    """str [n]: these tasks."""
    was_moved: np.ndarray
    """bool [n]: whether a ball had to be moved into the scene."""
    by_kind: np.ndarray
    """bool [n]: whether the bodies correspond by kind and not by role."""

    def __len__(self) -> int:
        return len(self.actions)

    def take(self, rows: np.ndarray | slice) -> "Carried":
        """Some of them."""
        return Carried(*(getattr(self, part.name)[rows] for part in fields(Carried)))


def joined_carried(some: Iterable[Carried]) -> Carried:
    """All of some."""
    every = list(some)
    return Carried(*(np.concatenate([getattr(one, part.name) for one in every]) for part in fields(Carried)))


REMEMBERED_OF_EACH = 10
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
            self.add_placement(layout_of(task.scene), placement_of(task, actions))

    def add_placement(self, of_layout: Layout, placement: Placement) -> None:
        """Adds solutions of a task with a layout."""
        self.by_layout.setdefault(of_layout, []).append(placement)
        self._all = None

    def alike(self, task: Task, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` actions [n, numbers] drawn from solutions of scenes that are alike, or none if there are none."""
        known = self.by_layout.get(layout_of(task.scene), [])
        if not known:
            return _no_actions(task)
        one = joined_placements(known)
        row, centres = rng.integers(len(one.radii), size=count), centres_of(task.scene)
        to_nearest = centres[one.nearest[row]] + one.from_nearest[row]
        to_moving = centres[one.moving[row]] + one.from_moving[row]
        places = np.where(rng.random((count, 1, 1)) < 0.5, to_nearest, to_moving)
        places += rng.choice(SPREADS, (count, 1, 1)) * rng.normal(size=places.shape)
        return _actions_at(places, one.radii[row])

    def by_role(self, task: Task, count: int, rng: np.random.Generator, aimed: bool = False) -> Carried:
        """`count` actions drawn from all solutions: balls are relative to a moving body of the same role, if any."""
        if not count or not self._has_any_for(task):
            return _nothing_carried(task)
        one = self._everything()
        row = rng.integers(len(one.radii), size=count)
        anchors = _anchors(one.roles[row], roles_of(task.scene), moving_in(task.scene), rng)
        mirrored = _mirrored(one.directions[row], task, aimed, rng)
        offsets = one.from_moving[row] * np.where(mirrored, (-1.0, 1.0), 1.0)
        return _carried_actions(one, row, centres_of(task.scene)[anchors] + offsets, by_kind=False)

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
        return _carried_actions(one, row, centres_of(task.scene)[anchors] + offsets, by_kind=True)

    def _has_any_for(self, task: Task) -> bool:
        """Whether there are solutions, and the task has a body to place balls at."""
        return bool(self.by_layout and moving_in(task.scene))

    def _everything(self) -> Placement:
        if self._all is None:
            self._all = joined_placements(one for some in self.by_layout.values() for one in some)
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
        memory.add(task, actions[generator_for(f"{task.id}/memory").permutation(len(actions))[:REMEMBERED_OF_EACH]])
    return memory


def layout_of(scene: Scene) -> Layout:
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


def _carried_actions(one: Placement, row: np.ndarray, places: np.ndarray, by_kind: bool) -> Carried:
    """Actions with the balls of rows of a placement at places [n, ball, 2]."""
    actions = _actions_at(places, one.radii[row])
    was_moved = (np.abs(exact_balls(actions)[..., :2] - places) > 1.0).any(axis=(1, 2))
    source = one.landings[row], one.goals[row], one.scene_kinds[row], one.task_ids[row]
    return Carried(actions, *source, was_moved, np.full(len(row), by_kind))


def _nothing_carried(task: Task) -> Carried:
    balls = TIERS[task.tier].numbers // 3
    nothing = np.zeros(0, str)
    return Carried(
        _no_actions(task), np.zeros((0, balls), str), nothing, nothing, nothing, np.zeros(0, bool), np.zeros(0, bool)
    )


def _actions_at(places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Actions [n, numbers] with balls at places [n, ball, 2]; those outside the scene are moved to its border."""
    return from_balls(np.concatenate([places, radii[..., None]], axis=2)).clip(0.0, 1.0)
