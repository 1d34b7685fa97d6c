"""Analysis by simulation: infers masses and charges from motion, then answers by simulating with them.

It uses the tracks of the target's shown frames and of the references while bodies are in view, no hidden property and
no future frame. Factual questions are answered from what it observed and inferred, predictive ones by simulating on
from the end of the shown frames, counterfactual ones by simulating from the first frame with one property changed.
"""

from tumble.comphy.agents.agent import Agent
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.agents.inference import infer
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.prediction import PredictedMotions, predict_scene
from tumble.comphy.catalogue.body import Body
from tumble.comphy.catalogue.task import Task
from tumble.comphy.questions.program import SetAnswers
from tumble.comphy.questions.symbolic_scene import SymbolicScene


class Simulation(Agent):
    """Remembers the scene of the last task."""

    def __init__(self) -> None:
        self.last: tuple[Task, SymbolicScene] | None = None

    def answer(self, task: Task) -> SetAnswers:
        return answers_from_scene(self._scene(task), task.questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self._scene(task).bodies

    def explain(self, task: Task) -> Explanation:
        scene = self._scene(task)
        return Explanation(scene.bodies, scene=scene, motions=PredictedMotions(scene))

    def _scene(self, task: Task) -> SymbolicScene:
        """The scene that it inferred and predicts."""
        if self.last is None or self.last[0] is not task:
            observation = task.observe()
            self.last = task, predict_scene(infer(observation), observation)
        return self.last[1]
