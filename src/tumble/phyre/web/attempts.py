"""Attempts of people, simulated as those of agents are: the same function, the same bits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.simulation.actions import placed_balls
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.placement import placement_problem
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS
from tumble.phyre.tasks.task import Task
from tumble.phyre.tasks.tier import TIERS
from tumble.phyre.web.task_data import known_task
from tumble.web.motion import packed_motion


@dataclass(frozen=True)
class PersonAttempt:
    """An action of a person at a task."""

    task_id: str
    action: tuple[float, ...]


def simulate_attempts(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """An answer for each attempt: what happened, as JSON values; a TumbleError where it doesn't fit its task."""
    answers: list[Any] = [_problem(attempt) for attempt in attempts]
    for tier in TIERS:
        rows = [k for k, one in enumerate(attempts) if answers[k] is None and known_task(one.task_id).tier == tier]
        if not rows:
            continue
        ids = [attempts[k].task_id for k in rows]
        simulator = Simulator([known_task(task_id) for task_id in dict.fromkeys(ids)], tier, threads=1)
        made = simulator.attempts(ids, [attempts[k].action for k in rows], want=("trajectories",))
        for k, attempt in zip(rows, made, strict=True):
            answers[k] = _answer(known_task(attempts[k].task_id), attempts[k].action, attempt)
    return answers


def own_attempt(task: Task, action: tuple[float, ...]) -> dict[str, Any]:
    """The same for one attempt at a task that a person made."""
    problem = _length_problem(task, action)
    if problem is not None:
        raise problem
    simulator = Simulator([task], threads=1)
    return _answer(task, action, simulator.simulate(task, action, want=("trajectories",)))


def _problem(attempt: PersonAttempt) -> TumbleError | None:
    try:
        return _length_problem(known_task(attempt.task_id), attempt.action)
    except TumbleError as error:
        return error


def _length_problem(task: Task, action: tuple[float, ...]) -> TumbleError | None:
    numbers = TIERS[task.tier].numbers
    return None if len(action) == numbers else TumbleError(f"task {task.id} takes {numbers} numbers, got {len(action)}")


def _answer(task: Task, action_numbers: tuple[float, ...], attempt: Attempt) -> dict[str, Any]:
    action = np.array(action_numbers)
    answer = {
        "task": task.id,
        "action": list(action_numbers),
        "balls": placed_balls(action[None])[0].tolist(),
        "status": attempt.status,
        "label": LABELS[attempt.status],
        "solved": attempt.solved,
        "steps": attempt.steps,
    }
    if attempt.status == INVALID:
        return {**answer, "problem": placement_problem(task.scene, action)}
    assert attempt.trajectories is not None
    assert attempt.scene is not None
    movable = np.array([k for k, body in enumerate(attempt.scene.bodies) if body.dynamic])
    return {**answer, "motion": packed_motion(attempt.trajectories, movable)}
