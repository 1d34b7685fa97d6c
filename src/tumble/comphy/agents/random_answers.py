"""Random: a possible answer of the question's type, all equally likely; options are correct with probability 1/2."""

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.answer_space import answer_space
from tumble.comphy.catalogue.task import CORRECT, WRONG, Question, Task
from tumble.comphy.catalogue.world import ObjectWorld
from tumble.comphy.questions.program import Answer, SetAnswers
from tumble.draws import Draws


class Random(Agent):
    """Guesses; the guess depends on the seed and the ids of set and question only."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def answer(self, task: Task) -> SetAnswers:
        return {
            question.id: self._guess(task.questions.index, question, task.world)
            for question in task.questions.questions
        }

    def _guess(self, index: int, question: Question, world: ObjectWorld) -> Answer:
        draws = Draws(f"comphy random {self.seed} {index} {question.id}")
        if question.choices:
            return {choice.id: draws.one_of((CORRECT, WRONG)) for choice in question.choices}
        return draws.one_of(answer_space(question, world))
