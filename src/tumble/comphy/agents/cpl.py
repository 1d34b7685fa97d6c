"""CPL and CPL-DPI: masses and charges from tracks by a network that learned them from labels, then predicted motion.

Questions are answered by running their programs on what was seen, inferred and predicted. CPL-DPI infers properties in
the same way, but predicts motion without using them.
"""

from tumble.comphy.agents.agent import Agent, Explanation
from tumble.comphy.agents.oracle import answers_from_scene
from tumble.comphy.agents.task_perception import (
    TaskPerception,
    TruthModules,
    check_world,
    perception_in,
    questions_in,
    weights_name,
)
from tumble.comphy.catalogue.body import Body, world_of_bodies
from tumble.comphy.catalogue.task import NamedGiven, Task
from tumble.comphy.models.graph.cpl import CplNetwork, CplPrediction, load_cpl, predict_set
from tumble.comphy.models.registry import checkpoint_path
from tumble.comphy.questions.program import SetAnswers


class Cpl(Agent):
    """Keeps its results for the last task."""

    name = "cpl"
    trained_with: NamedGiven = "truth"

    def __init__(
        self,
        checkpoint: str = "",
        tracks: str = "detected",
        perceiver: str = "",
        device: str = "cpu",
        properties: str = "inferred",
        dynamics: str = "learned",
        transfer: bool = False,
    ) -> None:
        """`device` is that of the perceiver; `properties` and `dynamics` may be "given" to analyse errors.

        `transfer` allows weights of another world than that of the sets.
        """
        self.checkpoint, self.perception = checkpoint, TaskPerception(tracks, perceiver, device, transfer)
        self.transfer = transfer
        self.modules = TruthModules(properties, dynamics)
        self.uses_truth = self.modules.any
        self.last: tuple[Task, CplPrediction] | None = None
        self._network: CplNetwork | None = None

    def answer(self, task: Task) -> SetAnswers:
        scene = self.prediction(task).scene
        return answers_from_scene(scene, questions_in(task.questions, world_of_bodies(scene.bodies)))

    def infer_bodies(self, task: Task) -> tuple[Body, ...]:
        return self.prediction(task).bodies

    def explain(self, task: Task) -> Explanation:
        made = self.prediction(task)
        return Explanation(made.bodies, made.perception, made.scene, motions=made.motions)

    def prediction(self, task: Task) -> CplPrediction:
        """Its results for a task: perception, inferred bodies, predicted motion."""
        if self.last is None or self.last[0] is not task:
            if self._network is None:
                name = weights_name(self.name, task.world, self.transfer)
                self._network = load_cpl(self.name, checkpoint_path(name, self.checkpoint))
            check_world(self.name, self._network.world, task, self.transfer)
            perception = perception_in(self.perception.perceive(task), self._network.world)
            truth = self.modules.given(task, perception)
            bodies = truth.properties.bodies(perception.appearances) if truth.properties else None
            self.last = task, predict_set(self._network, perception, bodies, truth.dynamics)
        return self.last[1]


class CplDpi(Cpl):
    """CPL with dynamics that are blind to properties."""

    name = "cpl-dpi"
