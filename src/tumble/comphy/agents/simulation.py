"""Analysis by simulation: infers masses and charges from motion, then answers by simulating with them.

It is given the true tracks of the target's shown frames and of the references, but no hidden property and no future.
Factual questions are answered from what it inferred and saw, predictive ones by going on from the end of what was
shown, counterfactual ones by simulating from the first frame with one property changed.
"""

from tumble.comphy.agents.agent import Asked, Model
from tumble.comphy.agents.inference import infer, seen_of
from tumble.comphy.agents.oracle import answers_from
from tumble.comphy.agents.prediction import predicted_story
from tumble.comphy.questions.answers import SetAnswers
from tumble.comphy.tasks.body import Body


class Simulation(Model):
    """Remembers what it inferred about the last set."""

    def __init__(self) -> None:
        self.last: tuple[Asked, tuple[Body, ...]] | None = None

    def answer(self, asked: Asked) -> SetAnswers:
        return answers_from(predicted_story(self.properties(asked), seen_of(asked.look()).target), asked.questions)

    def properties(self, asked: Asked) -> tuple[Body, ...]:
        if self.last is None or self.last[0] is not asked:
            self.last = asked, infer(seen_of(asked.look()))
        return self.last[1]
