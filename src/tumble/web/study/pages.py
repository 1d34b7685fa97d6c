"""What a benchmark brings so that people attempt the tasks of a study on its play page."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tumble.errors import TumbleError
from tumble.studies.study_tasks import Action, Outcome


@dataclass(frozen=True)
class StudyAttempt:
    """The action of an attempt so far, all of its parts."""

    task_id: str
    action: Action


class StudyPages(ABC):
    """Tasks and attempts of a study, as the file `play.html` of the benchmark's pages shows them."""

    @abstractmethod
    def task(self, task_id: str) -> dict[str, Any]:
        """A task for the page, without anything that helps to solve it, or that tells which one it is."""

    @abstractmethod
    def outcomes(self, attempts: Sequence[StudyAttempt]) -> Sequence[Outcome | TumbleError]:
        """Outcomes equal to those of the study's tasks; `shown` is what the page plays, from the last part on."""
