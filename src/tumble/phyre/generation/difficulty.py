"""How hard tasks are for random actions, and how similar their solutions: the paper's figures 2, 10 and 11.

Statuses are int8 [task, action] of random actions, as `Simulator.sweep` returns them.
"""

from collections.abc import Sequence

import numpy as np

from tumble.phyre.generation.analyse import AnalysisError
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.phyre.tasks.splits import template_of


def chances(statuses: np.ndarray) -> np.ndarray:
    """float [task]: the share of valid actions that solve each task (figure 2b, before averaging).

    >>> chances(np.array([[1, -1, -1, 0], [1, 1, 1, 0]])).round(3).tolist()
    [0.333, 1.0]
    """
    valid = (statuses != INVALID).sum(axis=1)
    return np.asarray((statuses == SOLVED).sum(axis=1) / np.maximum(valid, 1))


def template_chances(statuses: np.ndarray, task_ids: Sequence[str]) -> dict[str, float]:
    """The mean chance over the tasks of each template (figure 2b)."""
    by_task = chances(statuses)
    return {template: float(by_task[rows].mean()) for template, rows in _rows(task_ids).items()}


def random_success(
    statuses: np.ndarray, attempts: Sequence[int], runs: int = 10, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over runs of the share of tasks solved within each of `attempts` (figure 2a).

    Each run shuffles the valid actions of every task; there can't be more attempts than actions.
    """
    if max(attempts, default=0) > statuses.shape[1]:
        raise AnalysisError(f"{max(attempts)} attempts need as many actions; there are {statuses.shape[1]}")
    rng = np.random.default_rng(seed)
    shares = np.zeros((runs, len(attempts)))
    for run in range(runs):
        first = np.array([_first_solved(row, rng) for row in statuses])
        shares[run] = (first[:, None] <= np.asarray(attempts)).mean(axis=0)
    return shares.mean(axis=0), shares.std(axis=0)


def _first_solved(row: np.ndarray, rng: np.random.Generator) -> float:
    """The first solving attempt, counted from 1, if the valid actions are tried in random order; infinity for none."""
    valid = row[row != INVALID]
    solved = np.flatnonzero(rng.permutation(valid) == SOLVED)
    return float(solved[0] + 1) if len(solved) else np.inf


def solution_diversity(statuses: np.ndarray, task_ids: Sequence[str]) -> dict[str, np.ndarray]:
    """For each template, int [tasks + 1]: how many actions solve exactly 0, 1, … of its tasks (figures 10 and 11).

    Actions at the right end are master solutions: they solve many tasks of the template.
    """
    return {
        template: np.bincount((statuses[rows] == SOLVED).sum(axis=0), minlength=len(rows) + 1)
        for template, rows in _rows(task_ids).items()
    }


def _rows(task_ids: Sequence[str]) -> dict[str, np.ndarray]:
    """The rows of each template, by its id."""
    templates = np.array([template_of(task_id) for task_id in task_ids])
    return {str(template): np.flatnonzero(templates == template) for template in np.unique(templates)}
