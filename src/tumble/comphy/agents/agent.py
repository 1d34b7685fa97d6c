"""What a model is: something that answers the questions about sets, perhaps after learning from others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tumble.comphy.questions.answers import SetAnswers
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.question import QuestionSet
from tumble.comphy.tasks.video_set import VideoSet


class ModelError(ValueError):
    """A model that is not there, or that can't do what it is asked."""


@dataclass(frozen=True)
class Asked:
    """The questions about a set, and its videos for those who look."""

    questions: QuestionSet
    look: Callable[[], VideoSet]


class Model:
    """Answers questions; its settings are the arguments of its class."""

    learns = False
    """Whether it has to be trained."""

    def train(self, sets: Sequence[Asked]) -> None:
        """Learn from sets whose answers are known."""

    def answer(self, asked: Asked) -> SetAnswers:
        """Answers by the ids of questions; the answers of what is asked are withheld."""
        raise NotImplementedError

    def properties(self, asked: Asked) -> tuple[Body, ...] | None:
        """The set's bodies with the masses and charges that it inferred; None where it infers none."""
        return None
