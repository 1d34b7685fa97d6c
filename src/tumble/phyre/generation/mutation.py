"""Mutations of tasks: scenes like those of a task, with other goals, places and sizes, to train on.

A mutation may have another pair of bodies as its goal; bodies are moved and scaled, and one may be left out. It is a
task in its own right, with an id that tells which task it comes from. Which mutation a number gives depends only on
the task and the number.
"""

from collections.abc import Sequence
from dataclasses import replace

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

MARK = "~"
"""Between the id of a task and the number of its mutation."""


def mutations(tasks: Sequence[Task], count: int) -> list[Task]:
    """Up to `count` mutations of each task: those whose moving bodies overlap nothing at the start."""
    drawn = [mutation for task in tasks for mutation in (mutated(task, number) for number in range(count)) if mutation]
    static = Obstacles([Scene(tuple(body for body in task.scene.bodies if not body.dynamic)) for task in drawn])
    moving = [[body for body in task.scene.bodies if body.dynamic] for task in drawn]
    clear = static.clear_bodies(np.arange(len(drawn)), moving)
    return [task for task, is_clear in zip(drawn, clear, strict=True) if is_clear]


def mutation_named(task: Task, mutation_id: str) -> Task:
    """The mutation of a task that has an id."""
    mutation = mutated(task, int(mutation_id.partition(MARK)[2]))
    if mutation is None:
        raise TaskError(f"task {task.id} has no mutation {mutation_id}")
    return mutation


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


def _changed(body: Body, rng: np.random.Generator) -> Body:
    """A body that may be moved and scaled."""
    moves, scales = rng.random() < CHANCE_TO_MOVE, rng.random() < CHANCE_TO_SCALE
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
