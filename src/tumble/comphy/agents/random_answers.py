"""Random: one of the answers that a question of its type can have, all equally likely; options by a coin."""

from tumble.comphy.agents.agent import Asked, Model
from tumble.comphy.agents.answer_spaces import answer_space
from tumble.comphy.questions.answers import Given, SetAnswers
from tumble.comphy.tasks.question import CORRECT, WRONG, Question
from tumble.draws import Draws


class Random(Model):
    """Guesses; what it guesses hangs on its seed and on the numbers of set and question only."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def answer(self, asked: Asked) -> SetAnswers:
        return {one.id: self._guess(asked.questions.index, one) for one in asked.questions.questions}

    def _guess(self, index: int, question: Question) -> Given:
        draws = Draws(f"comphy random {self.seed} {index} {question.id}")
        if question.choices:
            return {choice.id: draws.one_of((CORRECT, WRONG)) for choice in question.choices}
        return draws.one_of(answer_space(question))
