"""Mining training examples: variations of actions that solve training tasks, with their outcomes.

Few random actions solve a hard task, but many variations of a solving action do. The variations that fail lie close to
those that solve, which makes them the hardest examples to tell apart.
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
class MinedActions:
    """Valid actions on tasks, and whether they solve."""

    task_ids: np.ndarray
    """str [n]."""
    actions: np.ndarray
    """float64 [n, numbers]."""
    solved: np.ndarray
    """bool [n]."""

    def joined(self, other: "MinedActions") -> "MinedActions":
        """These and others."""
        parts = ((self.task_ids, other.task_ids), (self.actions, other.actions), (self.solved, other.solved))
        return MinedActions(*(np.concatenate(pair) for pair in parts))

    def save(self, path: str | Path) -> None:
        """Writes an .npz file."""
        with whole_file(path) as partial, partial.open("wb") as stream:
            np.savez_compressed(stream, task_ids=self.task_ids, actions=self.actions, solved=self.solved)


def load(path: str | Path) -> MinedActions:
    """Reads what `MinedActions.save` wrote."""
    with np.load(path) as data:
        return MinedActions(data["task_ids"], data["actions"], data["solved"])


def mine(
    simulator: Simulator,
    task_ids: Sequence[str],
    actions: np.ndarray,
    statuses: np.ndarray,
    rounds: int = 4,
    candidates: int = 200,
    seed: int = 0,
) -> MinedActions:
    """Tries variations of solving actions, `candidates` on each task in each round.

    `statuses` are those of a sweep, int8 [task, action]. `simulator` must have no tasks but these: actions that solve
    one task are tried on others of its template.
    """
    search = Search(simulator, seed)
    for row, task_id in enumerate(task_ids):
        for number in np.flatnonzero(statuses[row] == SOLVED):
            search.found[task_id].add(actions[number], 0)
    tried_ids: list[str] = []
    tried_actions: list[np.ndarray] = []
    tried_statuses: list[np.ndarray] = []
    with bar("Mining", rounds) as advance:
        for _ in range(rounds):
            ids, tried, status = search.try_variations(candidates)
            tried_ids += ids
            tried_actions.append(tried)
            tried_statuses.append(status)
            for k in np.flatnonzero(status == SOLVED):
                search.found[ids[k]].add(tried[k], 0)
            advance(1)
    status = np.concatenate(tried_statuses)
    valid = status != INVALID
    return MinedActions(np.array(tried_ids)[valid], np.concatenate(tried_actions)[valid], status[valid] == SOLVED)
