"""Frequent: the answer that was most frequent in training among questions of the same type."""

from collections import Counter
from collections.abc import Sequence

from tumble.comphy.agents.agent import Asked, Model
from tumble.comphy.agents.answer_spaces import answer_space, asked_for
from tumble.comphy.questions.answers import Given, SetAnswers, in_order
from tumble.comphy.tasks.question import CORRECT, WRONG, Question

Key = tuple[str, ...]


class Frequent(Model):
    """Counts answers by template, and options by template too; of what it never saw, the first possible answer."""

    learns = True

    def __init__(self) -> None:
        self.counts: dict[Key, Counter[str]] = {}

    def train(self, sets: Sequence[Asked]) -> None:
        for asked in sets:
            for question in asked.questions.questions:
                own = self.counts.setdefault(question_type(question), Counter())
                answers = [choice.answer for choice in question.choices] or [question.answer]
                own.update(in_order(answer) for answer in answers if answer is not None)

    def answer(self, asked: Asked) -> SetAnswers:
        return {question.id: self._usual(question) for question in asked.questions.questions}

    def _usual(self, question: Question) -> Given:
        known = self.counts.get(question_type(question), Counter())
        possible = (WRONG, CORRECT) if question.choices else answer_space(question)
        usual = max((*known, *possible), key=lambda answer: known[answer])
        return {choice.id: usual for choice in question.choices} if question.choices else usual


def question_type(question: Question) -> Key:
    """What counts as one type: the template and the last operator of the program, which says what is asked for."""
    return question.kind, question.family, asked_for(question)
