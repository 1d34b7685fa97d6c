"""Random actions at a task that a person makes, some at a time, so that the server keeps nothing and nobody waits long.

The actions are one long list, always the same. A request is answered with what happens to as many of them as fit into
a fraction of a second, and the page asks for the next.
"""

from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from tumble.phyre.generation.checks import TRIVIAL_SHARE, Counts, count_statuses
from tumble.phyre.simulation.actions import fixed_set
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import STABLY_SOLVED, UNSTABLY_SOLVED
from tumble.phyre.tasks.task import Task
from tumble.web.timed_batches import timed_batches

BLOCK = 256
"""Actions of the list that are drawn with one seed."""
SECONDS = 0.25
"""After which a request is answered."""
MOST_ACTIONS = 512
"""In an answer, so that there is progress to see."""


def sweep(task: Task, first: int) -> dict[str, Any]:
    """Counts of the outcomes of actions from number `first` on, the next number, and what solved: JSON values.

    `solution` is the first action that solves, stably if one does.
    """
    simulator = Simulator([task], threads=1)
    counts, number = Counts(), first
    solutions: dict[int, list[float]] = {}
    for done, size in timed_batches(SECONDS, MOST_ACTIONS):
        actions = np.stack([_action(task.tier, first + done + k) for k in range(size)])
        statuses = simulator.pairs([task.id] * len(actions), actions, stable=True, progress=lambda _: None)
        counts += count_statuses(statuses)
        for code in (STABLY_SOLVED, UNSTABLY_SOLVED):
            rows = np.flatnonzero(statuses == code)
            if len(rows):
                solutions.setdefault(code, actions[rows[0]].tolist())
        number = first + done + size
    return {
        "counts": asdict(counts),
        "next": number,
        "solution": solutions.get(STABLY_SOLVED, solutions.get(UNSTABLY_SOLVED)),
        "stable": STABLY_SOLVED in solutions,
        "trivial_share": TRIVIAL_SHARE,
    }


def _action(tier: str, number: int) -> np.ndarray:
    """An action of the list."""
    block, row = divmod(number, BLOCK)
    return np.asarray(_block(tier, block)[row])


@lru_cache(maxsize=64)
def _block(tier: str, number: int) -> np.ndarray:
    return fixed_set(tier, BLOCK, number)
