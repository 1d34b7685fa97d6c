"""Variations to train on: mutations of tasks, and random actions with rounds of variations of those that solve.

A mutation is a scene like that of a task with another goal, other places and sizes. It may have another pair of
bodies as its goal; bodies are moved and scaled, and one may be left out. It is a task in its own right, with an id
that tells which task it comes from. Which mutation a number gives depends only on the task and the number.

Which variations of actions a round tries depends on the task, the number of the round and the outcomes before, so
they can be drawn again from stored outcomes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from tumble.phyre.catalogue.task import TIERS, Task, TaskError
from tumble.phyre.catalogue.template import WALLS
from tumble.phyre.simulation.actions import action_set, exact_balls, from_balls
from tumble.phyre.simulation.overlap import Obstacles
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.scene import Body, Circle, Polygon, Scene, Shape


def generator_for(label: str) -> np.random.Generator:
    """A generator that is seeded by the label.

    >>> generator_for("00000:000").random() == generator_for("00000:000").random()
    True
    """
    return np.random.default_rng(np.frombuffer(sha256(label.encode()).digest(), np.uint32))


CHANCE_OF_NEW_GOAL = 0.6
CHANCE_TO_LEAVE_OUT = 0.3
CHANCE_TO_MOVE = 0.35
"""Of each body."""
CHANCE_TO_SCALE = 0.2
"""Of each body."""
MUTATION_DISTANCE = 25.0
"""Standard deviation of a move, in pixels, along each axis."""
MUTATION_SCALE = 0.25
"""Standard deviation of the logarithm of a scale."""

MUTATION_MARK = "~"
"""Between the id of a task and the number of its mutation."""


def mutations(tasks: Sequence[Task], count: int) -> list[Task]:
    """Up to `count` mutations of each task: those whose moving bodies overlap nothing at the start."""
    drawn = [
        mutation for task in tasks for mutation in (mutated_task(task, number) for number in range(count)) if mutation
    ]
    static = Obstacles([Scene(tuple(body for body in task.scene.bodies if not body.dynamic)) for task in drawn])
    moving = [[body for body in task.scene.bodies if body.dynamic] for task in drawn]
    clear = static.clear_bodies(np.arange(len(drawn)), moving)
    return [task for task, is_clear in zip(drawn, clear, strict=True) if is_clear]


def mutation_named(task: Task, mutation_id: str) -> Task:
    """The mutation of a task that has an id."""
    mutation = mutated_task(task, int(mutation_id.partition(MUTATION_MARK)[2]))
    if mutation is None:
        raise TaskError(f"task {task.id} has no mutation {mutation_id}")
    return mutation


def mutated_task(task: Task, number: int) -> Task | None:
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
    changed = {k: _changed_body(task.scene.bodies[k], rng) for k in own}
    roles = {body: "object", other: "subject"}
    bodies = [_with_role(changed[k], roles.get(k, "")) for k in own]
    scene = replace(task.scene, bodies=(*WALLS, *bodies))
    if scene == task.scene:
        return None
    first = len(WALLS)
    return Task(
        f"{task.id}{MUTATION_MARK}{number}", task.tier, scene, first + own.index(body), first + own.index(other)
    )


def _with_role(body: Body, role: str) -> Body:
    return body if body.role == role else replace(body, role=role)


def _changed_body(body: Body, rng: np.random.Generator) -> Body:
    """A body that may be moved and scaled."""
    moves, scales = rng.random() < CHANCE_TO_MOVE, rng.random() < CHANCE_TO_SCALE
    x, y = body.position + moves * rng.normal(0.0, MUTATION_DISTANCE, 2)
    factor = float(np.exp(scales * rng.normal(0.0, MUTATION_SCALE)))
    if not moves and not scales:
        return body
    shapes = body.shapes if factor == 1.0 else tuple(_scaled_shape(shape, factor) for shape in body.shapes)
    return replace(body, position=(float(x), float(y)), shapes=shapes)


def _scaled_shape(shape: Shape, factor: float) -> Shape:
    """A shape scaled about its body's origin."""
    if isinstance(shape, Circle):
        x, y = shape.centre
        return Circle(factor * shape.radius, (factor * x, factor * y))
    return Polygon(tuple((factor * x, factor * y) for x, y in shape.vertices))


SPREADS = (2.0, 6.0, 20.0)
"""Standard deviations, in pixels, by which balls are moved; each variation takes one of these."""
CHANCE_OF_OTHER_BALL = 0.2
"""That a variation of two balls has one of them anywhere else."""
CHANCE_OF_OWN = 0.5
"""That it is a variation of an action that solved the task itself, where there are both."""

Outcomes = Callable[[int, np.ndarray], np.ndarray]
"""Statuses int8 [task, n] of the variations float32 [task, n, numbers] of the round with a number."""


@dataclass(frozen=True)
class LabelledVariations:
    """Variations that could be placed, each on a task, and whether they solve."""

    task_ids: np.ndarray
    """str [n]."""
    actions: np.ndarray
    """float64 [n, numbers]."""
    solved: np.ndarray
    """bool [n]."""


@dataclass(frozen=True)
class TriedActions:
    """Tasks, the random actions and variations that were tried on each, and their outcomes."""

    tasks: list[Task]
    random: np.ndarray
    """int8 [task, n]: statuses of the first n actions of the action set."""
    variations: np.ndarray
    """float32 [task, m, numbers]."""
    varied: np.ndarray
    """int8 [task, m]: their statuses."""

    def labelled_variations(self) -> LabelledVariations:
        """Those on all tasks, task after task."""
        ids = np.repeat(np.array([task.id for task in self.tasks], str), self.varied.shape[1])
        statuses = self.varied.ravel()
        valid = statuses != INVALID
        actions = self.variations.reshape(len(statuses), self.variations.shape[2])
        return LabelledVariations(ids[valid], actions[valid].astype(float), statuses[valid] == SOLVED)

    def solving(self, row: int) -> np.ndarray:
        """float [n, numbers]: all actions that solved a task."""
        return np.concatenate(
            [_solving_actions(self.tasks[row], self.random[row]), self.variations[row][self.varied[row] == SOLVED]]
        )


def try_actions(
    tasks: Sequence[Task], random: np.ndarray, given: Sequence[np.ndarray], rounds: Sequence[int], outcomes: Outcomes
) -> TriedActions:
    """Rounds of variations on tasks, each with a number of variations.

    `random` are the statuses of random actions; `given` has actions for each task that may solve it.
    """
    numbers = TIERS[tasks[0].tier].numbers if tasks else 0
    own = [_solving_actions(task, row) for task, row in zip(tasks, random, strict=True)]
    variations, varied = [np.zeros((len(tasks), 0, numbers), np.float32)], [np.zeros((len(tasks), 0), np.int8)]
    for number, count in enumerate(rounds):
        actions = np.zeros((len(tasks), count, numbers), np.float32)
        for row, task in enumerate(tasks):
            actions[row] = _variations(task, number, own[row], given[row], count)
        statuses = outcomes(number, actions)
        variations.append(actions)
        varied.append(statuses)
        own = [
            np.concatenate([one, new[good]]) for one, new, good in zip(own, actions, statuses == SOLVED, strict=True)
        ]
    return TriedActions(list(tasks), random, np.concatenate(variations, axis=1), np.concatenate(varied, axis=1))


def generator_digest() -> str:
    """Tells apart versions of NumPy whose generators draw other numbers."""
    rng = np.random.default_rng(0)
    drawn = (rng.random(100), rng.normal(size=1000), rng.choice(SPREADS, 100), rng.integers(9, size=100))
    return sha256(np.concatenate([*drawn, rng.permutation(100)]).astype(np.float32).tobytes()).hexdigest()[:16]


def _solving_actions(task: Task, statuses: np.ndarray) -> np.ndarray:
    """float [n, numbers]: the random actions that solved a task, of statuses [action]."""
    return np.asarray(action_set(TIERS[task.tier], len(statuses))[statuses == SOLVED])


def _variations(task: Task, number: int, own: np.ndarray, given: np.ndarray, count: int) -> np.ndarray:
    """float [count, numbers]: variations of actions; random ones if there are none."""
    rng = generator_for(f"{task.id}/{number}")
    both = np.concatenate([own, given])
    if not len(both):
        return rng.random((count, TIERS[task.tier].numbers))
    chance_of_own = CHANCE_OF_OWN if len(own) and len(given) else float(len(own) > 0)
    is_own = rng.random(count) < chance_of_own
    row = np.where(is_own, rng.random(count) * len(own), len(own) + rng.random(count) * len(given)).astype(int)
    balls = exact_balls(both[row])
    balls += rng.choice(SPREADS, (count, 1, 1)) * rng.normal(size=balls.shape) * (1.0, 1.0, 0.3)
    if balls.shape[1] > 1:
        elsewhere = np.flatnonzero(rng.random(count) < CHANCE_OF_OTHER_BALL)
        which = rng.integers(balls.shape[1], size=len(elsewhere))
        balls[elsewhere, which] = exact_balls(rng.random((len(elsewhere), 3)))[:, 0]
    return np.asarray(from_balls(balls).clip(0.0, 1.0))
