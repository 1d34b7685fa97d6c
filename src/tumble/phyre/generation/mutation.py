"""Mutations of tasks: scenes like those of a task, with other goals, places and sizes, to train on.

A mutation may have another pair of bodies as its goal; bodies are moved and scaled, and one may be left out. It is a
task in its own right, with an id that tells which task it comes from. Which mutation a number gives depends only on
the task and the number, and on its goal where that is chosen later (`MutatedScene`) and follows in the id.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.tasks.builder import WALLS
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.task import Task
from tumble.scene import Body, Circle, Polygon, Scene, Shape

CHANCE_OF_NEW_GOAL = 0.6
CHANCE_TO_LEAVE_OUT = 0.3
CHANCE_TO_MOVE = 0.35
"""Of each body."""
CHANCE_TO_SCALE = 0.2
"""Of each body."""
DISTANCE = 25.0
"""Standard deviation of a move, in pixels, along each axis."""
SCALE = 0.25
"""Standard deviation of the logarithm of a scale."""

FEW = 2
"""Bodies that are moved on average, at most, in every second of the scenes that get their goals later: where many
bodies stand close, few scenes with more of them moved have no overlap."""
ROUND = 8
"""Scenes of a task that are drawn before they are checked."""

MARK = "~"
"""Between the id of a task and the number of its mutation."""
GOAL_MARK = "-"
"""Before each of the goal's bodies, where these follow the number."""


@dataclass(frozen=True)
class MutatedScene:
    """A scene like that of a task, which has no goal yet. Bodies are named by their indices in the task's scene."""

    origin: Task
    number: int
    bodies: tuple[int, ...]
    """Those of the task, but for walls, that are there."""
    scene: Scene

    def with_goal(self, body: int, other: int) -> Task:
        """The mutation with these bodies as its goal."""
        index, roles = self.index, {body: "object", other: "subject"}
        own = [_with_role(self.scene.bodies[index(k)], roles.get(k, "")) for k in self.bodies]
        scene = replace(self.scene, bodies=(*WALLS, *own))
        mutation_id = f"{self.origin.id}{MARK}{self.number}{GOAL_MARK}{body}{GOAL_MARK}{other}"
        return Task(mutation_id, self.origin.tier, scene, index(body), index(other))

    def index(self, body: int) -> int:
        """The index of a body in this scene."""
        return len(WALLS) + self.bodies.index(body)


def mutations(tasks: Sequence[Task], count: int) -> list[Task]:
    """Up to `count` mutations of each task: those whose moving bodies overlap nothing at the start."""
    drawn = [mutation for task in tasks for mutation in (mutated(task, number) for number in range(count)) if mutation]
    clear = _clear([task.scene for task in drawn])
    return [task for task, is_clear in zip(drawn, clear, strict=True) if is_clear]


def mutated_scenes(tasks: Sequence[Task], count: int, drawn: int) -> list[MutatedScene]:
    """The first `count` mutations of each task, without a goal, whose moving bodies overlap nothing at the start.

    They are fewer if there are not that many among about `drawn`.
    """
    found: dict[str, list[MutatedScene]] = {task.id: [] for task in tasks}
    for first in range(0, drawn, ROUND):
        left = [task for task in tasks if len(found[task.id]) < count]
        both = [mutated_scene(task, number) for task in left for number in range(first, first + ROUND)]
        some = [scene for scene in both if scene is not None]
        for scene, is_clear in zip(some, _clear([one.scene for one in some]), strict=True):
            if is_clear:
                found[scene.origin.id].append(scene)
    return [scene for task in tasks for scene in found[task.id][:count]]


def _clear(scenes: Sequence[Scene]) -> np.ndarray:
    """bool [scene]: whether moving bodies overlap nothing at the start."""
    static = Obstacles([Scene(tuple(body for body in scene.bodies if not body.dynamic)) for scene in scenes])
    moving = [[body for body in scene.bodies if body.dynamic] for scene in scenes]
    return static.clear_bodies(np.arange(len(scenes)), moving)


def goal_of(mutation_id: str) -> tuple[int, int] | None:
    """The bodies of the task that are the goal of a mutation, where its id tells."""
    _, *bodies = mutation_id.partition(MARK)[2].split(GOAL_MARK)
    return (int(bodies[0]), int(bodies[1])) if bodies else None


def mutation_named(task: Task, mutation_id: str) -> Task:
    """The mutation of a task that has an id."""
    goal, number = goal_of(mutation_id), int(mutation_id.partition(MARK)[2].split(GOAL_MARK)[0])
    if goal is None:
        mutation = mutated(task, number)
    else:
        scene = mutated_scene(task, number)
        mutation = None if scene is None else scene.with_goal(*goal)
    if mutation is None:
        raise TaskError(f"task {task.id} has no mutation {mutation_id}")
    return mutation


def mutated_scene(task: Task, number: int) -> MutatedScene | None:
    """A mutation without a goal; None if it is the task's scene."""
    rng = generator_for(f"{task.id}/scene/{number}")
    own = list(range(len(WALLS), len(task.scene.bodies)))
    if rng.random() < CHANCE_TO_LEAVE_OUT:
        own.remove(int(rng.choice(own)))
    share = min(1.0, FEW / (CHANCE_TO_MOVE * len(own))) if number % 2 else 1.0
    bodies = [_changed(task.scene.bodies[k], rng, share) for k in own]
    scene = replace(task.scene, bodies=(*WALLS, *bodies))
    return None if scene == task.scene else MutatedScene(task, number, tuple(own), scene)


def mutated(task: Task, number: int) -> Task | None:
    """A mutation; None if it has no pair of bodies for a goal, or is the task itself."""
    rng = generator_for(f"{task.id}/{number}")
    own = list(range(len(WALLS), len(task.scene.bodies)))
    body, other = task.body, task.other
    if rng.random() < CHANCE_OF_NEW_GOAL:
        body = int(rng.choice([k for k in own if task.scene.bodies[k].dynamic]))
        other = int(rng.choice([k for k in own if k != body]))
    spare = [k for k in own if k not in (body, other)]
    if spare and rng.random() < CHANCE_TO_LEAVE_OUT:
        own.remove(int(rng.choice(spare)))
    changed = {k: _changed(task.scene.bodies[k], rng) for k in own}
    roles = {body: "object", other: "subject"}
    bodies = [_with_role(changed[k], roles.get(k, "")) for k in own]
    scene = replace(task.scene, bodies=(*WALLS, *bodies))
    if scene == task.scene:
        return None
    first = len(WALLS)
    return Task(f"{task.id}{MARK}{number}", task.tier, scene, first + own.index(body), first + own.index(other))


def _with_role(body: Body, role: str) -> Body:
    return body if body.role == role else replace(body, role=role)


def _changed(body: Body, rng: np.random.Generator, share: float = 1.0) -> Body:
    """A body that may be moved and scaled, with a share of the usual chances."""
    moves, scales = rng.random() < share * CHANCE_TO_MOVE, rng.random() < share * CHANCE_TO_SCALE
    x, y = body.position + moves * rng.normal(0.0, DISTANCE, 2)
    factor = float(np.exp(scales * rng.normal(0.0, SCALE)))
    if not moves and not scales:
        return body
    shapes = body.shapes if factor == 1.0 else tuple(_scaled(shape, factor) for shape in body.shapes)
    return replace(body, position=(float(x), float(y)), shapes=shapes)


def _scaled(shape: Shape, factor: float) -> Shape:
    """A shape scaled about its body's origin."""
    if isinstance(shape, Circle):
        x, y = shape.centre
        return Circle(factor * shape.radius, (factor * x, factor * y))
    return Polygon(tuple((factor * x, factor * y) for x, y in shape.vertices))
