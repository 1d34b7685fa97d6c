"""RAND: random valid actions, drawn anew for each task."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from tumble.phyre.actions import sample_valid
from tumble.phyre.metrics import MOST_ATTEMPTS
from tumble.phyre.simulate import Progress, Simulator
from tumble.phyre.status import SOLVED

ROUNDS = (10, 30, MOST_ATTEMPTS)
"""Attempts after which tasks that are solved drop out."""


def actions_for(simulator: Simulator, task_id: str, seed: int, count: int = MOST_ATTEMPTS) -> np.ndarray:
    """The valid actions that RAND tries on a task; they hang on the seed and the task's id only."""
    digest = sha256(f"{seed}/{task_id}".encode()).digest()
    rng = np.random.default_rng(np.frombuffer(digest, np.uint32))
    return sample_valid(simulator.task(task_id).scene, simulator.tier, count, rng)


def solved_at(
    simulator: Simulator, task_ids: Sequence[str], seed: int = 0, progress: Progress | None = None
) -> dict[str, int | None]:
    """The attempt, counted from 1, at which each task was solved; None where none of 100 did."""
    chosen = {task_id: actions_for(simulator, task_id, seed) for task_id in task_ids}
    found: dict[str, int | None] = dict.fromkeys(task_ids)
    done = 0
    for upto in ROUNDS:
        open_tasks = [task_id for task_id in task_ids if found[task_id] is None]
        if not open_tasks:
            break
        ids = [task_id for task_id in open_tasks for _ in range(done, upto)]
        actions = np.concatenate([chosen[task_id][done:upto] for task_id in open_tasks])
        status = simulator.pairs(ids, actions, progress=progress).reshape(len(open_tasks), -1)
        for task_id, row in zip(open_tasks, status == SOLVED, strict=True):
            if row.any():
                found[task_id] = done + 1 + int(row.argmax())
        done = upto
    return found
