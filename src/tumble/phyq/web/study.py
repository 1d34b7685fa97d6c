"""Phy-Q in studies: levels without what would help, and shots with their motion."""

from collections.abc import Sequence
from typing import Any

from tumble.errors import TumbleError
from tumble.phyq.evaluation.log_rows import STATUS_CODES, shots_of
from tumble.phyq.evaluation.study_tasks import PhyQStudyTasks
from tumble.phyq.simulation.attempt import attempt_of
from tumble.phyq.web.attempts import PersonAttempt, answer_of, play_attempts
from tumble.phyq.web.level_data import level_data
from tumble.studies.study_tasks import Outcome
from tumble.web.study.pages import StudyAttempt, StudyPages


class PhyQStudyPages(StudyPages):
    """Levels of a study's tasks. Neither the scenario nor its rule is told."""

    def __init__(self, tasks: PhyQStudyTasks) -> None:
        self._tasks = tasks

    def task(self, task_id: str) -> dict[str, Any]:
        return level_data(self._tasks.task(task_id).level)

    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        asked = [self._asked(one) for one in attempts]
        return [self._outcome(one, made) for one, made in zip(asked, play_attempts(asked), strict=True)]

    def _asked(self, attempt: StudyAttempt) -> PersonAttempt:
        shots = shots_of(attempt.action)
        return PersonAttempt(self._tasks.task(attempt.task_id).level, shots, len(shots) - 1)

    def _outcome(self, asked: PersonAttempt, made: Any) -> Outcome | TumbleError:
        if isinstance(made, TumbleError):
            return made
        episodes, row = made
        result = attempt_of(episodes, row, asked.shots)
        shown = answer_of(episodes, row, asked)
        if isinstance(shown, TumbleError):
            return shown
        texts = self._tasks.texts_of(result)
        return Outcome(STATUS_CODES[result.status], result.steps, result.won, result.status == "open", texts, shown)
