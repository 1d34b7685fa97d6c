"""Mutations of tasks to learn from: those that are neither too easy nor too hard, and what actions do there.

On each, some random actions are tried, and then variations of those that solve it, which are the hardest examples to
tell apart. All of it depends only on the mutation, so it can be made once and serve the trainings of all folds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from tumble.engine import physics_id
from tumble.phyre.generation.mining import MinedActions
from tumble.phyre.generation.mutation import MARK, mutated, mutations
from tumble.phyre.simulation.actions import action_set, exact_balls, from_balls
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.tasks.errors import TaskError
from tumble.phyre.tasks.random_numbers import generator_for
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.scene.files import whole_file

ACTIONS = 300
"""Random actions on each mutation."""
MAX_SHARE = 0.3
"""The largest share of these that may solve it."""
VARIATIONS = 100
"""Of actions that solve it."""
SPREADS = (2.0, 6.0, 20.0)
"""Standard deviations, in pixels, by which balls are moved; each variation takes one of these."""


@dataclass(frozen=True)
class SweptMutations:
    """Mutations, and the outcomes of random actions and of variations on each."""

    tasks: list[Task]
    statuses: np.ndarray
    """int8 [task, ACTIONS]: of the first actions of the action set."""
    varied: np.ndarray
    """int8 [task, VARIATIONS]: of variations of those that solve it."""

    def variations(self) -> MinedActions:
        """All valid variations with their outcomes."""
        actions, flat = _all_variations(self.tasks, self.statuses), self.varied.ravel()
        ids = np.repeat(np.array([task.id for task in self.tasks], str), VARIATIONS)
        valid = flat != INVALID
        return MinedActions(ids[valid], actions[valid], flat[valid] == SOLVED)

    def save(self, path: str | Path, tasks: Sequence[Task], count: int) -> None:
        """Writes an .npz file; these are up to `count` mutations of each of the tasks."""
        ids, origins = ([task.id for task in some] for some in (self.tasks, tasks))
        arrays = {"ids": ids, "statuses": self.statuses, "varied": self.varied}
        made = {"origins": origins, "count": count, "physics": physics_id()}
        with whole_file(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, **arrays, **made)  # type: ignore[arg-type]


def load(path: str | Path, tasks: Sequence[Task], count: int) -> SweptMutations:
    """Up to `count` mutations of each task from a file that was written for these tasks, or for more."""
    try:
        with Path(path).open("rb") as stream, np.load(stream) as data:
            content = {name: data[name] for name in data.files}
        origins, ids = set(content["origins"].tolist()), content["ids"].tolist()
        made, physics = int(content["count"]), str(content["physics"])
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise TaskError(f"{path}: no file of mutations, or a damaged one ({error})") from None
    if physics != physics_id():
        raise TaskError(f"{path}: made with physics {physics}, and this is {physics_id()}; make it again")
    if made < count:
        raise TaskError(f"{path}: has up to {made} mutations of each task, not {count}; make it again")
    missing = next((task.id for task in tasks if task.id not in origins), None)
    if missing is not None:
        raise TaskError(f"{path}: was not made for task {missing}; make it again for all training tasks")
    by_id = {task.id: task for task in tasks}
    rows, found = [], []
    for row, mutation_id in enumerate(ids):
        origin, _, number = mutation_id.partition(MARK)
        if origin in by_id and int(number) < count:
            mutation = mutated(by_id[origin], int(number))
            assert mutation is not None
            rows.append(row)
            found.append(mutation)
    return SweptMutations(found, content["statuses"][rows], content["varied"][rows])


def swept_mutations(tasks: Sequence[Task], simulator: Simulator, count: int) -> SweptMutations:
    """Up to `count` mutations of each task that some, but at most MAX_SHARE, of the random actions solve."""
    drawn = mutations(tasks, count)
    options = simulator.options
    own = Simulator(drawn, simulator.tier.name, options.device, options.threads)
    statuses = own.sweep(action_set(simulator.tier, ACTIONS))
    solved, valid = (statuses == SOLVED).sum(axis=1), (statuses != INVALID).sum(axis=1)
    kept = np.flatnonzero((solved > 0) & (solved <= MAX_SHARE * valid))
    found, statuses = [drawn[k] for k in kept], statuses[kept]
    ids = [task.id for task in found for _ in range(VARIATIONS)]
    varied = own.pairs(ids, _all_variations(found, statuses))
    return SweptMutations(found, statuses, varied.reshape(len(found), VARIATIONS))


def _all_variations(tasks: Sequence[Task], statuses: np.ndarray) -> np.ndarray:
    """float [tasks * VARIATIONS, numbers]."""
    each = [_variations(task, row) for task, row in zip(tasks, statuses, strict=True)]
    return np.concatenate(each) if each else np.zeros((0, 0))


def _variations(task: Task, statuses: np.ndarray) -> np.ndarray:
    """float [VARIATIONS, numbers]: random actions around those that solve a mutation, of statuses [ACTIONS]."""
    rng = generator_for(task.id)
    solving = np.flatnonzero(statuses == SOLVED)
    chosen = action_set(TIERS[task.tier], ACTIONS)[rng.choice(solving, VARIATIONS)]
    balls = exact_balls(chosen)
    spread = rng.choice(SPREADS, (VARIATIONS, 1, 1))
    return np.asarray(from_balls(balls + spread * rng.normal(size=balls.shape) * (1.0, 1.0, 0.3)).clip(0.0, 1.0))
