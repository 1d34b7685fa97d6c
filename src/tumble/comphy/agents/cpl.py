"""CPL and CPL-DPI: masses and charges from tracks by a network that learned them from labels, then predicted motion.

Questions are answered by running their programs on what was seen, inferred and predicted. CPL-DPI infers properties in
the same way, but predicts motion without using them.
"""

from typing import Any

from tumble.comphy.agents.agent import Agent, AgentInputError
from tumble.comphy.agents.explanation import Explanation
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.models.cpl.network import CplNetwork
from tumble.comphy.models.cpl.predict import CplPrediction, load_cpl, predict
from tumble.comphy.models.perceiver.from_observation import perception_of
from tumble.comphy.models.perceiver.perception import Perception
from tumble.comphy.questions.answers import SetAnswers
from tumble.comphy.tasks.body import Body
from tumble.comphy.tasks.task import Task
from tumble.comphy.tasks.use import NamedGiven

TRACKS = ("detected", "true")


class Cpl(Agent):
    """Remembers what it made of the last task."""

    name = "cpl"
    trained_with: NamedGiven = "truth"

    def __init__(self, checkpoint: str = "", tracks: str = "detected", perceiver: str = "") -> None:
        if tracks not in TRACKS:
            raise AgentInputError(f"no tracks {tracks!r}; there are {', '.join(TRACKS)}")
        self.checkpoint, self.tracks, self.perceiver = checkpoint, tracks, perceiver
        self.last: tuple[Task, CplPrediction] | None = None
        self._network: CplNetwork | None = None
        self._eyes: Any = None

    def answer(self, task: Task) -> SetAnswers:
        return answers_from_scene(self.prediction(task).scene, task.questions)

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self.prediction(task).bodies

    def explain(self, task: Task) -> Explanation:
        made = self.prediction(task)
        return Explanation(made.bodies, made.perception, made.scene, motions=made.motions)

    def prediction(self, task: Task) -> CplPrediction:
        """What it makes of a task: perception, inferred bodies, predicted motion."""
        if self.last is None or self.last[0] is not task:
            if self._network is None:
                self._network = load_cpl(self.name, self.checkpoint)
            self.last = task, predict(self._network, self._perceived(task))
        return self.last[1]

    def _perceived(self, task: Task) -> Perception:
        if self.tracks == "true":
            return perception_of(task.observe())
        if self._eyes is None:
            from tumble.comphy.models.perceiver.perceive import Perceiver

            self._eyes = Perceiver.load(self.perceiver)
        return self._eyes.perceive(task.videos())


class CplDpi(Cpl):
    """CPL with dynamics that are blind to properties."""

    name = "cpl-dpi"
