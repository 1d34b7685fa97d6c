"""Analysis by simulation: infers masses and charges from motion, then answers by simulating with them.

It uses the tracks of the target's shown frames and of the references while bodies are in view, no hidden property and
no future frame. Factual questions are answered from what it observed and inferred, predictive ones by simulating on
from the end of the shown frames, counterfactual ones by simulating from the first frame with one property changed.
"""

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.inference import infer
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.prediction import predict_scene
from tumble.comphy.questions.answers import SetAnswers
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.observation import Observation
from tumble.comphy.tasks.task import Task


class Simulation(Agent):
    """Remembers what it inferred about the last task."""

    def __init__(self) -> None:
        self.last: tuple[Task, Observation, tuple[Body, ...]] | None = None

    def answer(self, task: Task) -> SetAnswers:
        observation, bodies = self._inferred(task)
        return answers_from_scene(predict_scene(bodies, observation), task.questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self._inferred(task)[1]

    def _inferred(self, task: Task) -> tuple[Observation, tuple[Body, ...]]:
        """What it observed and inferred about a task."""
        if self.last is None or self.last[0] is not task:
            observation = task.observe()
            self.last = task, observation, infer(observation)
        return self.last[1:]
