"""Random actions and rounds of variations of those that solve, tried on tasks.

Which variations a round tries depends on the task, the number of the round and the outcomes before, so they can be
drawn again from stored outcomes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from tumble.phyre.generation.mining import MinedActions
from tumble.phyre.simulation.actions import action_set, exact_balls, from_balls
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS

SPREADS = (2.0, 6.0, 20.0)
"""Standard deviations, in pixels, by which balls are moved; each variation takes one of these."""
CHANCE_OF_OTHER_BALL = 0.2
"""That a variation of two balls has one of them anywhere else."""
CHANCE_OF_OWN = 0.5
"""That it is a variation of an action that solved the task itself, where there are both."""

Outcomes = Callable[[int, np.ndarray], np.ndarray]
"""Statuses int8 [task, n] of the variations float32 [task, n, numbers] of the round with a number."""


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

    def labelled_variations(self) -> MinedActions:
        """All variations that could be placed."""
        ids = np.repeat(np.array([task.id for task in self.tasks], str), self.varied.shape[1])
        statuses = self.varied.ravel()
        valid = statuses != INVALID
        actions = self.variations.reshape(len(statuses), self.variations.shape[2])
        return MinedActions(ids[valid], actions[valid].astype(float), statuses[valid] == SOLVED)

    def solving(self, row: int) -> np.ndarray:
        """float [n, numbers]: all actions that solved a task."""
        return np.concatenate(
            [_solving(self.tasks[row], self.random[row]), self.variations[row][self.varied[row] == SOLVED]]
        )


def try_actions(
    tasks: Sequence[Task], random: np.ndarray, given: Sequence[np.ndarray], rounds: Sequence[int], outcomes: Outcomes
) -> TriedActions:
    """Rounds of variations on tasks, each with a number of variations.

    `random` are the statuses of random actions; `given` has actions for each task that may solve it.
    """
    numbers = TIERS[tasks[0].tier].numbers if tasks else 0
    own = [_solving(task, row) for task, row in zip(tasks, random, strict=True)]
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


def _solving(task: Task, statuses: np.ndarray) -> np.ndarray:
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
