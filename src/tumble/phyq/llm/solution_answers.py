"""Answers that win: the stored solutions of tasks, as a model would write them."""

import json
from typing import Any

from tumble.phyq.generation.solutions import solution
from tumble.phyq.simulation.shots import Shot


def solution_answers(task_id: str) -> list[str]:
    """The answers, one after the other, that win a task of the benchmark at the first attempt.

    >>> solution_answers("2.1:000")[0].startswith('{"angle":')
    True
    >>> len(solution_answers("14.1:000"))
    1
    """
    answers: list[dict[str, Any]] = []
    for shot in solution(task_id).shots:
        if shot.delay is not None and answers:
            answers[-1].setdefault("then", []).append({**answer_of(shot), "delay": shot.delay})
        else:
            answers.append(answer_of(shot))
    return [json.dumps(answer) for answer in answers]


def answer_of(shot: Shot) -> dict[str, Any]:
    """A shot as an answer, without its delay."""
    tap = None if shot.tap_ms is None else shot.tap_ms / 1000.0
    return {"angle": shot.angle, "power": shot.stretch, "tap": tap}
