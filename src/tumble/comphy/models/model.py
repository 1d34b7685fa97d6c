"""What a model is: something that answers the questions about sets, perhaps after learning from others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tumble.comphy.questions.question import Choice, Question, QuestionSet
from tumble.comphy.scoring import SetAnswers
from tumble.comphy.sets import VideoSet


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

    def remarks(self) -> dict[str, float]:
        """What it noticed about its own work while it answered, by name; for the run's log."""
        return {}


def withheld(questions: QuestionSet) -> QuestionSet:
    """Questions without their answers: what a model is asked."""
    return replace(questions, questions=tuple(map(_without_answer, questions.questions)))


def _without_answer(question: Question) -> Question:
    choices = tuple(Choice(one.id, one.text, one.program, None) for one in question.choices)
    return replace(question, answer=None, choices=choices)
