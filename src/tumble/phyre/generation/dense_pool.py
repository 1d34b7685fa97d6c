"""Dense outcomes of actions of a training pool (`simulation/dense_outcomes.py`), as a file beside the pool's.

They are made by `benchmarks/data/phyre_pool.py --dense`, for every n-th of the actions that were tried on each task and
mutation; a fold takes what there is of its training tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tumble.engine import physics_id
from tumble.phyre.catalogue.task import TIERS, Task, TaskError
from tumble.phyre.generation import training_pool
from tumble.phyre.generation.training_pool import TrainingPool
from tumble.phyre.generation.variations import TriedActions, generator_digest
from tumble.phyre.simulation.actions import action_set
from tumble.phyre.simulation.dense_outcomes import MISSING, NAMES, DenseOutcomes
from tumble.phyre.simulation.simulator import Simulator
from tumble.scene.files import whole_file

EVERY = 2
"""Of the tried actions, every n-th is measured."""


@dataclass(frozen=True)
class DenseTried:
    """Dense outcomes of tried actions; MISSING where they were not measured, or could not be placed."""

    random: np.ndarray
    """uint8 [task, n, number]: of the first n actions of the action set."""
    varied: np.ndarray
    """uint8 [task, m, number]: of the variations."""


@dataclass(frozen=True)
class DensePool:
    """The dense outcomes of a training pool."""

    of_tasks: DenseTried
    of_mutations: DenseTried


def dense_path(pool: str | Path) -> Path:
    """The file of the dense outcomes of a pool's file."""
    path = Path(pool)
    return path.with_name(f"{path.stem}-dense.npz")


def make(pool: TrainingPool, device: str = "cpu", threads: int = 0, every: int = EVERY) -> DensePool:
    """Measures every n-th action of a pool."""
    return DensePool(*(_measured(part, device, threads, every) for part in (pool.of_tasks, pool.of_mutations)))


def save(path: str | Path, pool: TrainingPool, dense: DensePool, every: int = EVERY) -> None:
    """Writes an .npz file with the dense outcomes of every n-th action of a pool."""
    arrays = {name: np.array(value) for name, value in _identity(every).items()}
    parts = ("tasks", pool.of_tasks, dense.of_tasks), ("mutations", pool.of_mutations, dense.of_mutations)
    for name, tried, outcomes in parts:
        arrays[name] = np.array([task.id for task in tried.tasks], str)
        arrays[f"{name}_random"], arrays[f"{name}_varied"] = outcomes.random[:, ::every], outcomes.varied[:, ::every]
    with whole_file(path) as partial, partial.open("wb") as stream:
        np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]


def load(path: str | Path, pool: TrainingPool) -> DensePool:
    """What a file has of the tasks and mutations of a pool."""
    if not Path(path).exists():
        raise TaskError(f"{path}: no dense outcomes; make them by benchmarks/data/phyre_pool.py --dense")
    content = training_pool.read(str(path))
    missing = sorted({"every", "numbers", "tasks_random", "mutations_random"} - set(content))
    every = content["every"] if not missing else np.zeros(0)
    if every.dtype.kind != "i" or every.shape or every < 1 or content["numbers"].tolist() != list(NAMES):
        raise TaskError(f"{path}: no dense outcomes as this version has them; make them again")
    return DensePool(
        _loaded(path, content, "tasks", pool.of_tasks), _loaded(path, content, "mutations", pool.of_mutations)
    )


def _identity(every: int) -> dict[str, object]:
    return {"physics": physics_id(), "generator": generator_digest(), "every": every, "numbers": NAMES}


def _loaded(path: str | Path, content: dict[str, np.ndarray], name: str, tried: TriedActions) -> DenseTried:
    row_of = {task_id: row for row, task_id in enumerate(content[name].tolist())}
    missing = next((task.id for task in tried.tasks if task.id not in row_of), None)
    if missing is not None:
        raise TaskError(f"{path}: was not made for {missing}; make it again for the pool beside it")
    rows = [row_of[task.id] for task in tried.tasks]
    every = int(content["every"])
    spread = []
    for values, shape in (
        (content[f"{name}_random"], tried.random.shape),
        (content[f"{name}_varied"], tried.varied.shape),
    ):
        if values.shape != (len(row_of), len(range(0, shape[1], every)), len(NAMES)) or values.dtype != np.uint8:
            raise TaskError(f"{path}: has other actions than the pool beside it; make it again")
        spread.append(_spread(values[rows], shape[1], every))
    return DenseTried(*spread)


def _spread(values: np.ndarray, count: int, every: int) -> np.ndarray:
    """uint8 [task, count, number] with values [task, n, number] at every n-th place."""
    spread = np.full((len(values), count, len(NAMES)), MISSING, np.uint8)
    spread[:, ::every] = values
    return spread


def _measured(tried: TriedActions, device: str, threads: int, every: int) -> DenseTried:
    tasks = tried.tasks
    if not tasks:
        return DenseTried(*(np.zeros((*one.shape, len(NAMES)), np.uint8) for one in (tried.random, tried.varied)))
    tier = TIERS[tasks[0].tier]
    outcomes = DenseOutcomes(Simulator(tasks, tier.name, device, threads))
    random = np.broadcast_to(action_set(tier, tried.random.shape[1]), (*tried.random.shape, tier.numbers))
    both = [_measured_actions(outcomes, tasks, one[:, ::every]) for one in (random, tried.variations)]
    counts = (tried.random.shape[1], tried.varied.shape[1])
    return DenseTried(*(_spread(values, count, every) for values, count in zip(both, counts, strict=True)))


def _measured_actions(outcomes: DenseOutcomes, tasks: Sequence[Task], actions: np.ndarray) -> np.ndarray:
    """uint8 [task, n, number] of actions [task, n, …]."""
    ids = [task.id for task in tasks for _ in range(actions.shape[1])]
    measured = outcomes.measure(ids, actions.reshape(-1, actions.shape[2]))
    return measured.reshape(*actions.shape[:2], len(NAMES))
