"""More examples of what solves training tasks: variations of what is known to solve them, with what came of each.

Few random actions solve a hard task, but many variations of one that does. Those that fail lie close to those that
solve, which is what is hardest to tell apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tumble.phyre.generation.search import Search
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, SOLVED
from tumble.progress import bar
from tumble.scene.files import whole_file


@dataclass(frozen=True)
class Mined:
    """Valid attempts at tasks."""

    task_ids: np.ndarray
    """str [n]."""
    actions: np.ndarray
    """float64 [n, numbers]."""
    solved: np.ndarray
    """bool [n]."""

    def solving(self, count: int, seed: int = 0) -> np.ndarray:
        """Up to so many actions that solve tasks: one of each task, then a second of each, …"""
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(self.solved))
        _, task = np.unique(self.task_ids[rows], return_inverse=True)
        by_task = np.argsort(task, kind="stable")
        first = np.searchsorted(task[by_task], task[by_task])
        turn = np.empty(len(rows), int)
        turn[by_task] = np.arange(len(rows)) - first
        return np.asarray(self.actions[rows[np.argsort(turn, kind="stable")][:count]])

    def save(self, path: str | Path) -> None:
        with whole_file(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, task_ids=self.task_ids, actions=self.actions, solved=self.solved)


def load(path: str | Path) -> Mined:
    """What was mined before."""
    with np.load(path) as data:
        return Mined(data["task_ids"], data["actions"], data["solved"])


def mine(
    simulator: Simulator,
    task_ids: Sequence[str],
    actions: np.ndarray,
    statuses: np.ndarray,
    rounds: int = 4,
    candidates: int = 200,
    seed: int = 0,
) -> Mined:
    """Varies what solves tasks, by statuses [task, action] of a sweep, in rounds of so many candidates for each task.

    `simulator` must have no tasks but these: what solves one task is tried on others of its template.
    """
    search = Search(simulator, seed)
    for row, task_id in enumerate(task_ids):
        for number in np.flatnonzero(statuses[row] == SOLVED):
            search.known[task_id].add(actions[number], 0)
    found_ids: list[str] = []
    found_actions: list[np.ndarray] = []
    found_status: list[np.ndarray] = []
    with bar("Mining", rounds) as advance:
        for _ in range(rounds):
            ids, tried, status = search.vary(candidates)
            found_ids += ids
            found_actions.append(tried)
            found_status.append(status)
            for k in np.flatnonzero(status == SOLVED):
                search.known[ids[k]].add(tried[k], 0)
            advance(1)
    status = np.concatenate(found_status)
    valid = status != INVALID
    return Mined(np.array(found_ids)[valid], np.concatenate(found_actions)[valid], status[valid] == SOLVED)
