"""Frequent: the most frequent answer of the training questions of the same type."""

from collections import Counter
from collections.abc import Sequence

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.answer_space import answer_space
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, Task
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.questions.program import Answer, SetAnswers, canonical_answer, final_operator

QuestionType = tuple[str, ...]


class Frequent(Agent):
    """Counts the answers, or the verdicts on options, of each type; for an unseen type the first possible answer."""

    learns = True

    def __init__(self) -> None:
        self.counts: dict[QuestionType, Counter[str]] = {}

    def train(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            for question in task.questions.questions:
                counts = self.counts.setdefault(question_type(question), Counter())
                answers = [choice.answer for choice in question.choices] or [question.answer]
                counts.update(canonical_answer(answer) for answer in answers if answer is not None)

    def answer(self, task: Task) -> SetAnswers:
        return {question.id: self._most_frequent(question, task.world) for question in task.questions.questions}

    def _most_frequent(self, question: Question, world: ObjectWorld) -> Answer:
        counts = self.counts.get(question_type(question), Counter())
        possible = (WRONG, CORRECT) if question.choices else answer_space(question, world)
        best = max((*counts, *possible), key=lambda answer: counts[answer])
        return {choice.id: best for choice in question.choices} if question.choices else best


def question_type(question: Question) -> QuestionType:
    """What counts as one type: the kind, the template, and the last operator of the program."""
    return question.kind, question.family, final_operator(question)
