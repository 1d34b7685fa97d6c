"""PHYRE in studies: tasks without what would help, and attempts with their motion."""

from collections.abc import Sequence
from typing import Any

from tumble.errors import TumbleError
from tumble.phyre.web.attempts import PersonAttempt, simulate_attempts
from tumble.phyre.web.task_data import task_data
from tumble.studies.study_tasks import Outcome
from tumble.web.study.pages import StudyAttempt, StudyPages

SHOWN = ("tier", "balls", "steps", "hold", "goal", "width", "height", "bodies")
"""Of a task: neither its name, nor its idea, nor others."""


class PhyreStudyPages(StudyPages):
    """Tasks of the catalogue, by their ids."""

    def task(self, task_id: str) -> dict[str, Any]:
        data = task_data(task_id)
        return {name: data[name] for name in SHOWN}

    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        made = simulate_attempts([PersonAttempt(one.task_id, _numbers(one)) for one in attempts])
        return [one if isinstance(one, TumbleError) else _outcome(one) for one in made]


def _numbers(attempt: StudyAttempt) -> tuple[float, ...]:
    return tuple(number for number in attempt.action if number is not None)


def _outcome(answer: dict[str, Any]) -> Outcome:
    shown = {name: value for name, value in answer.items() if name != "task"}
    return Outcome(answer["status"], answer["steps"], answer["solved"], shown=shown)
