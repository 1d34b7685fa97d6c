"""A task: a set with its questions, as agents receive it."""

from collections.abc import Callable
from dataclasses import dataclass

from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import VideoSet


@dataclass(frozen=True)
class Task:
    """The questions about a set, and a function that loads its videos; agents that read questions only don't call it.

    The set includes hidden properties and the frames after the shown ones: which of these an agent uses is up to it.
    """

    questions: QuestionSet
    load_videos: Callable[[], VideoSet]

    @property
    def id(self) -> str:
        return task_id(self.questions.index)


def task_id(index: int) -> str:
    """The id of a set in run logs, as in 00042."""
    return f"{index:05d}"
