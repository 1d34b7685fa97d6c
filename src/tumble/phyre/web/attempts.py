"""Attempts of people, on the pages and in studies, simulated by the function that simulates those of agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import TIERS, Task
from tumble.phyre.simulation.actions import placed_balls, placement_problem
from tumble.phyre.simulation.attempt import Attempt
from tumble.phyre.simulation.simulator import Simulator
from tumble.phyre.simulation.status import INVALID, LABELS
from tumble.phyre.web.task_data import TASK_ID, known_task, task_data
from tumble.studies.study import Outcome
from tumble.web.pages import StudyAttempt, StudyPages
from tumble.web.play import packed_motion


@dataclass(frozen=True)
class PersonAttempt:
    """An action of a person at a task."""

    task_id: str
    action: tuple[float, ...]


def simulate_attempts(attempts: Sequence[PersonAttempt]) -> list[Any]:
    """An answer for each attempt: what happened, as JSON values; a TumbleError where it doesn't fit its task."""
    answers: list[Any] = [_attempt_problem(attempt) for attempt in attempts]
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


def _attempt_problem(attempt: PersonAttempt) -> TumbleError | None:
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


TaskId = Annotated[str, Field(pattern=f"^{TASK_ID}$")]
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class AttemptRequest(BaseModel):
    """An attempt at a task: x, y and radius of each ball, from 0 to 1, as agents give them."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task: TaskId
    action: Annotated[list[Share], Field(min_length=3, max_length=6)]


SHOWN_IN_STUDIES = ("tier", "balls", "steps", "hold", "goal", "width", "height", "bodies")
"""Of a task: neither its name, nor its idea, nor others."""


class PhyreStudyPages(StudyPages):
    """Tasks of the catalogue, by their ids."""

    def task(self, task_id: str) -> dict[str, Any]:
        data = task_data(task_id)
        return {name: data[name] for name in SHOWN_IN_STUDIES}

    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        made = simulate_attempts([PersonAttempt(one.task_id, _given_numbers(one)) for one in attempts])
        return [one if isinstance(one, TumbleError) else _study_outcome(one) for one in made]


def _given_numbers(attempt: StudyAttempt) -> tuple[float, ...]:
    return tuple(number for number in attempt.action if number is not None)


def _study_outcome(answer: dict[str, Any]) -> Outcome:
    shown = {name: value for name, value in answer.items() if name != "task"}
    return Outcome(answer["status"], answer["steps"], answer["solved"], shown=shown)
