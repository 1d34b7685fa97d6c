"""Analysis by simulation: infers masses and charges from motion, then answers by simulating with them.

It uses the true tracks of the target's shown frames and of the references, but no hidden property and no future frame.
Factual questions are answered from what it observed and inferred, predictive ones by simulating on from the end of the
shown frames, counterfactual ones by simulating from the first frame with one property changed.
"""

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.inference import infer, observe
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.prediction import predict_scene
from tumble.comphy.questions.answers import SetAnswers
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.task import Task


class Simulation(Agent):
    """Remembers what it inferred about the last task."""

    def __init__(self) -> None:
        self.last: tuple[Task, tuple[Body, ...]] | None = None

    def answer(self, task: Task) -> SetAnswers:
        scene = predict_scene(self.infer_bodies(task), observe(task.load_videos()).target)
        return answers_from_scene(scene, task.questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        if self.last is None or self.last[0] is not task:
            self.last = task, infer(observe(task.load_videos()))
        return self.last[1]
