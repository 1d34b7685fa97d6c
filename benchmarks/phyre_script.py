"""Scripted answers to PHYRE's puzzles: stored solutions, the actions of the agent `random`, and some that fail."""

import json
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from tumble.phyre.agents.rand import Rand
from tumble.phyre.catalogue.task import MAX_ATTEMPTS
from tumble.phyre.catalogue.tasks_by_id import solution
from tumble.phyre.catalogue.tasks_by_id import task as task_by_id
from tumble.phyre.simulation.actions import exact_balls, from_balls, within_scene
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import NOT_SOLVED

if TYPE_CHECKING:
    from scripted_model import Request, Script

KEYS = ("x", "y", "radius")
DECIMALS = 1
"""Of positions and radii in answers that need not be exact."""


def answer_of(action: np.ndarray) -> str:
    """The answer that means an action, with words around it."""
    return f"I think this works:\n```json\n{json_of(exact_balls(action[None])[0].tolist())}\n```"


def json_of(balls: Sequence[Sequence[float]]) -> str:
    """The answer that places balls."""
    placed = [dict(zip(KEYS, ball, strict=True)) for ball in balls]
    return json.dumps(placed[0] if len(placed) == 1 else {"balls": placed})


def solutions(request: "Request") -> str:
    """The stored solution."""
    action = solution(request.task)
    assert action is not None, request.task
    return answer_of(action)


def random_actions(seed: int) -> "Script":
    """The actions of the agent `random`, one for each attempt; all are valid."""

    @cache
    def actions(task_id: str) -> np.ndarray:
        return Rand(seed=seed).propose(task_by_id(task_id), ())

    return lambda request: answer_of(actions(request.task)[request.replies % MAX_ATTEMPTS])


def failing_actions(ids: Sequence[str], attempts: int) -> "Script":
    """Valid actions that fail, so many for each task of a tier, in tenths of pixels and without other words."""
    tasks = [task_by_id(task_id) for task_id in ids]
    simulator = Simulator(tasks, tasks[0].tier)
    found: dict[str, list[str]] = {task_id: [] for task_id in ids}
    for seed in count():
        missing = [task for task in tasks if len(found[task.id]) < attempts]
        if not missing:
            break
        proposed = [Rand(seed=seed).propose(task, ())[: 2 * attempts] for task in missing]
        names = [task.id for task, own in zip(missing, proposed, strict=True) for _ in own]
        balls = np.round(exact_balls(np.concatenate(proposed)), DECIMALS)
        actions = from_balls(balls)
        inside = np.flatnonzero(within_scene(actions) & ((actions >= 0.0) & (actions <= 1.0)).all(axis=1))
        statuses = simulator.pairs([names[k] for k in inside], actions[inside])
        for k in inside[statuses == NOT_SOLVED]:
            found[names[k]].append(json_of(balls[k].tolist()))
    return lambda request: found[request.task][request.replies]
