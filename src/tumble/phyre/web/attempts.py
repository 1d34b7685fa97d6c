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
    own: Task | None = None
    """The task, where it is not the catalogue's of this id."""

    @property
    def task(self) -> Task:
        return self.own or known_task(self.task_id)


def simulate_attempts(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """An answer for each attempt: what happened, as JSON values; a TumbleError where it doesn't fit its task."""
    answers: list[Any] = [_problem(attempt) for attempt in attempts]
    for tier in TIERS:
        rows = [k for k, one in enumerate(attempts) if answers[k] is None and one.task.tier == tier]
        own = [[k] for k in rows if attempts[k].own]  # ids of their own: each is simulated alone
        for group in filter(None, [[k for k in rows if attempts[k].own is None], *own]):
            for k, attempt in zip(group, _simulated([attempts[k] for k in group], tier), strict=True):
                answers[k] = _answer(attempts[k], attempt)
    return answers


def _simulated(attempts: Sequence[PersonAttempt], tier: str) -> list[Attempt]:
    """Attempts of one tier, in one batch."""
    tasks = {one.task_id: one.task for one in attempts}
    simulator = Simulator(list(tasks.values()), tier, threads=1)
    return simulator.attempts(
        [one.task.id for one in attempts], [one.action for one in attempts], want=("trajectories",)
    )


def _problem(attempt: PersonAttempt) -> TumbleError | None:
    try:
        tier = TIERS[attempt.task.tier]
    except TumbleError as error:
        return error
    if len(attempt.action) != tier.numbers:
        return TumbleError(f"task {attempt.task_id} takes {tier.numbers} numbers, got {len(attempt.action)}")
    return None


def _answer(asked: PersonAttempt, attempt: Attempt) -> dict[str, Any]:
    action = np.array(asked.action)
    answer = {
        "task": asked.task_id,
        "action": list(asked.action),
        "balls": placed_balls(action[None])[0].tolist(),
        "status": attempt.status,
        "label": LABELS[attempt.status],
        "solved": attempt.solved,
        "steps": attempt.steps,
    }
    if attempt.status == INVALID:
        return {**answer, "problem": placement_problem(asked.task.scene, action)}
    assert attempt.trajectories is not None
    assert attempt.scene is not None
    movable = np.array([k for k, body in enumerate(attempt.scene.bodies) if body.dynamic])
    return {**answer, "motion": packed_motion(attempt.trajectories, movable)}
